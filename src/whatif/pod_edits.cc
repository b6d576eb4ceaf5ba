#include "whatif/pod_edits.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "whatif/author.h"

namespace tutti::whatif {
namespace {

using explain::Datum;
using explain::PatchStep;

constexpr std::string_view kOneToleration = "/spec/tolerations/-";

std::string requests_of(std::size_t container) {
  return fmt::format("/spec/containers/{}/resources/requests", container);
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
  if (!spec.node_affinity.required) return;
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

void lower(Quantity& amount, std::int64_t milli_less) {
  amount = amount - Quantity::from_milli(milli_less);
}

// Requests are made of limits when a spec is read, so they tell whether anyone wrote some only if
// there is one beside the limits.
bool has_requests(const model::Container& container) {
  return std::ranges::any_of(container.requests, [&](const auto& request) {
    return std::ranges::find(container.limits, request) == container.limits.end();
  });
}

Datum map_of(const model::ResourceList& amounts) {
  std::vector<std::pair<std::string, Datum>> members;
  for (const auto& [name, amount] : amounts) members.emplace_back(name, Datum::of(amount.text()));
  return Datum::object(std::move(members));
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

std::vector<PatchStep> steps_for(const model::PodSpec& written, std::vector<PatchStep> steps) {
  for (PatchStep& step : steps) {
    if (step.op != "add") continue;
    if (step.path == kOneToleration && written.tolerations.empty()) {
      step = {"add", "/spec/tolerations", Datum::list({step.value})};
    }
    for (std::size_t c = 0; c < written.containers.size(); ++c) {
      const std::string requests = requests_of(c);
      if (!step.path.starts_with(requests + "/") || has_requests(written.containers[c])) continue;
      model::ResourceList all = written.containers[c].requests;
      Quantity* amount = find(all, named_by(step.path.substr(requests.size() + 1)));
      if (amount == nullptr) continue;
      const auto asked = Quantity::parse(step.value.text);
      TUTTI_CHECK(asked.ok(), step.value.text);
      *amount = *asked;
      step = {"add", requests, map_of(all)};
    }
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

std::optional<PodEdit> asking_less(const model::PodSpec& spec, const std::string& resource,
                                   std::int64_t milli_less) {
  PodEdit edit{"request", {}, spec, {}};
  const auto enough = [&](const Quantity& amount) {
    return amount > Quantity::from_milli(milli_less);
  };
  const auto note = [&](const std::string& where, const Quantity& amount) {
    edit.steps.push_back({"add", where + "/" + pointer_part(resource), Datum::of(amount.text())});
  };
  if (Quantity* amount = find(edit.spec.pod_requests, resource)) {
    if (!enough(*amount)) return std::nullopt;
    lower(*amount, milli_less);
    note("/spec/resources/requests", *amount);
    return edit;
  }
  std::size_t largest = edit.spec.containers.size();
  const Quantity* most = nullptr;
  for (std::size_t c = 0; c < edit.spec.containers.size(); ++c) {
    const Quantity* amount = find(edit.spec.containers[c].requests, resource);
    if (amount == nullptr || (most != nullptr && *amount <= *most)) continue;
    most = amount;
    largest = c;
  }
  if (most == nullptr || !enough(*most)) return std::nullopt;
  model::Container& container = edit.spec.containers[largest];
  Quantity* amount = find(container.requests, resource);
  // Of what cannot be overcommitted limit and request are one.
  Quantity* limit = find(container.limits, resource);
  const bool both = limit != nullptr &&
                    (resource.find('/') != std::string::npos || resource.starts_with("hugepages-"));
  lower(*amount, milli_less);
  note(requests_of(largest), *amount);
  if (both) {
    *limit = *amount;
    note(fmt::format("/spec/containers/{}/resources/limits", largest), *amount);
  }
  return edit;
}

}  // namespace tutti::whatif
