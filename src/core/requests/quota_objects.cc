#include "core/requests/quota_objects.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/requests/pod_set_amounts.h"
#include "core/timeline/run_time.h"

namespace tutti::core {
namespace {

using model::Kind;

// In billionths; what is larger than the largest weight counts as that.
quota::Weight weight_of(const Quantity& weight) {
  constexpr double kLargest = 1.8e19;
  const double nano = std::min(weight.approximate() * 1e9, kLargest);
  return {nano <= 0 ? 0 : static_cast<std::uint64_t>(std::round(nano))};
}

quota::Fungibility fungibility_of(const model::FlavorFungibility& from) {
  using When = quota::Fungibility::When;
  using Preference = quota::Fungibility::Preference;
  quota::Fungibility out;
  out.can_borrow = from.stops_when_borrowing ? When::may_stop_search : When::try_next_flavor;
  out.can_preempt = from.stops_when_preempting ? When::may_stop_search : When::try_next_flavor;
  out.preference = from.preference == model::FlavorPreference::preemption_over_borrowing
                       ? Preference::preemption_over_borrowing
                       : Preference::borrowing_over_preemption;
  return out;
}

quota::PreemptionPolicy policy_of(const model::QueuePreemption& from) {
  quota::PreemptionPolicy out;
  out.within_queue = static_cast<quota::PreemptionPolicy::WithinQueue>(from.within);
  out.reclaim = static_cast<quota::PreemptionPolicy::Reclaim>(from.reclaim);
  out.borrow_within_cohort = from.while_borrowing;
  if (from.while_borrowing_up_to) out.threshold = *from.while_borrowing_up_to;
  return out;
}

std::optional<std::int64_t> limit_of(std::string_view resource,
                                     const std::optional<Quantity>& limit) {
  if (!limit) return std::nullopt;
  return std::max<std::int64_t>(0, base_units(resource, *limit));
}

template <typename Map, typename Name>
const auto* find_in(const Map& map, const Name& name) {
  const auto at = map.find(name);
  return at != map.end() ? at->second.get() : nullptr;
}

// Whether both say the same about time.
bool same_words(const model::ObjectMeta& left, const model::ObjectMeta& right) {
  return std::ranges::all_of(std::array{kBackfillAnnotation, kExpectedRuntime},
                             [&](std::string_view key) {
                               const std::string* a = model::find(left.annotations, key);
                               const std::string* b = model::find(right.annotations, key);
                               return a == nullptr || b == nullptr ? a == b : *a == *b;
                             });
}

bool is_active(const model::AdmissionCheck& check) {
  const auto* active = model::find(check.conditions, "Active");
  return active != nullptr && active->status == "True";
}

Closure closed(std::string reason, std::string_view why) {
  return {std::move(reason), fmt::format("Can't admit new workloads: {}.", why)};
}

}  // namespace

bool QuotaObjects::concerns(Kind kind) {
  switch (kind) {
    case Kind::resource_flavor:
    case Kind::cluster_queue:
    case Kind::cohort:
    case Kind::local_queue:
    case Kind::admission_check:
    case Kind::topology:
    case Kind::ns:
      return true;
    default:
      return false;
  }
}

// Statuses are ours, and change nothing.
bool QuotaObjects::says_the_same(const model::Object& object) const {
  const model::ObjectMeta& meta = object.meta;
  const auto same = [&](const auto* known, const auto& spec_of) {
    using T = std::remove_cvref_t<decltype(*known)>;
    return known != nullptr && known->meta.deletion == meta.deletion &&
           same_words(known->meta, meta) &&
           spec_of(*known) == spec_of(static_cast<const T&>(object));
  };
  const auto spec = [](const auto& each) -> const auto& { return each.spec; };
  switch (object.kind) {
    case Kind::cluster_queue: {
      const QuotaQueue* known = queue(meta.name);
      return same(known != nullptr ? known->object.get() : nullptr, spec);
    }
    case Kind::cohort:
      return same(find_in(cohorts_, meta.name), spec);
    case Kind::local_queue:
      return same(local_queue(meta.ns, meta.name), spec);
    case Kind::ns:
      return same(
          find_in(namespaces_, meta.name),
          [](const model::Namespace& each) -> const auto& { return each.meta.labels; });
    default:
      return false;
  }
}

void QuotaObjects::set(const model::ObjectPtr& object) {
  const model::ObjectMeta& meta = object->meta;
  const bool news = !says_the_same(*object);
  switch (object->kind) {
    case Kind::resource_flavor:
      flavors_[meta.name] = std::static_pointer_cast<const model::ResourceFlavor>(object);
      break;
    case Kind::cluster_queue:
      set_queue(std::static_pointer_cast<const model::ClusterQueue>(object));
      break;
    case Kind::cohort:
      set_cohort(std::static_pointer_cast<const model::Cohort>(object));
      break;
    case Kind::local_queue:
      local_queues_[{meta.ns, meta.name}] =
          std::static_pointer_cast<const model::LocalQueue>(object);
      break;
    case Kind::admission_check:
      checks_[meta.name] = std::static_pointer_cast<const model::AdmissionCheck>(object);
      break;
    case Kind::topology:
      topologies_[meta.name] = std::static_pointer_cast<const model::Topology>(object);
      break;
    case Kind::ns:
      namespaces_[meta.name] = std::static_pointer_cast<const model::Namespace>(object);
      break;
    default:
      return;
  }
  if (news) ++version_;
}

void QuotaObjects::remove(const model::ObjectKey& key) {
  switch (key.kind) {
    case Kind::resource_flavor:
      flavors_.erase(key.name);
      break;
    case Kind::cluster_queue:
      if (const QuotaQueue* gone = queue(key.name); gone != nullptr) {
        tree_.remove(gone->node);
        edited_ = true;
        queues_.erase(queues_.find(key.name));
      }
      break;
    case Kind::cohort:
      if (cohorts_.erase(key.name) > 0) {
        tree_.remove(*tree_.find(quota::Tree::Kind::cohort, key.name));
        edited_ = true;
      }
      break;
    case Kind::local_queue:
      local_queues_.erase({key.ns, key.name});
      break;
    case Kind::admission_check:
      checks_.erase(key.name);
      break;
    case Kind::topology:
      topologies_.erase(key.name);
      break;
    case Kind::ns:
      namespaces_.erase(key.name);
      break;
    default:
      return;
  }
  ++version_;
}

std::vector<quota::Quota> QuotaObjects::quotas_of(std::span<const model::ResourceGroup> groups) {
  std::vector<quota::Quota> quotas;
  for (const model::ResourceGroup& group : groups) {
    for (const model::FlavorQuotas& flavor : group.flavors) {
      for (const model::QuotaAmount& amount : flavor.amounts) {
        const std::string& resource = amount.resource;
        quotas.push_back(
            {.of = tree_.flavor_resources().intern(flavor.flavor, resource),
             .nominal = std::max<std::int64_t>(0, base_units(resource, amount.nominal)),
             .borrowing_limit = limit_of(resource, amount.borrowing_limit),
             .lending_limit = limit_of(resource, amount.lending_limit)});
      }
    }
  }
  return quotas;
}

void QuotaObjects::set_queue(std::shared_ptr<const model::ClusterQueue> object) {
  const model::ClusterQueueSpec& spec = object->spec;
  QuotaQueue& queue = queues_[object->meta.name];
  const bool same = queue.object != nullptr && queue.object->spec == spec;
  queue.object = object;
  if (same) return;
  queue.fungibility = fungibility_of(spec.fungibility);
  queue.preemption = policy_of(spec.preemption);
  queue.strict = spec.strategy == model::QueueingStrategy::strict_fifo;
  queue.node = tree_.put(
      quota::Tree::Kind::queue, object->meta.name,
      {.parent = spec.cohort, .quotas = quotas_of(spec.groups), .weight = weight_of(spec.weight)});
  edited_ = true;
}

void QuotaObjects::set_cohort(std::shared_ptr<const model::Cohort> object) {
  auto& cohort = cohorts_[object->meta.name];
  const bool same = cohort != nullptr && cohort->spec == object->spec;
  cohort = object;
  if (same) return;
  const model::CohortSpec& spec = object->spec;
  tree_.put(
      quota::Tree::Kind::cohort, object->meta.name,
      {.parent = spec.parent, .quotas = quotas_of(spec.groups), .weight = weight_of(spec.weight)});
  edited_ = true;
}

const quota::Tree& QuotaObjects::tree() const {
  if (std::exchange(edited_, false)) tree_.settle();
  return tree_;
}

quota::Tree& QuotaObjects::tree() {
  std::as_const(*this).tree();
  return tree_;
}

const QuotaQueue* QuotaObjects::queue(std::string_view name) const {
  const auto at = queues_.find(name);
  return at != queues_.end() ? &at->second : nullptr;
}

const QuotaQueue* QuotaObjects::queue_at(quota::QuotaNodeId node) const {
  return queue(tree_.name(node));
}

const model::LocalQueue* QuotaObjects::local_queue(std::string_view ns,
                                                   std::string_view name) const {
  return find_in(local_queues_, std::pair(std::string(ns), std::string(name)));
}

const model::ResourceFlavor* QuotaObjects::flavor(std::string_view name) const {
  return find_in(flavors_, name);
}

const model::AdmissionCheck* QuotaObjects::check(std::string_view name) const {
  return find_in(checks_, name);
}

const model::Topology* QuotaObjects::topology(std::string_view name) const {
  return find_in(topologies_, name);
}

const model::Labels& QuotaObjects::labels_of_namespace(std::string_view name) const {
  static const model::Labels kNone;
  const auto at = namespaces_.find(name);
  return at != namespaces_.end() ? at->second->meta.labels : kNone;
}

Closure QuotaObjects::closure_of(const QuotaQueue& queue) {
  const model::ClusterQueue& object = *queue.object;
  if (object.meta.deletion) return closed("Terminating", "clusterQueue is terminating");
  if (object.spec.stop != model::StopPolicy::none) return closed("Stopped", "is stopped");
  std::vector<std::string> flavors, checks, idle_checks, topologies;
  for (const model::ResourceGroup& group : object.spec.groups) {
    for (const model::FlavorQuotas& quotas : group.flavors) {
      const model::ResourceFlavor* known = flavor(quotas.flavor);
      if (known == nullptr) flavors.push_back(quotas.flavor);
      if (known == nullptr || known->topology.empty()) continue;
      if (topology(known->topology) == nullptr) topologies.push_back(known->topology);
    }
  }
  for (const model::AdmissionCheckRule& rule : object.spec.checks) {
    const model::AdmissionCheck* known = check(rule.check);
    if (known == nullptr) checks.push_back(rule.check);
    if (known != nullptr && !is_active(*known)) idle_checks.push_back(rule.check);
  }
  if (!flavors.empty()) {
    return closed("FlavorNotFound",
                  fmt::format("references missing ResourceFlavor(s): {}", fmt::join(flavors, ",")));
  }
  if (!checks.empty()) {
    return closed("AdmissionCheckNotFound",
                  fmt::format("references missing AdmissionCheck(s): {}", fmt::join(checks, ",")));
  }
  if (!idle_checks.empty()) {
    return closed("AdmissionCheckInactive", fmt::format("references inactive AdmissionCheck(s): {}",
                                                        fmt::join(idle_checks, ",")));
  }
  if (!topologies.empty()) {
    return closed("TopologyNotFound",
                  fmt::format("there is no Topology {}", fmt::join(topologies, ",")));
  }
  if (!tree().active(queue.node)) {
    return closed("CohortCycle", fmt::format("cohort {} is its own ancestor", object.spec.cohort));
  }
  return {};
}

Closure QuotaObjects::closure_of(const model::LocalQueue& local) {
  if (local.spec.stop != model::StopPolicy::none) {
    return {"LocalQueueStopped", "Can't submit new workloads to stopped localQueue"};
  }
  const QuotaQueue* above = queue(local.spec.cluster_queue);
  if (above == nullptr) {
    return {"ClusterQueueDoesNotExist", "Can't submit new workloads to clusterQueue"};
  }
  if (closure_of(*above)) {
    return {"ClusterQueueIsInactive", "Can't submit new workloads to clusterQueue"};
  }
  return {};
}

bool QuotaObjects::is_all_topology(const QuotaQueue& queue) const {
  return std::ranges::all_of(queue.object->spec.groups, [&](const model::ResourceGroup& group) {
    return std::ranges::all_of(group.flavors, [&](const model::FlavorQuotas& quotas) {
      const model::ResourceFlavor* known = flavor(quotas.flavor);
      return known != nullptr && !known->topology.empty();
    });
  });
}

}  // namespace tutti::core
