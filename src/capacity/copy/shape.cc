#include "capacity/copy/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "base/text.h"
#include "core/evaluation/counting.h"
#include "core/shapes/shape.h"
#include "devices/device_state.h"
#include "explain/verdict/text.h"

namespace tutti::capacity {
namespace {

using core::ResourceAmount;

std::string requests_text(const model::ResourceList& requests) {
  std::vector<std::string> parts;
  for (const auto& [name, amount] : requests) {
    const bool milli = name == "cpu";
    parts.push_back(name + "=" +
                    explain::amount_text(name, milli ? amount.milli() : amount.units()));
  }
  return parts.empty() ? "nothing" : fmt::format("{}", fmt::join(parts, ","));
}

std::shared_ptr<model::PodSpec> spec_asking(model::ResourceList requests) {
  auto spec = std::make_shared<model::PodSpec>();
  spec->containers.push_back({.name = "main",
                              .image = {},
                              .requests = std::move(requests),
                              .limits = {},
                              .claims = {},
                              .ports = {}});
  return spec;
}

model::ResourceList named(const core::Cluster& cluster,
                          const std::vector<ResourceAmount>& amounts) {
  model::ResourceList list;
  for (const auto& [resource, amount] : amounts) {
    if (resource == core::kPods) continue;
    list.emplace_back(cluster.resources().name(resource), resource == core::kCpu
                                                              ? Quantity::from_milli(amount)
                                                              : Quantity::from_units(amount));
  }
  std::ranges::sort(list, {}, [](const auto& entry) { return entry.first; });
  return list;
}

std::string claim_text(const ShapeClaim& claim) {
  std::vector<std::string> parts;
  for (const auto& request : claim.spec.requests) {
    if (request.wishes.empty()) continue;
    const model::DeviceWish& wish = request.wishes.front();
    const std::string many =
        wish.mode == "All" ? "all" : fmt::to_string(std::max<std::int64_t>(1, wish.count));
    parts.push_back(fmt::format("{} {}", many, wish.device_class));
  }
  return fmt::format("claim of {}{}", fmt::join(parts, " + "),
                     claim.of_group ? " for the gang" : "");
}

std::string taint_text(const model::Toleration& toleration) {
  return toleration.key.empty() ? "everything" : toleration.key;
}

// Admission gives it to every pod.
bool is_usual(const model::Toleration& toleration) {
  return toleration.effect == "NoExecute" && (toleration.key == "node.kubernetes.io/not-ready" ||
                                              toleration.key == "node.kubernetes.io/unreachable");
}

std::vector<std::string> wishes_of(const model::PodSpec& spec,
                                   const std::vector<ShapeClaim>& claims) {
  std::vector<std::string> wishes;
  for (const auto& [key, value] : spec.node_selector) {
    wishes.push_back(fmt::format("nodeSelector {}={}", key, value));
  }
  if (spec.node_affinity.required) wishes.emplace_back("node affinity");
  for (const auto& toleration : spec.tolerations) {
    if (!is_usual(toleration)) wishes.push_back("tolerates " + taint_text(toleration));
  }
  if (!spec.affinity.required.empty()) wishes.emplace_back("pod affinity");
  if (!spec.anti_affinity.required.empty()) wishes.emplace_back("pod anti-affinity");
  const auto hard = [](const model::TopologySpreadConstraint& spread) { return spread.hard; };
  if (std::ranges::any_of(spec.spread, hard)) wishes.emplace_back("topology spread");
  if (!spec.containers.front().ports.empty()) wishes.emplace_back("host ports");
  for (const ShapeClaim& claim : claims) wishes.push_back(claim_text(claim));
  for (const auto& entry : spec.resource_claims) {
    if (!entry.claim_name.empty()) wishes.push_back("shares claim " + entry.claim_name);
  }
  return wishes;
}

// Only what nodes look at; preferences do not change how many fit.
std::shared_ptr<const model::PodSpec> bare_spec(const core::Cluster& cluster,
                                                const core::PodShape& shape) {
  const model::PodSpec& from = *shape.spec;
  auto spec = spec_asking(named(cluster, shape.requests));
  spec->node_selector = from.node_selector;
  spec->node_affinity.required = from.node_affinity.required;
  spec->affinity.required = from.affinity.required;
  spec->anti_affinity.required = from.anti_affinity.required;
  spec->tolerations = from.tolerations;
  std::ranges::copy_if(from.spread, std::back_inserter(spec->spread),
                       [](const auto& spread) { return spread.hard; });
  spec->resource_claims = from.resource_claims;
  spec->scheduler_name = from.scheduler_name;
  for (const core::HostPort& port : shape.host_ports) {
    spec->containers.front().ports.push_back({port.port, port.port, port.ip, port.protocol});
  }
  return spec;
}

// The claims made from the entries of the pod; none when one of them does not exist yet.
std::optional<std::vector<ShapeClaim>> claims_of(const core::Scheduler& scheduler,
                                                 const model::Pod& pod) {
  std::vector<ShapeClaim> claims;
  const auto group = scheduler.groups().find(pod.meta.ns, pod.spec->scheduling_group, false);
  for (const model::ClaimReference& entry : pod.spec->resource_claims) {
    if (!entry.claim_name.empty()) continue;
    const std::string* name = model::claim_name_of(entry, pod.status.claim_statuses);
    if (name == nullptr) return std::nullopt;
    const auto* claim = scheduler.cluster().find_object<model::ResourceClaim>(pod.meta.ns, *name);
    if (claim == nullptr) return std::nullopt;
    const bool of_group =
        group && scheduler.groups()[*group].seen() &&
        std::ranges::find(scheduler.groups()[*group].spec().resource_claims, entry) !=
            scheduler.groups()[*group].spec().resource_claims.end();
    claims.push_back({entry.name, claim->spec, of_group});
  }
  return claims;
}

// Whether the labels of a pod of this shape decide what it asks for.
bool selects_itself(const model::PodSpec& spec) {
  return !spec.affinity.required.empty() || !spec.anti_affinity.required.empty() ||
         !spec.spread.empty();
}

bool is_same(const Shape& a, const Shape& b) {
  if (!(*a.spec == *b.spec) || a.claims != b.claims) return false;
  const bool local = selects_itself(*a.spec) || !a.spec->resource_claims.empty();
  return !local || (a.ns == b.ns && a.labels == b.labels);
}

class ShapeCollector {
 public:
  explicit ShapeCollector(const core::Scheduler& scheduler) : scheduler_(scheduler) {}

  void add(const core::PodEntry& entry) {
    if (scheduler_.profile_for(*entry.object) == nullptr) return;
    const auto at = shape_for(entry);
    if (!at) return;
    ++(entry.object->node_name.empty() && !entry.assumed ? shapes_[*at].waiting
                                                         : shapes_[*at].running);
  }

  std::vector<Shape> take() {
    std::ranges::sort(shapes_, {}, [](const Shape& shape) {
      return std::tuple(-static_cast<std::int64_t>(shape.waiting),
                        -static_cast<std::int64_t>(shape.running), shape.requests, shape.wishes,
                        shape.ns);
    });
    return std::move(shapes_);
  }

 private:
  // Interned shapes are told apart by more than matters here; each is looked at once, except where
  // pods of one interned shape may still differ.
  std::optional<std::size_t> shape_for(const core::PodEntry& entry) {
    const core::PodShape& interned = scheduler_.cluster().shape(entry.shape);
    const bool alone = !interned.has_pod_affinity && interned.spec->spread.empty() &&
                       interned.spec->resource_claims.empty();
    if (const auto at = known_.find(entry.shape); alone && at != known_.end()) return at->second;
    auto claims = claims_of(scheduler_, *entry.object);
    if (!claims) return std::nullopt;
    Shape made;
    made.spec = bare_spec(scheduler_.cluster(), interned);
    made.ns = entry.object->meta.ns;
    made.labels = entry.object->meta.labels;
    made.claims = *std::move(claims);
    const std::size_t at = intern(std::move(made));
    if (alone) known_[entry.shape] = at;
    return at;
  }

  std::size_t intern(Shape made) {
    made.requests = requests_text(made.spec->containers.front().requests);
    auto& alike = by_requests_[made.requests];
    for (const std::size_t at : alike) {
      if (is_same(shapes_[at], made)) return at;
    }
    made.wishes = wishes_of(*made.spec, made.claims);
    alike.push_back(shapes_.size());
    shapes_.push_back(std::move(made));
    return alike.back();
  }

  const core::Scheduler& scheduler_;
  std::vector<Shape> shapes_;
  std::map<std::string, std::vector<std::size_t>> by_requests_;
  std::unordered_map<core::ShapeId, std::size_t> known_;
};

Error bad_shape(std::string_view part, std::string_view why) {
  return {Error::Code::invalid, fmt::format("--shape: '{}' {}", brief_line(part), why)};
}

// Devices and huge pages cannot be divided; everything else is an amount.
bool counts_pieces(std::string_view resource) {
  return resource.find('/') != std::string_view::npos || resource.starts_with("hugepages-");
}

bool is_whole(const Quantity& amount) { return Quantity::from_units(amount.units()) == amount; }

bool some_node_has(const core::Cluster& cluster, core::ResourceId resource) {
  const auto column = cluster.resources().allocatable(resource);
  bool found = false;
  cluster.nodes().live().for_each_set(
      [&](std::size_t node) { found = found || (node < column.size() && column[node] > 0); });
  return found;
}

// The resource that was meant: one whose name ends so ("gpu" of "nvidia.com/gpu"), or that is
// spelt nearly so.
std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  for (const std::string& name : known) {
    if (name.ends_with("/" + std::string(word))) return name;
  }
  const std::vector<std::string_view> words(known.begin(), known.end());
  return std::string(nearest_word(word, words));
}

// Devices keep other work away with a taint of their name.
model::Toleration toleration_of(std::string_view resource) {
  return {.key = std::string(resource),
          .op = model::Toleration::Operator::exists,
          .value = {},
          .effect = {},
          .toleration_seconds = {}};
}

}  // namespace

std::int64_t Shape::request(std::string_view resource) const {
  const Quantity* amount = model::find(spec->containers.front().requests, resource);
  if (amount == nullptr) return 0;
  return resource == "cpu" ? amount->milli() : amount->units();
}

Status check_resources(const Shape& shape, const core::Cluster& cluster) {
  std::vector<std::string> known;
  for (std::uint32_t i = 0; i < cluster.resources().count(); ++i) {
    if (some_node_has(cluster, {i})) known.emplace_back(cluster.resources().name({i}));
  }
  std::ranges::sort(known);
  for (const auto& [name, amount] : shape.spec->containers.front().requests) {
    if (known.empty() || std::ranges::find(known, name) != known.end()) continue;
    const auto& classes = cluster.devices().plans();
    if (classes.class_for(name) != nullptr) continue;
    const std::string meant = suggestion(name, known);
    return bad_shape(
        name, meant.empty() ? "is nothing that a node has"
                            : fmt::format("is nothing that a node has; did you mean {}?", meant));
  }
  return ok_status();
}

Result<Shape> parse_shape(std::string_view text) {
  model::ResourceList requests;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const std::size_t equals = part.find('=');
    if (equals == 0 || equals == std::string_view::npos) {
      return bad_shape(part, "is not of the form RESOURCE=AMOUNT, e.g. cpu=8,nvidia.com/gpu=1");
    }
    const std::string name(part.substr(0, equals));
    const auto amount = Quantity::parse(part.substr(equals + 1));
    if (!amount.ok()) return bad_shape(part, "has no amount: " + amount.error().message);
    if (amount->negative()) return bad_shape(part, "must not be negative");
    if (model::find(requests, name) != nullptr) return bad_shape(name, "is given twice");
    if (counts_pieces(name) && !is_whole(*amount)) {
      return bad_shape(part, fmt::format("is no number of pieces: {} is given out whole", name));
    }
    if (amount->zero()) continue;
    requests.emplace_back(name, *amount);
    std::ranges::sort(requests, {}, [](const auto& entry) { return entry.first; });
  }
  if (requests.empty()) return bad_shape(text, "asks for nothing");
  Shape shape;
  shape.requests = requests_text(requests);
  auto spec = spec_asking(std::move(requests));
  for (const auto& [name, amount] : spec->containers.front().requests) {
    if (name.find('/') != std::string::npos) spec->tolerations.push_back(toleration_of(name));
  }
  shape.spec = std::move(spec);
  return shape;
}

Shape lone_device(std::string_view resource) {
  Shape shape;
  auto spec = spec_asking({{std::string(resource), Quantity::from_units(1)}});
  spec->tolerations.push_back(toleration_of(resource));
  shape.requests = requests_text(spec->containers.front().requests);
  shape.spec = std::move(spec);
  return shape;
}

std::vector<Shape> shapes_of_work(const core::Scheduler& scheduler) {
  ShapeCollector collector(scheduler);
  for (std::uint32_t i = 0; i < scheduler.cluster().pods().slots(); ++i) {
    const core::PodEntry& entry = scheduler.cluster().pod({i});
    if (entry.object) collector.add(entry);
  }
  return collector.take();
}

}  // namespace tutti::capacity
