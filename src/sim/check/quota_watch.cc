#include "sim/check/quota_watch.h"

#include <fmt/format.h>

#include <algorithm>

namespace tutti::sim {
namespace {

using model::AdmissionRequest;
using model::ClusterQueue;
using model::Cohort;
using model::Kind;

std::string queue_named(const std::string& name) { return "ClusterQueue " + name; }
std::string cohort_named(const std::string& name) { return "Cohort " + name; }

Quantity at_least_zero(const Quantity& amount) { return amount.negative() ? Quantity() : amount; }

bool holds_quota(const AdmissionRequest& request) {
  return model::has_quota(request) && request.status.admission &&
         !model::has_condition(request, "Finished");
}

// What is left of the usage of a set, some of whose pods have ended for good.
Quantity still_used(const AdmissionRequest& request, const model::PodSetAssignment& assigned,
                    const Quantity& usage) {
  const auto& ended = request.status.reclaimable;
  const auto at = std::ranges::find(ended, assigned.pod_set, &model::ReclaimablePods::pod_set);
  const auto set = std::ranges::find(request.spec.pod_sets, assigned.pod_set, &model::PodSet::name);
  if (at == ended.end() || set == request.spec.pod_sets.end()) return usage;
  const std::int64_t count = assigned.count.value_or(set->count);
  if (count == 0) return usage;
  const std::int64_t left = std::clamp<std::int64_t>(set->count - at->count, 0, count);
  return Quantity::from_milli(usage.milli() / count * left);
}

}  // namespace

std::string QuotaWatch::observe(const store::WatchEvent& event) {
  const std::string& name = event.object().meta.name;
  switch (event.object().kind) {
    case Kind::cluster_queue:
      observe_node<ClusterQueue>(
          event, queue_named(name),
          event.after ? model::as<ClusterQueue>(*event.after).spec.cohort : std::string());
      return {};
    case Kind::cohort:
      observe_node<Cohort>(
          event, cohort_named(name),
          event.after ? model::as<Cohort>(*event.after).spec.parent : std::string());
      return {};
    case Kind::admission_request:
      return observe_request(event);
    default:
      return {};
  }
}

template <typename T>
void QuotaWatch::observe_node(const store::WatchEvent& event, const std::string& name,
                              const std::string& parent) {
  Node& node = nodes_[name];
  if (!node.parent.empty()) nodes_[node.parent].children.erase(name);
  node.parent.clear();
  node.limits.clear();
  if (!event.after) return;
  for (const auto& group : model::as<T>(*event.after).spec.groups) {
    for (const auto& flavor : group.flavors) {
      for (const auto& amount : flavor.amounts) {
        node.limits[{flavor.flavor, amount.resource}] = {amount.nominal, amount.borrowing_limit,
                                                         amount.lending_limit};
      }
    }
  }
  if (parent.empty()) return;
  node.parent = cohort_named(parent);
  nodes_[node.parent].children.insert(name);
}

std::string QuotaWatch::observe_request(const store::WatchEvent& event) {
  const auto* before = event.before ? &model::as<AdmissionRequest>(*event.before) : nullptr;
  const auto* after = event.after ? &model::as<AdmissionRequest>(*event.after) : nullptr;
  const bool held = before != nullptr && holds_quota(*before);
  const bool holds = after != nullptr && holds_quota(*after);
  if (held) count(*before, false);
  if (holds) count(*after, true);
  if (after != nullptr && after->status.admission && !model::has_quota(*after) &&
      before != nullptr && model::has_quota(*before)) {
    return fmt::format("{} lost its quota and kept its admission", model::describe(*after));
  }
  return before != nullptr && !held && holds ? check_admission(*after) : std::string();
}

void QuotaWatch::count(const AdmissionRequest& request, bool more) {
  Amounts& sums = nodes_[queue_named(request.status.admission->cluster_queue)].usage;
  for (const auto& set : request.status.admission->pod_sets) {
    for (const auto& [resource, amount] : set.usage) {
      const std::string* flavor = model::find(set.flavors, resource);
      if (flavor == nullptr) continue;
      Quantity& sum = sums[{*flavor, resource}];
      const Quantity used = still_used(request, set, amount);
      sum = more ? sum + used : sum - used;
    }
  }
}

std::string QuotaWatch::check_admission(const AdmissionRequest& request) const {
  const std::string queue = queue_named(request.status.admission->cluster_queue);
  for (const auto& set : request.status.admission->pod_sets) {
    for (const auto& [resource, amount] : set.usage) {
      const std::string* flavor = model::find(set.flavors, resource);
      if (flavor == nullptr || amount.zero()) continue;
      const FlavorResource of{*flavor, resource};
      if (limits(queue, of) != nullptr && !on_a_cycle(queue) && !available(queue, of).negative()) {
        continue;
      }
      return fmt::format("{} was admitted beyond the quota of {} for {} of flavor {}",
                         model::describe(request), queue, resource, *flavor);
    }
  }
  return {};
}

bool QuotaWatch::on_a_cycle(const std::string& node) const {
  const std::string* at = &nodes_.at(node).parent;
  for (std::size_t steps = 0; !at->empty(); ++steps) {
    if (steps > nodes_.size()) return true;
    at = &nodes_.at(*at).parent;
  }
  return false;
}

const QuotaWatch::Limits* QuotaWatch::limits(const std::string& node,
                                             const FlavorResource& of) const {
  const auto& all = nodes_.at(node).limits;
  const auto at = all.find(of);
  return at != all.end() ? &at->second : nullptr;
}

// With what the children give to others.
Quantity QuotaWatch::subtree(const std::string& node, const FlavorResource& of) const {
  const Limits* own = limits(node, of);
  Quantity sum = own != nullptr ? own->nominal : Quantity();
  for (const std::string& child : nodes_.at(node).children) {
    sum = sum + (subtree(child, of) - kept_back(child, of));
  }
  return sum;
}

// What is never lent.
Quantity QuotaWatch::kept_back(const std::string& node, const FlavorResource& of) const {
  const Limits* own = limits(node, of);
  if (own == nullptr || !own->lending) return {};
  return at_least_zero(subtree(node, of) - *own->lending);
}

Quantity QuotaWatch::usage(const std::string& node, const FlavorResource& of) const {
  const Node& at = nodes_.at(node);
  const auto own = at.usage.find(of);
  Quantity sum = own != at.usage.end() ? own->second : Quantity();
  for (const std::string& child : at.children) sum = sum + shown(child, of);
  return sum;
}

// What those above see of the usage.
Quantity QuotaWatch::shown(const std::string& node, const FlavorResource& of) const {
  return at_least_zero(usage(node, of) - kept_back(node, of));
}

// What may still be used; negative: too much is.
Quantity QuotaWatch::available(const std::string& node, const FlavorResource& of) const {
  const std::string& parent = nodes_.at(node).parent;
  if (parent.empty()) return subtree(node, of) - usage(node, of);
  Quantity above = available(parent, of);
  const Limits* own = limits(node, of);
  if (own != nullptr && own->borrowing) {
    const Quantity may_borrow =
        subtree(node, of) - kept_back(node, of) - shown(node, of) + *own->borrowing;
    above = std::min(above, may_borrow);
  }
  return at_least_zero(kept_back(node, of) - usage(node, of)) + above;
}

}  // namespace tutti::sim
