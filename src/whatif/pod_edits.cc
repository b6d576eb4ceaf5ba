#include "whatif/pod_edits.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "explain/findings/only_node.h"
#include "whatif/change_target.h"

namespace tutti::whatif {
namespace {

using explain::Datum;
using explain::PatchStep;

constexpr std::string_view kOneToleration = "/spec/tolerations/-";

constexpr std::string_view kContainers = "containers";
constexpr std::string_view kInitContainers = "initContainers";

std::string requests_of(std::string_view list, std::size_t container) {
  return fmt::format("/spec/{}/{}/resources/requests", list, container);
}

void drop_selectors(const model::PodSpec& spec, std::vector<PodEdit>& edits) {
  for (const auto& label : spec.node_selector) {
    PodEdit edit{"nodeSelector",
                 fmt::format("remove node selector {}={}", label.first, label.second),
                 spec,
                 {}};
    std::erase_if(edit.spec.node_selector.edit(),
                  [&](const auto& entry) { return entry.first == label.first; });
    edit.steps = {{"remove", "/spec/nodeSelector/" + pointer_part(label.first)}};
    edits.push_back(std::move(edit));
  }
}

void drop_node_affinity(const model::PodSpec& spec, std::vector<PodEdit>& edits) {
  // A pod for one node, as a DaemonSet makes them, is not for another.
  if (!spec.node_affinity.required || !explain::only_node_of(spec).empty()) return;
  PodEdit edit{"nodeAffinity", "remove the required node affinity", spec, {}};
  edit.spec.node_affinity.required.reset();
  edit.steps = {
      {"remove", "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution"}};
  edits.push_back(std::move(edit));
}

void drop_pod_terms(const model::PodSpec& spec, model::PodAffinity model::PodSpec::*where,
                    std::string_view kind, std::string_view words, std::vector<PodEdit>& edits) {
  const auto& terms = (spec.*where).required;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    PodEdit edit{std::string(kind),
                 fmt::format("remove the required {} pods per {}", words, terms[i].topology_key),
                 spec,
                 {}};
    auto& left = (edit.spec.*where).required;
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
    edit.steps = {
        {"remove",
         fmt::format("/spec/affinity/{}/requiredDuringSchedulingIgnoredDuringExecution/{}", kind,
                     i)}};
    edits.push_back(std::move(edit));
  }
}

void drop_spread(const model::PodSpec& spec, std::vector<PodEdit>& edits) {
  for (std::size_t i = 0; i < spec.spread.size(); ++i) {
    if (!spec.spread[i].hard) continue;
    PodEdit edit{"spread",
                 fmt::format("let the spread over {} be a preference (whenUnsatisfiable: "
                             "ScheduleAnyway)",
                             spec.spread[i].topology_key),
                 spec,
                 {}};
    edit.spec.spread[i].hard = false;
    edit.steps = {{"replace",
                   fmt::format("/spec/topologySpreadConstraints/{}/whenUnsatisfiable", i),
                   Datum::of("ScheduleAnyway")}};
    edits.push_back(std::move(edit));
  }
}

void drop_host_ports(const model::PodSpec& spec, std::vector<PodEdit>& edits) {
  if (spec.host_network) return;
  PodEdit edit{"hostPort", {}, spec, {}};
  std::vector<std::string> ports;
  for (std::size_t c = 0; c < spec.containers.size(); ++c) {
    for (std::size_t p = 0; p < spec.containers[c].ports.size(); ++p) {
      auto& port = edit.spec.containers[c].ports[p];
      if (port.host_port == 0) continue;
      ports.push_back(fmt::format("{}", port.host_port));
      port.host_port = 0;
      edit.steps.push_back({"remove", fmt::format("/spec/containers/{}/ports/{}/hostPort", c, p)});
    }
  }
  if (ports.empty()) return;
  edit.summary = fmt::format("drop host port {}", fmt::join(ports, ", "));
  edits.push_back(std::move(edit));
}

Quantity* find(model::ResourceList& list, std::string_view name) {
  const auto at = std::ranges::find(list, name, [](const auto& entry) { return entry.first; });
  return at == list.end() ? nullptr : &at->second;
}

// Requests are made of limits when a spec is read, so they tell whether anyone wrote some only if
// there is one beside the limits.
bool has_requests(const model::Container& container) {
  return std::ranges::any_of(container.requests, [&](const auto& request) {
    return std::ranges::find(container.limits, request) == container.limits.end();
  });
}

// A container that asks for some of a resource, and where it is written.
struct Asking {
  model::Container* container;
  Quantity* amount;
  std::string_view list;
  std::size_t index;
};

// What a pod asks for of one resource, as the scheduler counts it: its containers and sidecars at
// once, or while it begins each other init container with the sidecars before it.
class Requests {
 public:
  Requests(model::PodSpec& spec, const std::string& resource) : resource_(resource) {
    for (std::size_t c = 0; c < spec.containers.size(); ++c) {
      note(spec.containers[c], kContainers, c, at_once_);
    }
    for (std::size_t c = 0; c < spec.init_containers.size(); ++c) {
      const bool stays = spec.init_containers[c].restart_always;
      note(spec.init_containers[c], kInitContainers, c, stays ? at_once_ : before_);
    }
  }

  Quantity total() const {
    Quantity most = sum();
    for (const Asking& one : before_) most = std::max(most, during(one));
    return most;
  }

  // Lowers whoever stands above the target: of those at once the one that asks for the most. False
  // when somebody would be left with nothing.
  bool lower_to(const Quantity& target, std::vector<PatchStep>& steps) {
    const Quantity sum_now = sum();
    if (sum_now > target) {
      const auto largest =
          std::ranges::max_element(at_once_, {}, [](const Asking& one) { return *one.amount; });
      if (!lower(*largest, sum_now - target, steps)) return false;
    }
    return std::ranges::all_of(before_, [&](const Asking& one) {
      const Quantity now = during(one);
      return now <= target || lower(one, now - target, steps);
    });
  }

 private:
  void note(model::Container& container, std::string_view list, std::size_t index,
            std::vector<Asking>& into) {
    Quantity* amount = find(container.requests, resource_);
    if (amount != nullptr) into.push_back({&container, amount, list, index});
  }

  Quantity sum() const {
    Quantity all;
    for (const Asking& one : at_once_) all = all + *one.amount;
    return all;
  }

  Quantity during(const Asking& init) const {
    Quantity all = *init.amount;
    for (const Asking& one : at_once_) {
      if (one.list == kInitContainers && one.index < init.index) all = all + *one.amount;
    }
    return all;
  }

  bool lower(const Asking& one, const Quantity& less, std::vector<PatchStep>& steps) const {
    if (*one.amount <= less) return false;
    *one.amount = *one.amount - less;
    const Datum left = Datum::of(one.amount->text());
    const std::string name = "/" + pointer_part(resource_);
    steps.push_back({"add", requests_of(one.list, one.index) + name, left});
    // For resources that cannot be overcommitted, limit and request are one.
    Quantity* limit = find(one.container->limits, resource_);
    const bool both =
        resource_.find('/') != std::string::npos || resource_.starts_with("hugepages-");
    if (limit == nullptr || !both) return true;
    *limit = *one.amount;
    steps.push_back(
        {"add", fmt::format("/spec/{}/{}/resources/limits{}", one.list, one.index, name), left});
    return true;
  }

  const std::string& resource_;
  std::vector<Asking> at_once_;  // containers, then sidecars
  std::vector<Asking> before_;   // init containers that end
};

Datum map_of(const model::ResourceList& amounts) {
  std::vector<std::pair<std::string, Datum>> members;
  for (const auto& [name, amount] : amounts) members.emplace_back(name, Datum::of(amount.text()));
  return Datum::object(std::move(members));
}

// A request for a container that was written without any.
void complete_requests(const std::vector<model::Container>& written, std::string_view list,
                       PatchStep& step) {
  for (std::size_t c = 0; c < written.size(); ++c) {
    const std::string requests = requests_of(list, c);
    if (!step.path.starts_with(requests + "/") || has_requests(written[c])) continue;
    model::ResourceList all = written[c].requests;
    Quantity* amount = find(all, named_by(step.path.substr(requests.size() + 1)));
    if (amount == nullptr) continue;
    const auto asked = Quantity::parse(step.value.text);
    TUTTI_CHECK(asked.ok(), step.value.text);
    *amount = *asked;
    step = {"add", requests, map_of(all)};
    return;
  }
}

}  // namespace

std::vector<PodEdit> concessions(const model::PodSpec& spec) {
  std::vector<PodEdit> edits;
  drop_selectors(spec, edits);
  drop_node_affinity(spec, edits);
  drop_pod_terms(spec, &model::PodSpec::affinity, "podAffinity", "affinity to", edits);
  drop_pod_terms(spec, &model::PodSpec::anti_affinity, "podAntiAffinity", "distance from", edits);
  drop_spread(spec, edits);
  drop_host_ports(spec, edits);
  return edits;
}

namespace {

constexpr std::string_view kRequiredTerms = "/requiredDuringSchedulingIgnoredDuringExecution/";

// The number at the end of the path, if it is that of a term of this kind.
std::optional<std::size_t> term_in(std::string_view path, std::string_view kind) {
  const std::string place = fmt::format("/spec/affinity/{}{}", kind, kRequiredTerms);
  if (!path.starts_with(place)) return std::nullopt;
  std::size_t number = 0;
  for (const char digit : path.substr(place.size())) {
    number = 10 * number + static_cast<std::size_t>(digit - '0');
  }
  return number;
}

// Admission merges selectors with labels of the pod where the term asks for it.
bool is_same_term(const model::PodAffinityTerm& written, const model::PodAffinityTerm& now) {
  const bool merged = !written.match_label_keys.empty() || !written.mismatch_label_keys.empty();
  return written.topology_key == now.topology_key && (merged || written.selector == now.selector);
}

bool has_term(const model::PodAffinity& written, const model::PodAffinity& now, std::size_t term) {
  return term < written.required.size() && term < now.required.size() &&
         is_same_term(written.required[term], now.required[term]);
}

}  // namespace

bool removes_what_is_written(const model::PodSpec& written, const model::PodSpec& pod,
                             const PatchStep& step) {
  if (step.op != "remove") return true;
  if (const auto term = term_in(step.path, "podAffinity")) {
    return has_term(written.affinity, pod.affinity, *term);
  }
  if (const auto term = term_in(step.path, "podAntiAffinity")) {
    return has_term(written.anti_affinity, pod.anti_affinity, *term);
  }
  if (step.path.starts_with("/spec/affinity/nodeAffinity/")) {
    return written.node_affinity.required.has_value();
  }
  constexpr std::string_view kSelector = "/spec/nodeSelector/";
  if (!step.path.starts_with(kSelector)) return true;
  const std::string label = named_by(step.path.substr(kSelector.size()));
  return std::ranges::any_of(written.node_selector,
                             [&](const auto& entry) { return entry.first == label; });
}

model::PodSpec without_additions(const model::PodSpec& pod) {
  model::PodSpec spec = pod;
  std::erase_if(spec.tolerations, [](const model::Toleration& toleration) {
    return toleration.toleration_seconds && (toleration.key == "node.kubernetes.io/not-ready" ||
                                             toleration.key == "node.kubernetes.io/unreachable");
  });
  return spec;
}

std::vector<PatchStep> steps_for(const model::PodSpec& written, std::vector<PatchStep> steps) {
  for (PatchStep& step : steps) {
    if (step.op != "add") continue;
    if (step.path == kOneToleration && written.tolerations.empty()) {
      step = {"add", "/spec/tolerations", Datum::list({step.value})};
    }
    complete_requests(written.containers, kContainers, step);
    complete_requests(written.init_containers, kInitContainers, step);
  }
  return steps;
}

PodEdit tolerating(const model::PodSpec& spec, const model::Taint& taint) {
  const std::string value = taint.value.empty() ? "" : "=" + taint.value;
  const std::string effect = taint.effect.empty() ? "" : ":" + taint.effect;
  PodEdit edit{
      "tolerate", fmt::format("tolerate taint {}{}{}", taint.key, value, effect), spec, {}};
  model::Toleration toleration;
  toleration.key = taint.key;
  toleration.value = taint.value;
  toleration.effect = taint.effect;
  edit.spec.tolerations.push_back(std::move(toleration));
  std::vector<std::pair<std::string, Datum>> written = {{"key", Datum::of(taint.key)},
                                                        {"operator", Datum::of("Equal")},
                                                        {"value", Datum::of(taint.value)}};
  if (!taint.effect.empty()) written.emplace_back("effect", Datum::of(taint.effect));
  edit.steps = {{"add", std::string(kOneToleration), Datum::object(std::move(written))}};
  return edit;
}

PodEdit renaming(const model::PodSpec& spec, const std::string& from, const std::string& to) {
  PodEdit edit{"spelling", fmt::format("ask for {} instead of {}", to, from), spec, {}};
  const auto rename = [&](std::vector<model::Container>& containers, std::string_view list) {
    for (std::size_t c = 0; c < containers.size(); ++c) {
      bool any = false;
      for (auto* amounts : {&containers[c].requests, &containers[c].limits}) {
        const auto at =
            std::ranges::find(*amounts, from, [](const auto& one) { return one.first; });
        if (at == amounts->end()) continue;
        at->first = to;
        std::ranges::sort(*amounts, {}, [](const auto& one) { return one.first; });
        any = true;
      }
      if (!any) continue;
      const std::string resources = fmt::format("/spec/{}/{}/resources", list, c);
      edit.steps.push_back({"add", resources + "/requests", map_of(containers[c].requests)});
      if (containers[c].limits.empty()) continue;
      edit.steps.push_back({"add", resources + "/limits", map_of(containers[c].limits)});
    }
  };
  rename(edit.spec.containers, kContainers);
  rename(edit.spec.init_containers, kInitContainers);
  return edit;
}

PodEdit selecting(const model::PodSpec& spec, const std::string& old_key, const std::string& key,
                  const std::string& value) {
  PodEdit edit{"spelling", {}, spec, {}};
  auto& selector = edit.spec.node_selector.edit();
  const auto at = std::ranges::find(selector, old_key, [](const auto& one) { return one.first; });
  TUTTI_CHECK(at != selector.end(), old_key);
  edit.summary =
      fmt::format("select nodes by {}={} instead of {}={}", key, value, old_key, at->second);
  *at = {key, value};
  std::ranges::sort(selector, {}, [](const auto& one) { return one.first; });
  const std::string place = "/spec/nodeSelector/";
  if (key != old_key) edit.steps.push_back({"remove", place + pointer_part(old_key)});
  edit.steps.push_back({"add", place + pointer_part(key), Datum::of(value)});
  return edit;
}

std::optional<PodEdit> asking_less(const model::PodSpec& spec, const std::string& resource,
                                   std::int64_t milli_less) {
  PodEdit edit{"request", {}, spec, {}};
  const Quantity less = Quantity::from_milli(milli_less);
  Requests requests(edit.spec, resource);
  Quantity* of_pod = find(edit.spec.pod_requests, resource);
  const Quantity present = of_pod != nullptr ? *of_pod : requests.total();
  if (present <= less) return std::nullopt;
  const Quantity target = present - less;
  if (of_pod != nullptr) {
    *of_pod = target;
    edit.steps.push_back(
        {"add", "/spec/resources/requests/" + pointer_part(resource), Datum::of(target.text())});
  }
  if (!requests.lower_to(target, edit.steps)) return std::nullopt;
  return edit;
}

}  // namespace tutti::whatif
