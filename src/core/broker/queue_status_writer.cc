#include "core/broker/queue_status_writer.h"

#include <algorithm>

#include "quota/share.h"

namespace tutti::core {
namespace {

using model::FlavorUsage;
using model::QueueStatus;

// Amounts of requests, by flavor and resource.
using Sums = std::map<std::pair<std::string, std::string>, quota::Amount>;

void add(Sums& sums, const quota::FlavorResources& names, const Request& request) {
  for (const quota::Charge& charge : request.charges) {
    sums[{std::string(names.name(names.flavor(charge.of))),
          std::string(names.name(names.resource(charge.of)))}] += charge.amount;
  }
}

bool counts_as_admitted(const Request& request) {
  return request.stage == RequestStage::admitted ||
         (request.stage == RequestStage::releasing &&
          true_condition(*request.object, "Admitted") != nullptr);
}

// What the requests hold of each flavor that the ClusterQueue lists.
std::vector<FlavorUsage> usage_of(const QuotaQueue& queue, const Sums& sums, bool may_borrow) {
  std::vector<FlavorUsage> out;
  for (const model::ResourceGroup& group : queue.object->spec.groups) {
    for (const model::FlavorQuotas& flavor : group.flavors) {
      FlavorUsage usage{.flavor = flavor.flavor, .resources = {}};
      for (const model::QuotaAmount& amount : flavor.amounts) {
        const auto at = sums.find({flavor.flavor, amount.resource});
        const quota::Amount total = at != sums.end() ? at->second : quota::Amount{0};
        const quota::Amount nominal = base_units(amount.resource, amount.nominal);
        const quota::Amount borrowed = may_borrow ? quota::left_of(total, nominal) : 0;
        usage.resources.push_back({amount.resource,
                                   quantity_of(amount.resource, quota::to_int64(total)),
                                   quantity_of(amount.resource, quota::to_int64(borrowed))});
      }
      out.push_back(std::move(usage));
    }
  }
  return out;
}

model::Conditions active(const model::QueueStatus& known, const model::Object& object,
                         const Closure& closure, Instant now) {
  model::Condition condition{.type = "Active",
                             .status = closure ? "False" : "True",
                             .reason = closure ? closure.reason : "Ready",
                             .message = closure ? closure.message : "Can admit new workloads",
                             .last_transition = now,
                             .observed_generation = object.meta.generation};
  if (object.kind == model::Kind::local_queue && !closure) {
    condition.message = "Can submit new workloads to localQueue";
  }
  model::Conditions conditions = known.conditions;
  auto& list = conditions.edit();
  const auto at = std::ranges::find(list, condition.type, &model::Condition::type);
  if (at == list.end()) {
    list.push_back(std::move(condition));
  } else {
    if (at->status == condition.status) condition.last_transition = at->last_transition;
    *at = std::move(condition);
  }
  return conditions;
}

}  // namespace

// Where Kueue is at work it writes them, of whatever tree.
bool QueueStatusWriter::write(Instant now) {
  if (table_.objects().authority().kueue_at_work) {
    seen_ = table_.objects().version();
    table_.take_touched();
    return false;
  }
  const std::set<std::string> touched = table_.take_touched();
  // Shares of all depend on everybody's usage.
  if (seen_ != table_.objects().version() ||
      (!touched.empty() && !table_.config().fair_sharing.empty())) {
    return write_all(now);
  }
  bool any = false;
  for (const std::string& queue : touched) any = write_touched(queue, now) || any;
  return any;
}

bool QueueStatusWriter::write_all(Instant now) {
  seen_ = table_.objects().version();
  locals_.clear();
  bool any = false;
  for (const auto& [name, queue] : table_.objects().queues()) {
    any = write_queue(queue, now) || any;
  }
  for (const auto& [name, local] : table_.objects().local_queues()) {
    locals_.emplace(local->spec.cluster_queue, name);
    any = write_local(local, now) || any;
  }
  for (const auto& [name, cohort] : table_.objects().cohorts()) any = write_cohort(cohort) || any;
  return any;
}

bool QueueStatusWriter::write_touched(const std::string& queue, Instant now) {
  const QuotaQueue* known = table_.objects().queue(queue);
  bool any = known != nullptr && write_queue(*known, now);
  const auto [from, to] = locals_.equal_range(queue);
  for (auto at = from; at != to; ++at) {
    any = write_local(table_.objects().local_queues().at(at->second), now) || any;
  }
  return any;
}

bool QueueStatusWriter::write_queue(const QuotaQueue& queue, Instant now) {
  if (!table_.objects().is_ours(queue.name())) return false;
  const quota::Tree& tree = table_.objects().tree();
  Sums reserved, admitted;
  QueueStatus status = queue.object->status;
  status.reserving = 0;
  status.admitted = 0;
  for (const std::string& name : table_.holding(queue.node)) {
    const Request& request = *table_.find(name);
    add(reserved, tree.flavor_resources(), request);
    ++*status.reserving;
    if (!counts_as_admitted(request)) continue;
    add(admitted, tree.flavor_resources(), request);
    ++*status.admitted;
  }
  status.pending = static_cast<std::int32_t>(table_.waiting(queue.name()).size());
  const bool may_borrow = tree.has_parent(queue.node);
  status.reservation = usage_of(queue, reserved, may_borrow);
  status.usage = usage_of(queue, admitted, may_borrow);
  if (!table_.config().fair_sharing.empty()) {
    status.weighted_share = quota::weighted_share(quota::share_of(tree, queue.node));
  }
  status.conditions = active(status, *queue.object, table_.objects().closure_of(queue), now);
  if (status == queue.object->status) return false;
  auto next = std::make_shared<model::ClusterQueue>(*queue.object);
  next->status = std::move(status);
  table_.objects().set(next);
  port_.update_queue_status(next);
  return true;
}

bool QueueStatusWriter::write_local(const std::shared_ptr<const model::LocalQueue>& local,
                                    Instant now) {
  if (!table_.objects().is_ours(local->spec.cluster_queue)) return false;
  const QuotaQueue* queue = table_.objects().queue(local->spec.cluster_queue);
  QueueStatus status = local->status;
  status.pending = status.reserving = status.admitted = 0;
  Sums reserved, admitted;
  const quota::FlavorResources& names = table_.objects().tree().flavor_resources();
  const auto is_here = [&](const Request& request) {
    return request.object->meta.ns == local->meta.ns &&
           request.object->spec.queue == local->meta.name;
  };
  if (queue != nullptr) {
    for (const std::string& name : table_.holding(queue->node)) {
      const Request& request = *table_.find(name);
      if (!is_here(request)) continue;
      add(reserved, names, request);
      ++*status.reserving;
      if (!counts_as_admitted(request)) continue;
      add(admitted, names, request);
      ++*status.admitted;
    }
    status.reservation = usage_of(*queue, reserved, false);
    status.usage = usage_of(*queue, admitted, false);
  }
  for (const Request* request : table_.waiting(local->spec.cluster_queue)) {
    *status.pending += is_here(*request) ? 1 : 0;
  }
  status.conditions = active(status, *local, table_.objects().closure_of(*local), now);
  if (status == local->status) return false;
  auto next = std::make_shared<model::LocalQueue>(*local);
  next->status = std::move(status);
  table_.objects().set(next);
  port_.update_queue_status(next);
  return true;
}

bool QueueStatusWriter::write_cohort(const std::shared_ptr<const model::Cohort>& cohort) {
  if (table_.config().fair_sharing.empty()) return false;
  const quota::Tree& tree = table_.objects().tree();
  const auto node = tree.find(quota::Tree::Kind::cohort, cohort->meta.name);
  if (!node || !table_.objects().owner_at(tree.root(*node)).ours) return false;
  const std::int64_t share = quota::weighted_share(quota::share_of(tree, *node));
  if (cohort->weighted_share == share) return false;
  auto next = std::make_shared<model::Cohort>(*cohort);
  next->weighted_share = share;
  table_.objects().set(next);
  port_.update_queue_status(next);
  return true;
}

}  // namespace tutti::core
