#include "core/broker/broker.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "core/topology/topology_request.h"

namespace tutti::core {
namespace {

constexpr std::string_view kRequestAnnotation = "kueue.x-k8s.io/workload";

ResourceAmounts usage_of(const model::PodSetAssignment& assignment) {
  ResourceAmounts usage;
  for (const auto& [resource, amount] : assignment.usage) {
    usage[resource] = base_units(resource, amount);
  }
  return usage;
}

// The promise that an admission written by someone else makes.
std::vector<PodSetPromise> promise_of(const model::AdmissionRequest& object) {
  std::vector<PodSetPromise> promise;
  for (const model::PodSet& set : object.spec.pod_sets) {
    PodSetPromise& made = promise.emplace_back(PodSetPromise{.count = set.count});
    const auto& all = object.status.admission->pod_sets;
    const auto at = std::ranges::find(all, set.name, &model::PodSetAssignment::pod_set);
    if (at == all.end()) continue;
    made.count = at->count.value_or(set.count);
    for (const auto& [resource, flavor] : at->flavors) made.flavors[resource] = flavor;
    made.usage = usage_of(*at);
    made.topology = at->topology;
  }
  return promise;
}

// What is charged for a promise, less what has ended for good.
std::vector<quota::Charge> charges_of(quota::Tree& tree, const model::AdmissionRequest& object,
                                      std::span<const PodSetPromise> promise) {
  std::map<std::pair<std::string, std::string>, quota::Amount> sums;
  for (std::size_t i = 0; i < promise.size(); ++i) {
    const std::int64_t count = promise[i].count;
    const std::int64_t left = left_to_run(object, object.spec.pod_sets[i], count);
    for (const auto& [resource, amount] : promise[i].usage) {
      const auto flavor = promise[i].flavors.find(resource);
      if (flavor == promise[i].flavors.end()) continue;
      const quota::Amount charged =
          count > 0 ? quota::Amount{amount} * left / count : quota::Amount{amount};
      sums[{flavor->second, resource}] += charged;
    }
  }
  std::vector<quota::Charge> charges;
  for (const auto& [pair, amount] : sums) {
    charges.push_back(
        {tree.flavor_resources().intern(pair.first, pair.second), quota::to_int64(amount)});
  }
  return charges;
}

}  // namespace

Broker::Broker(SchedulerState& state, Cycle& cycle, DecisionLog& decisions, ClusterPort& port,
               RoomMaker& room, const QuotaConfig& config, const BrokerArgs& args)
    : state_(state),
      table_(config),
      phantoms_(state),
      writer_(decisions, port),
      eviction_(state, table_, phantoms_, writer_),
      assignments_(table_),
      backfill_(state, cycle, table_, phantoms_, writer_, args.backfill),
      admission_(state, cycle, table_, phantoms_, eviction_, writer_, room, backfill_),
      turns_(table_, assignments_, &backfill_),
      queue_status_(table_, port) {}

// --- observation ---------------------------------------------------------------------------------

bool Broker::concerns(model::Kind kind) {
  return kind == model::Kind::admission_request || QuotaObjects::concerns(kind);
}

void Broker::observe(const Observation& observation, Instant now) {
  if (observation.object->kind == model::Kind::admission_request) {
    return observe_request(observation, now);
  }
  const model::ObjectKey key = model::key_of(*observation.object);
  QuotaObjects& objects = table_.objects();
  if (observation.type != Observation::Type::deleted) {
    const bool new_queue =
        key.kind == model::Kind::cluster_queue && objects.queue(key.name) == nullptr;
    objects.set(observation.object);
    if (new_queue) adopt_all_of(key.name, now);
  } else {
    if (const QuotaQueue* gone =
            key.kind == model::Kind::cluster_queue ? objects.queue(key.name) : nullptr) {
      const std::set<std::string> holders = table_.holding(gone->node);
      for (const std::string& name : holders) request_gone(*table_.find(name), now);
    }
    objects.remove(key);
  }
  if (key.kind == model::Kind::local_queue) table_.resolve_all();
}

void Broker::observe_request(const Observation& observation, Instant now) {
  auto object = std::static_pointer_cast<const model::AdmissionRequest>(observation.object);
  const std::string name = object->meta.ns + "/" + object->meta.name;
  Request* known = table_.find(name);
  const bool same = known != nullptr && known->object->meta.uid == object->meta.uid;
  if (observation.type == Observation::Type::deleted) {
    if (!same) {
      successors_.erase(name);
    } else {
      gone_.insert(name);
      request_gone(*known, now);
    }
    return;
  }
  if (known == nullptr || same) return take_on(std::move(object), now);
  // The pods of its predecessor have to go first.
  successors_.insert_or_assign(name, std::move(object));
  gone_.insert(name);
  request_gone(*known, now);
}

void Broker::take_on(std::shared_ptr<const model::AdmissionRequest> object, Instant now) {
  const std::string name = object->meta.ns + "/" + object->meta.name;
  const bool fresh = table_.find(name) == nullptr;
  Request& request = table_.put(std::move(object));
  if (fresh) {
    const auto [from, to] = orphans_.equal_range(name);
    for (auto at = from; at != to; ++at) table_.add_pod(request, at->second);
    orphans_.erase(name);
    adopt(request, now);
  }
  follow(request, now);
  watch_time_of(name);
}

// Takes on what a request was given before this scheduler knew it.
void Broker::adopt(Request& request, Instant now) {
  const model::AdmissionRequest& object = *request.object;
  if (true_condition(object, "Finished") != nullptr) {
    request.finished = true;
    table_.reorder(request, [] {});
    return;
  }
  if (object.status.requeue && object.status.requeue->at) {
    table_.reorder(request, [&] { request.not_before = *object.status.requeue->at; });
  }
  if (!model::has_quota(object) || !object.status.admission) return;
  const QuotaQueue* queue = table_.objects().queue(object.status.admission->cluster_queue);
  if (queue == nullptr) return;
  auto promise = promise_of(object);
  auto charges = charges_of(table_.objects().tree(), object, promise);
  const model::Condition* admitted = true_condition(object, "Admitted");
  const model::Condition* reserved = true_condition(object, "QuotaReserved");
  table_.charge(request, *queue, std::move(charges), std::move(promise),
                admitted != nullptr ? RequestStage::admitted : RequestStage::reserved,
                reserved->last_transition.value_or(now));
  request.admitted_at = admitted != nullptr ? admitted->last_transition.value_or(now) : Instant{};
  if (true_condition(object, "Evicted") != nullptr) {
    table_.advance(request, RequestStage::releasing);
  }
  to_seat_.insert(request.name);
}

// Workloads may be seen before the queue that admitted them.
void Broker::adopt_all_of(const std::string& queue, Instant now) {
  std::vector<Request*> promised;
  for (const auto& [name, request] : table_.all()) {
    const auto& admission = request->object->status.admission;
    const bool here = admission && admission->cluster_queue == queue;
    if (here && !request->holds() && !request->finished) promised.push_back(request.get());
  }
  for (Request* request : promised) {
    adopt(*request, now);
    watch_time_of(request->name);
  }
}

void Broker::follow(Request& request, Instant now) {
  const model::AdmissionRequest& object = *request.object;
  if (true_condition(object, "Finished") != nullptr) {
    if (!request.finished) eviction_.end(request, now);
    return;
  }
  if (!request.holds()) return;
  if (!object.spec.active) {
    return eviction_.evict(
        request, {.reason = "Deactivated", .message = "The workload is deactivated"}, now);
  }
  if (request.stage == RequestStage::reserved) follow_checks(request, now);
  if (request.holds()) follow_reclaimable(request, now);
}

void Broker::follow_checks(Request& request, Instant now) {
  using State = model::CheckState;
  bool all_ready = true;
  for (const std::string& check : admission_.checks_of(request)) {
    const auto& states = request.object->status.checks;
    const auto at = std::ranges::find(states, check, &model::AdmissionCheckState::check);
    const State state = at != states.end() ? at->state : State::pending;
    all_ready = all_ready && state == State::ready;
    if (state != State::retry && state != State::rejected) continue;
    if (state == State::retry && at->requeue_after_seconds) {
      request.not_before = later(now, std::chrono::seconds(*at->requeue_after_seconds));
    }
    if (state == State::rejected) {
      writer_.deactivate(request, request.object->status);
      return eviction_.evict(
          request,
          {.reason = "Deactivated",
           .message =
               fmt::format("Deactivated: admission check {} rejected it: {}", check, at->message)},
          now);
    }
    return eviction_.evict(request,
                           {.reason = "AdmissionCheck",
                            .message = fmt::format("At least one admission check is false: {}: {}",
                                                   check, at->message)},
                           now);
  }
  if (!all_ready) return;
  table_.advance(request, RequestStage::admitted);
  request.admitted_at = now;
  writer_.write(request, status_admitted(request, now));
  writer_.event(request, "Normal", "Admitted", "Admitted by ClusterQueue " + request.queue);
}

void Broker::follow_reclaimable(Request& request, Instant now) {
  if (request.object->status.reclaimable.empty() || request.stage == RequestStage::preempting) {
    return;
  }
  table_.recharge(request, charges_of(table_.objects().tree(), *request.object, request.promise));
  PhantomGang* gang = phantoms_.find(request.name);
  if (gang == nullptr) return;
  const auto& sets = request.object->spec.pod_sets;
  std::vector<PodId> surplus;
  for (std::size_t i = 0; i < gang->sets.size(); ++i) {
    const std::int64_t wanted = left_to_run(*request.object, sets[i], request.promise[i].count);
    std::int64_t live = 0;
    for (const PodId pod : request.pods) {
      const std::string_view set = pod_set_of(*state_.cluster.pod(pod).object);
      live += set == sets[i].name || (set.empty() && sets.size() == 1) ? 1 : 0;
    }
    const auto& pods = gang->sets[i].pods;
    const std::int64_t too_many = static_cast<std::int64_t>(pods.size()) + live - wanted;
    for (std::int64_t n = 0; n < std::min<std::int64_t>(too_many, std::ssize(pods)); ++n) {
      surplus.push_back(pods[pods.size() - 1 - static_cast<std::size_t>(n)]);
    }
  }
  for (const PodId pod : surplus) {
    const PodEntry entry = state_.cluster.pod(pod);
    phantoms_.remove(pod);
    if (!entry.node.valid()) continue;
    state_.cluster.raise_observed_version();
    state_.queue.wake(
        {.kinds = EventKind::pod_removed, .node = entry.node, .pod = entry.object.get()}, now);
  }
}

// A request that is gone keeps its quota until its pods are gone; nobody will hear of it again.
void Broker::request_gone(Request& request, Instant now) {
  to_seat_.erase(request.name);
  assignments_.forget(request.name);
  eviction_.end(request, now);
  if (request.holds() || !gone_.contains(request.name)) return;
  const std::string name = request.name;
  gone_.erase(name);
  phantoms_.remove_all(name);
  table_.erase(request);
  if (auto next = successors_.extract(name); !next.empty()) take_on(std::move(next.mapped()), now);
}

// --- pods ----------------------------------------------------------------------------------------

void Broker::pod_seen(PodId pod) {
  backfill_.pod_seen(pod);
  const model::Pod& object = *state_.cluster.pod(pod).object;
  if (object.meta.annotations.empty() || table_.request_of(pod) != nullptr) return;
  const std::string* name = model::find(object.meta.annotations, kRequestAnnotation);
  if (name == nullptr) return;
  if (Request* request = table_.find(object.meta.ns, *name)) {
    table_.add_pod(*request, pod);
  } else {
    const std::string full = object.meta.ns + "/" + *name;
    const auto [from, to] = orphans_.equal_range(full);
    if (std::none_of(from, to, [&](const auto& each) { return each.second == pod; })) {
      orphans_.emplace(full, pod);
    }
  }
}

void Broker::pod_gone(PodId pod, Instant now) {
  backfill_.pod_gone(pod);
  Request* request = table_.remove_pod(pod);
  if (request == nullptr) {
    if (!orphans_.empty()) {
      std::erase_if(orphans_, [&](const auto& each) { return each.second == pod; });
    }
    return;
  }
  if (!eviction_.release_if_empty(*request, now)) return;
  if (gone_.contains(request->name)) request_gone(*request, now);
}

void Broker::abandon(NodeId node) {
  backfill_.node_lost();
  for (const auto& [request, pod] : phantoms_.on_node(node)) phantoms_.remove(pod);
}

const Request* Broker::request_behind(PodId pod) const {
  if (const std::string* name = phantoms_.request_of(pod)) {
    const auto at = table_.all().find(*name);
    return at != table_.all().end() ? at->second.get() : nullptr;
  }
  return table_.request_of(pod);
}

bool Broker::is_off_limits(const Entity& preemptor, PodId pod) {
  if (phantoms_.request_of(pod) != nullptr) return true;
  const Request* victim = table_.request_of(pod);
  if (victim == nullptr || !victim->charged_to.valid() || preemptor.members.empty()) return false;
  const Request* asker = request_behind(preemptor.members.begin()->first);
  if (asker == nullptr) return false;
  QuotaObjects& objects = table_.objects();
  const QuotaQueue* queue = objects.queue(asker->queue);
  return queue != nullptr && objects.root_of(queue->node) == objects.root_of(victim->charged_to);
}

std::vector<Broker::Seat> Broker::seats_for(const Entity& entity) {
  std::vector<Seat> seats;
  if (phantoms_.all().empty()) return seats;
  std::set<PodId> given;
  std::vector<PodId> late;
  const auto places_of = [&](PodId pod) -> const std::vector<PodId>* {
    const Request* request = table_.request_of(pod);
    PhantomGang* gang = request != nullptr ? phantoms_.find(request->name) : nullptr;
    if (gang == nullptr || request->stage == RequestStage::preempting) return nullptr;
    const std::string_view set = pod_set_of(*state_.cluster.pod(pod).object);
    const auto& sets = request->object->spec.pod_sets;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      if (set == sets[i].name || (set.empty() && sets.size() == 1)) return &gang->sets[i].pods;
    }
    return nullptr;
  };
  const auto give = [&](PodId pod, PodId phantom) {
    const NodeId node = state_.cluster.pod(phantom).node;
    if (!node.valid() || !given.insert(phantom).second) return false;
    seats.push_back({pod, phantom, node});
    return true;
  };
  for (const auto& [pod, member] : entity.members) {
    const auto* places = places_of(pod);
    if (places == nullptr) continue;
    const auto rank = rank_of(*state_.cluster.pod(pod).object);
    const auto same = std::ranges::find_if(*places, [&](PodId phantom) {
      return rank && rank_of(*state_.cluster.pod(phantom).object) == rank;
    });
    if (same == places->end() || !give(pod, *same)) late.push_back(pod);
  }
  for (const PodId pod : late) {
    for (const PodId phantom : *places_of(pod)) {
      if (give(pod, phantom)) break;
    }
  }
  return seats;
}

void Broker::lift(std::span<const Seat> seats) {
  for (const Seat& seat : seats) phantoms_.lift(seat.phantom);
}

void Broker::put_back(std::span<const Seat> seats) {
  for (const Seat& seat : seats) phantoms_.put_back(seat.phantom, seat.node);
}

void Broker::taken(std::span<const Seat> seats) {
  const std::uint64_t before = state_.cluster.versions().observed;
  for (const Seat& seat : seats) phantoms_.remove(seat.phantom);
  state_.queue.tried_against(before, state_.cluster.versions().observed);
}

// --- time ----------------------------------------------------------------------------------------

bool Broker::act(Instant now) {
  if (idle()) return false;
  if (stops_looked_at_ != table_.objects().version()) stop_where_asked(now);
  end_block();
  if (seat_adopted(now)) return true;
  if (free_preemptors(now)) return true;
  if (act_on_time(now)) return true;
  backfill_.act(now);
  return false;
}

// Queues that are stopped, or drained, send away what they admitted.
void Broker::stop_where_asked(Instant now) {
  stops_looked_at_ = table_.objects().version();
  std::vector<Request*> holders;
  for (const auto& [name, request] : table_.all()) {
    if (request->holds() && request->stage != RequestStage::releasing) {
      holders.push_back(request.get());
    }
  }
  using model::StopPolicy;
  const auto leaves = [](StopPolicy stop, RequestStage stage) {
    return stop == StopPolicy::hold_and_drain ||
           (stop == StopPolicy::hold && stage != RequestStage::admitted);
  };
  for (Request* request : holders) {
    const QuotaQueue* queue = table_.objects().queue(request->queue);
    const auto* local =
        table_.objects().local_queue(request->object->meta.ns, request->object->spec.queue);
    if (queue != nullptr && leaves(queue->object->spec.stop, request->stage)) {
      eviction_.evict(*request,
                      {.reason = "ClusterQueueStopped", .message = "The ClusterQueue is stopped"},
                      now);
    } else if (local != nullptr && leaves(local->spec.stop, request->stage)) {
      eviction_.evict(*request,
                      {.reason = "LocalQueueStopped", .message = "The LocalQueue is stopped"}, now);
    }
  }
}

// Where nobody is admitted before everybody is ready, they may be when that is so.
void Broker::end_block() {
  const auto& limits = table_.config().pods_ready;
  if (!limits || !limits->blocks_admission) return;
  const bool blocked = table_.first_unready() != nullptr;
  if (std::exchange(blocked_, blocked) && !blocked) table_.unpark();
}

bool Broker::seat_adopted(Instant now) {
  if (to_seat_.empty()) return false;
  const auto all = std::exchange(to_seat_, {});
  for (const std::string& name : all) {
    Request* request = table_.find(name);
    if (request == nullptr || !request->holds()) continue;
    if (request->stage != RequestStage::releasing) {
      admission_.seat(*request, now);
    } else {
      eviction_.release_if_empty(*request, now);
    }
  }
  return true;
}

// Whether somebody whose quota or room the request is to get has not left yet.
bool Broker::waits_for_victims(const Request& request) const {
  return std::ranges::any_of(request.victims, [&](const std::string& victim) {
    const auto other = table_.all().find(victim);
    return other != table_.all().end() && other->second->stage == RequestStage::releasing;
  });
}

bool Broker::free_preemptors(Instant now) {
  std::vector<Request*> ready;
  for (const std::string& name : table_.preempting()) {
    Request* request = table_.find(name);
    if (!waits_for_victims(*request)) ready.push_back(request);
  }
  std::ranges::sort(ready, WaitingLine::InQueue{});
  for (Request* request : ready) {
    if (request->stage == RequestStage::preempting) admission_.take_held(*request, now);
  }
  return !ready.empty();
}

// Whether somebody is expected to make its pods ready in time.
bool Broker::watches_pods(const Request& request) const {
  return table_.config().pods_ready && request.stage == RequestStage::admitted &&
         !request.object->meta.owners.empty();
}

std::optional<Instant> Broker::deadline_of(const Request& request) const {
  std::optional<Instant> due;
  const auto consider = [&](std::optional<Instant> at) {
    if (at) due = std::min(due.value_or(*at), *at);
  };
  if (!request.holds() && !request.finished) consider(request.not_before);
  if (request.holds()) consider(request.protected_until);
  if (request.holds()) consider(request.yields_at);
  if (request.stage != RequestStage::admitted) return due;
  const model::AdmissionRequest& object = *request.object;
  if (object.spec.max_execution_seconds) {
    const std::int64_t left =
        *object.spec.max_execution_seconds - object.status.past_execution_seconds.value_or(0);
    consider(later(request.admitted_at, std::chrono::seconds(std::max<std::int64_t>(0, left))));
  }
  if (watches_pods(request)) {
    const model::Condition* ready = model::find(object.status.conditions, "PodsReady");
    const auto& limits = *table_.config().pods_ready;
    const bool was_ready = ready != nullptr && ready->status == "False" && ready->last_transition &&
                           *ready->last_transition > request.admitted_at &&
                           ready->reason != "WaitForStart";
    if (ready == nullptr || (ready->status == "False" && !was_ready)) {
      consider(later(request.admitted_at, limits.timeout));
    } else if (was_ready && limits.recovery_timeout > Millis(0)) {
      consider(later(*ready->last_transition, limits.recovery_timeout));
    }
  }
  return due;
}

void Broker::watch_time_of(const std::string& name) {
  const Request* request = table_.find(name);
  const auto due = request != nullptr ? deadline_of(*request) : std::nullopt;
  if (const auto known = due_.find(name); known != due_.end()) {
    timed_.erase({known->second, name});
    due_.erase(known);
  }
  if (!due) return;
  due_.emplace(name, *due);
  timed_.emplace(*due, name);
}

bool Broker::act_on_time(Instant now) {
  bool any = false;
  while (!timed_.empty() && timed_.begin()->first <= now) {
    const std::string name = timed_.begin()->second;
    Request* request = table_.find(name);
    const auto due = request != nullptr ? deadline_of(*request) : std::nullopt;
    if (due && *due <= now) {
      any = true;
      if (request->holds()) {
        time_out(*request, now);
      } else {
        table_.reorder(*request, [&] { request->not_before.reset(); });
      }
    }
    watch_time_of(name);
  }
  return any;
}

// It was let pass somebody because of an estimate, which was wrong.
void Broker::give_way(Request& request, Instant now) {
  request.yields_at.reset();
  if (backfill_.find(request.yields_to) == nullptr) return;
  eviction_.evict(request,
                  {.reason = "Preempted",
                   .message = fmt::format("Gives way to {}, which was promised this start: it runs "
                                          "longer than was expected",
                                          request.yields_to),
                   .cause = "BackfillYield",
                   .by = request.yields_to},
                  now);
}

void Broker::time_out(Request& request, Instant now) {
  if (request.yields_at && *request.yields_at <= now) return give_way(request, now);
  if (request.protected_until && *request.protected_until <= now) {
    return table_.end_protection(request);
  }
  const model::AdmissionRequest& object = *request.object;
  const bool spent =
      object.spec.max_execution_seconds &&
      now >= later(request.admitted_at,
                   std::chrono::seconds(*object.spec.max_execution_seconds -
                                        object.status.past_execution_seconds.value_or(0)));
  if (spent) {
    writer_.deactivate(request, object.status);
    return eviction_.evict(request,
                           {.reason = "Deactivated",
                            .message = "The workload is deactivated due to exceeding the maximum "
                                       "execution time"},
                           now);
  }
  requeue_later(request, now);
  const auto& limits = *table_.config().pods_ready;
  const std::int32_t count = request.object->status.requeue->count.value_or(1);
  if (limits.retries_max && count > *limits.retries_max) {
    request.not_before.reset();
    writer_.deactivate(request, request.object->status);
    return eviction_.evict(request,
                           {.reason = "Deactivated",
                            .message = "The workload is deactivated due to exceeding the maximum "
                                       "number of re-queuing retries"},
                           now);
  }
  eviction_.evict(request,
                  {.reason = "PodsReadyTimeout",
                   .message = fmt::format("Exceeded the PodsReady timeout {}/{}",
                                          request.object->meta.ns, request.object->meta.name)},
                  now);
}

void Broker::requeue_later(Request& request, Instant now) {
  const auto& limits = *table_.config().pods_ready;
  RequestStatus status = request.object->status;
  const std::int32_t count = (status.requeue ? status.requeue->count.value_or(0) : 0) + 1;
  std::int64_t pause = limits.backoff_seconds;
  for (std::int32_t i = 1; i < count && pause < limits.backoff_seconds_max; ++i) pause *= 2;
  pause = std::min<std::int64_t>(pause, limits.backoff_seconds_max);
  request.not_before = later(now, std::chrono::seconds(pause));
  status.requeue = model::RequeueState{.count = count, .at = request.not_before};
  writer_.write(request, std::move(status));
}

Request* Broker::next() { return table_.empty() ? nullptr : turns_.next(state_.queue.news()); }

bool Broker::write_statuses(Instant now) {
  if (idle()) return false;
  const auto untold = table_.take_untold();
  for (Request* request : untold) admission_.tell(*request, now);
  return queue_status_.write(now) || !untold.empty();
}

std::optional<Instant> Broker::next_wakeup() const {
  auto next = timed_.empty() ? std::nullopt : std::optional(timed_.begin()->first);
  if (const auto plans = backfill_.next_wakeup()) next = std::min(next.value_or(*plans), *plans);
  return next;
}

std::string Broker::check_consistency() const {
  if (auto problem = table_.check_consistency(); !problem.empty()) return problem;
  if (auto problem = backfill_.check_consistency(); !problem.empty()) return problem;
  for (const auto& [name, gang] : phantoms_.all()) {
    const Request& request = *table_.all().at(name);
    const bool promised =
        request.stage == RequestStage::reserved || request.stage == RequestStage::admitted;
    if (!promised || to_seat_.contains(name)) continue;
    for (const PhantomGang::Set& set : gang.sets) {
      for (const PodId pod : set.pods) {
        if (!state_.cluster.pod(pod).node.valid()) {
          return fmt::format("request {} is admitted and has no place for {}", name,
                             state_.cluster.pod(pod).object->meta.name);
        }
      }
    }
  }
  return {};
}

// How often pods may be late until nobody waits for the next time.
constexpr std::int32_t kLateMax = 8;
// How often a request may be protected from loops until nobody waits for the end of that.
constexpr std::int32_t kProtectionsMax = 4;

bool Broker::settled() {
  if (!idle() && (table_.has_touched() || queue_status_.is_behind())) return false;
  if (table_.empty()) return true;
  if (!to_seat_.empty() || next() != nullptr) return false;
  for (const std::string& name : table_.preempting()) {
    if (!waits_for_victims(*table_.find(name))) return false;
  }
  return std::ranges::all_of(timed_, [&](const auto& timed) {
    const auto at = table_.all().find(timed.second);
    if (at == table_.all().end()) return true;
    if (at->second->protections >= kProtectionsMax) return true;
    const auto& requeue = at->second->object->status.requeue;
    return requeue && requeue->count.value_or(0) >= kLateMax;
  });
}

}  // namespace tutti::core
