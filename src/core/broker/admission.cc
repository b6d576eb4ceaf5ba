#include "core/broker/admission.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "core/framework/transaction.h"
#include "core/requests/elastic.h"
#include "expr/label_selector.h"
#include "quota/partial.h"

namespace tutti::core {
namespace {

// Assignments that quota allows and that are looked at for places, per attempt.
constexpr int kChoicesMax = 64;

// Who was preempted so often within that time is protected, twice as long each time.
constexpr std::size_t kLoopEvictions = 3;
constexpr Millis kLoopTime = std::chrono::hours(1);
constexpr Millis kProtection = std::chrono::minutes(10);

constexpr std::string_view kHostname = "kubernetes.io/hostname";
constexpr std::string_view kGatedBy = "kueue.x-k8s.io/admission-gated-by";

std::string preempted_text(const Request& preemptor, std::string_view why) {
  return fmt::format("Preempted to accommodate a workload (UID: {}, name: {}) due to {}",
                     preemptor.object->meta.uid, preemptor.name, why);
}

std::shared_ptr<const PlaceAttempt> attempt_of(const Request& request, const PhantomGang& gang,
                                               const FlavorChoice& choice, Attempt attempt) {
  return std::make_shared<const PlaceAttempt>(PlaceAttempt{.request = request.name,
                                                           .gang = gang.made,
                                                           .promise = choice.promise,
                                                           .attempt = std::move(attempt)});
}

}  // namespace

std::optional<PendingReason> Admission::held(const Request& request) {
  const model::AdmissionRequest& object = *request.object;
  if (!object.spec.active) {
    return PendingReason{Waits::suspended, "The workload is deactivated"};
  }
  if (const std::string* gates = model::find(object.meta.annotations, kGatedBy);
      gates != nullptr && !gates->empty()) {
    return PendingReason{Waits::admission_gated, "Admission is gated by: " + *gates};
  }
  if (table_.config().pods_ready && table_.config().pods_ready->blocks_admission) {
    if (const Request* late = table_.first_unready()) {
      return PendingReason{Waits::for_pods_ready,
                           fmt::format("Waiting for all pods of {} to be ready", late->name)};
    }
  }
  if (!request.flaw.empty()) return PendingReason{Waits::misconfigured, request.flaw};
  QuotaObjects& objects = table_.objects();
  const model::LocalQueue* local = objects.local_queue(object.meta.ns, object.spec.queue);
  if (local == nullptr) {
    return PendingReason{Waits::misconfigured,
                         fmt::format("LocalQueue {} doesn't exist", object.spec.queue)};
  }
  if (local->spec.stop != model::StopPolicy::none) {
    return PendingReason{Waits::on_hold,
                         fmt::format("LocalQueue {} is stopped", object.spec.queue)};
  }
  const QuotaQueue* queue = objects.queue(request.queue);
  if (queue == nullptr) {
    return PendingReason{Waits::misconfigured,
                         fmt::format("ClusterQueue {} doesn't exist", request.queue)};
  }
  if (const Closure closure = objects.closure_of(*queue)) {
    const bool stopped = closure.reason == "Stopped";
    return PendingReason{
        stopped ? Waits::on_hold : Waits::misconfigured,
        stopped ? fmt::format("ClusterQueue {} is stopped", request.queue)
                : fmt::format("ClusterQueue {} is inactive: {}", request.queue, closure.message)};
  }
  const auto& selector = queue->object->spec.namespace_selector;
  if (!selector || !expr::matches(*selector, objects.labels_of_namespace(object.meta.ns))) {
    return PendingReason{Waits::misconfigured,
                         "Workload namespace doesn't match ClusterQueue selector"};
  }
  return std::nullopt;
}

void Admission::attempt(Request& request, Instant now) {
  TUTTI_CHECK(!request.holds(), "only who waits is tried");
  ++request.attempts;
  place_refusal_.reset();
  kept_for_.clear();
  victims_.take_lack_of_places();
  denied_.reset();
  if (auto why = held(request)) {
    table_.keep(request, {}, 0);
    return hold_back(request, *std::move(why), now);
  }
  const QuotaQueue& queue = *table_.objects().queue(request.queue);
  table_.keep_nothing_for_others(request);
  const auto counts = full_counts(request);
  if (serve(request, queue, counts, now) != Outcome::refused) return;
  if (!is_making_room(request, now) && serve_smaller(request, queue, now)) return;
  if (denied_) {
    table_.keep(request, {}, 0);
    return refuse(request, *std::move(denied_), true, now);
  }
  if (place_refusal_) {
    table_.keep(request, {}, 0);
    keep_refused_attempt(request, now);
    return refuse(request, std::move(place_refusal_->reason), true, now);
  }
  PendingReason refusal = refuse_for_quota(request, queue, counts);
  refuse(request, std::move(refusal), victims_.take_lack_of_places(), now);
}

PendingReason Admission::refuse_for_quota(Request& request, const QuotaQueue& queue,
                                          std::span<const std::int64_t> counts) {
  std::optional<FlavorChoice> best;
  PendingReason refusal;
  {
    AssignmentList list(table_, queue, request, counts);
    best = list.next();
    refusal = list.refusal();
  }
  table_.keep(request, to_keep(queue, best), best ? best->assignment.borrow_level : 0);
  if (!refusal.message.empty()) return refusal;
  if (kept_for_.empty()) {
    return {Waits::for_quota, "Quota would have to be taken from others, and nobody may go"};
  }
  return {Waits::for_quota,
          fmt::format("Quota is kept for {}, which is the first of a StrictFIFO ClusterQueue",
                      kept_for_)};
}

std::vector<quota::Charge> Admission::to_keep(const QuotaQueue& queue,
                                              const std::optional<FlavorChoice>& best) const {
  std::vector<quota::Charge> kept;
  // Shares order the heads of a tree anew after every decision: nobody is before for good.
  const bool fair = !table_.config().fair_sharing.empty();
  // A reservation keeps what the first needs.
  if (backfill_.mode_of(queue) != BackfillMode::none) return kept;
  const bool reclaims = queue.preemption.reclaim == quota::PreemptionPolicy::Reclaim::any;
  if (!queue.strict || fair || reclaims || !best || best->assignment.mode == quota::Mode::fit) {
    return kept;
  }
  const quota::Tree& tree = table_.objects().tree();
  for (const quota::Charge& charge : best->assignment.charges) {
    quota::Amount most = tree.nominal(queue.node, charge.of) - tree.usage(queue.node, charge.of);
    if (best->assignment.borrow_level > 0) {
      const auto limit = tree.borrowing_limit(queue.node, charge.of);
      most = limit ? most + *limit : quota::Amount{charge.amount};
    }
    const quota::Amount amount = std::clamp<quota::Amount>(most, 0, charge.amount);
    if (amount > 0) kept.push_back({charge.of, quota::to_int64(amount)});
  }
  return kept;
}

bool Admission::takes_what_is_kept(const Request& request, const QuotaQueue& queue,
                                   const FlavorChoice& choice) {
  QuotaObjects& objects = table_.objects();
  quota::Tree& tree = objects.tree();
  const quota::Entry own = request.entry(choice.assignment.borrow_level);
  std::vector<std::pair<quota::QuotaNodeId, const Request*>> before;
  for (const std::string& name : table_.keeping()) {
    const Request& keeper = *table_.find(name);
    const QuotaQueue* other = objects.queue(keeper.queue);
    if (other == nullptr || other->node == queue.node ||
        objects.root_of(other->node) != objects.root_of(queue.node)) {
      continue;
    }
    if (quota::goes_first_in_root(keeper.entry(keeper.borrow_level), own)) {
      before.emplace_back(other->node, &keeper);
    }
  }
  if (before.empty()) return false;
  for (const auto& [node, keeper] : before) tree.add_usage(node, keeper->keeps);
  const bool fits = tree.fits(queue.node, choice.assignment.charges);
  for (const auto& [node, keeper] : before) tree.remove_usage(node, keeper->keeps);
  if (!fits) kept_for_ = before.front().second->name;
  return !fits;
}

bool Admission::is_making_room(const Request& request, Instant now) {
  const PhantomGang* gang = phantoms_.find(request.name);
  return gang != nullptr && gang->root.valid() &&
         room_.is_making_room(phantoms_.entity_of(request, *gang, now));
}

Admission::Outcome Admission::serve(Request& request, const QuotaQueue& queue,
                                    std::span<const std::int64_t> counts, Instant now) {
  AssignmentList list(table_, queue, request, counts);
  std::vector<PlaceRefusal> unplaced;
  // While others leave for it on these flavors, no others are tried.
  const bool one_only = is_making_room(request, now);
  bool may_evict = true;
  for (int looks = 0; looks < kChoicesMax; ++looks) {
    auto choice = list.next();
    if (!choice) break;
    if (one_only && !phantoms_.have(request.name, choice->forms)) continue;
    const quota::Mode mode = choice->assignment.mode;
    may_evict =
        may_evict && !backfill_.is_behind_somebody(request, queue, choice->assignment.borrow_level);
    if (mode == quota::Mode::fit) {
      if (takes_what_is_kept(request, queue, *choice)) continue;
      Backfill::Answer answer = backfill_.ask(request, queue, *choice, now);
      if (answer.refusal) {
        denied_ = std::move(answer.refusal);
        continue;
      }
      if (answer.places && place_at(request, *choice, *answer.places, now)) {
        admit(request, queue, *std::move(choice), now);
        return Outcome::admitted;
      }
      if (auto refusal = place(request, *choice, now)) {
        unplaced.push_back(*std::move(refusal));
      } else {
        admit(request, queue, *std::move(choice), now);
        return Outcome::admitted;
      }
    } else if (mode >= quota::Mode::preempt && may_evict) {
      if (take_idle_room(request, queue, unplaced, now)) return Outcome::preempting;
      if (const auto found = anyone_for(request, queue, *choice, list.holders(), now)) {
        start_preempting(request, queue, *choice, *found, now);
        return Outcome::preempting;
      }
    }
  }
  if (take_idle_room(request, queue, unplaced, now)) return Outcome::preempting;
  for (const PlaceRefusal& each : unplaced) {
    if (!may_evict) break;
    if (const auto found = anyone_for(request, queue, each.choice, list.holders(), now)) {
      start_preempting(request, queue, each.choice, *found, now);
      return Outcome::preempting;
    }
  }
  const auto room = std::ranges::find_if(
      unplaced, [&](auto& each) { return may_evict && make_room(request, each, now); });
  if (room != unplaced.end()) {
    place_refusal_ = std::move(*room);
  } else if (!place_refusal_ && !unplaced.empty()) {
    place_refusal_ = std::move(unplaced.front());
  }
  if (one_only && unplaced.empty()) {
    // Quota for what others left for is gone.
    room_.end_hold(phantoms_.entity_of(request, *phantoms_.find(request.name), now), now);
    return serve(request, queue, counts, now);
  }
  return Outcome::refused;
}

// Sends opportunistic work away where one of the choices lacks nothing but its room.
bool Admission::take_idle_room(Request& request, const QuotaQueue& queue,
                               std::span<const PlaceRefusal> unplaced, Instant now) {
  for (const PlaceRefusal& each : unplaced) {
    if (const auto found = victims_.idle_room(request, each.choice, now)) {
      start_preempting(request, queue, each.choice, *found, now);
      return true;
    }
  }
  return false;
}

// Why not; nothing: every pod has its place.
std::optional<Admission::PlaceRefusal> Admission::place(Request& request,
                                                        const FlavorChoice& choice, Instant now) {
  PhantomGang* gang = phantoms_.shape(request, choice.forms, now);
  if (gang == nullptr) return std::nullopt;
  const Entity entity = phantoms_.entity_of(request, *gang, now);
  CycleResult result = room_.attempt(entity, now);
  if (result.attempt.code == Code::success) {
    phantoms_.count_as_assumed(result.placed);
    room_.end_hold(entity, now);
    state_.queue.others_placed();
    return std::nullopt;
  }
  PendingReason reason{
      choice.on_topology ? Waits::topology_placement_failed : Waits::placement_failed,
      "quota would do, and there is no place: " + result.attempt.message};
  return PlaceRefusal{.reason = std::move(reason),
                      .choice = choice,
                      .attempt = attempt_of(request, *gang, choice, std::move(result.attempt))};
}

bool Admission::place_at(const Request& request, const FlavorChoice& choice,
                         const SetPlaces& places, Instant now) {
  const PhantomGang* gang = phantoms_.shape(request, choice.forms, now);
  if (gang == nullptr || !gang->root.valid()) return true;
  TUTTI_CHECK(gang->profile != nullptr, "pods of no profile are placed by nobody");
  Transaction transaction(state_.cluster);
  for (std::size_t set = 0; set < gang->sets.size(); ++set) {
    const auto& pods = gang->sets[set].pods;
    for (std::size_t i = 0; i < pods.size(); ++i) {
      TUTTI_CHECK(set < places.size() && i < places[set].size(), "every pod has a place");
      if (!transaction.place(pods[i], places[set][i], *gang->profile).success()) return false;
    }
  }
  const std::vector<ProposedPod> placed(transaction.placed().begin(), transaction.placed().end());
  transaction.commit();
  phantoms_.count_as_assumed(placed);
  room_.end_hold(phantoms_.entity_of(request, *gang, now), now);
  state_.queue.others_placed();
  return true;
}

// Lets pods go that no queue rules over, if that makes room for this choice. Whether it does.
bool Admission::make_room(Request& request, PlaceRefusal& refusal, Instant now) {
  if (request.tenure == quota::Tenure::opportunistic) return false;
  const PhantomGang* gang = phantoms_.shape(request, refusal.choice.forms, now);
  const Entity entity = phantoms_.entity_of(request, *gang, now);
  Attempt attempt = refusal.attempt->attempt;
  room_.make_room(entity, attempt, now);
  refusal.attempt = attempt_of(request, *gang, refusal.choice, std::move(attempt));
  return room_.is_making_room(entity);
}

std::vector<std::string> Admission::checks_of(const Request& request) const {
  std::vector<std::string> checks;
  const QuotaQueue* queue = table_.objects().queue(request.queue);
  if (queue == nullptr) return checks;
  const auto uses = [&](const std::string& flavor) {
    return std::ranges::any_of(request.promise, [&](const PodSetPromise& promise) {
      return std::ranges::any_of(promise.flavors,
                                 [&](const auto& each) { return each.second == flavor; });
    });
  };
  for (const model::AdmissionCheckRule& rule : queue->object->spec.checks) {
    const model::AdmissionCheck* check = table_.objects().check(rule.check);
    if (check != nullptr && check->controller == kPlacementChecker) continue;
    if (rule.on_flavors.empty() || std::ranges::any_of(rule.on_flavors, uses)) {
      checks.push_back(rule.check);
    }
  }
  return checks;
}

// Where the pods of each set are, by the levels of the topology that one of its flavors has.
void Admission::note_domains(const Request& request, std::vector<PodSetPromise>& promise) {
  const PhantomGang* gang = phantoms_.find(request.name);
  if (gang == nullptr) return;
  for (std::size_t i = 0; i < promise.size(); ++i) {
    const model::Topology* topology = nullptr;
    for (const auto& [resource, name] : promise[i].flavors) {
      const model::ResourceFlavor* flavor = table_.objects().flavor(name);
      if (flavor != nullptr && !flavor->topology.empty()) {
        topology = table_.objects().topology(flavor->topology);
      }
    }
    promise[i].topology.reset();
    if (topology == nullptr || topology->levels.empty()) continue;
    model::TopologyAssignment made{.levels = topology->levels, .domains = {}};
    // A host says where it is.
    if (made.levels.back() == kHostname) made.levels = {std::string(kHostname)};
    for (const PodId pod : gang->sets[i].pods) add_domain(made, state_.cluster.pod(pod).node);
    if (!made.domains.empty()) promise[i].topology = std::move(made);
  }
}

void Admission::add_domain(model::TopologyAssignment& assignment, NodeId node) const {
  if (!node.valid()) return;
  std::vector<std::string> values;
  for (const std::string& level : assignment.levels) {
    const std::string* value = model::find(state_.cluster.node(node).meta.labels, level);
    values.push_back(value != nullptr ? *value : std::string());
  }
  const auto at = std::ranges::find(assignment.domains, values, &model::AssignedDomain::values);
  if (at != assignment.domains.end()) {
    ++at->pods;
  } else {
    assignment.domains.push_back({std::move(values), 1});
  }
}

// Evicted so often within the hour and admitted again each time: rights that go round in a circle.
void Admission::protect_from_loop(Request& request, Instant now) {
  // What may leave at any time may do so often.
  if (request.tenure > quota::Tenure::ordinary) return;
  std::erase_if(request.preempted, [&](Instant at) { return now - at >= kLoopTime; });
  if (request.preempted.size() < kLoopEvictions) return;
  request.preempted.clear();
  const std::int32_t doublings = std::min(request.protections++, 10);
  request.protected_until = later(now, kProtection * (1 << doublings));
  writer_.event(request, "Warning", "PreemptionLoop",
                fmt::format("Preempted {} times within an hour and admitted again: nobody may "
                            "preempt it for {} minutes",
                            kLoopEvictions, 10 << doublings));
}

void Admission::admit(Request& request, const QuotaQueue& queue, FlavorChoice choice, Instant now) {
  note_domains(request, choice.promise);
  table_.charge(request, queue, std::move(choice.assignment.charges), std::move(choice.promise),
                RequestStage::reserved, now);
  const auto checks = checks_of(request);
  const std::int64_t waited =
      std::max<std::int64_t>(0, now.time_since_epoch().count() - request.timestamp) / 1000;
  writer_.write(request, status_reserved(request, checks, now));
  writer_.event(request, "Normal", "QuotaReserved",
                fmt::format("Quota reserved in ClusterQueue {}, wait time since queued was {}s",
                            request.queue, waited));
  if (checks.empty()) {
    table_.advance(request, RequestStage::admitted);
    request.admitted_at = now;
    writer_.event(request, "Normal", "Admitted",
                  fmt::format("Admitted by ClusterQueue {}, wait time since reservation was 0s",
                              request.queue));
  }
  std::vector<std::pair<std::string, std::string>> bindings;
  if (const PhantomGang* gang = phantoms_.find(request.name)) {
    for (const PhantomGang::Set& set : gang->sets) {
      for (const PodId pod : set.pods) {
        const PodEntry& entry = state_.cluster.pod(pod);
        if (!entry.node.valid()) continue;
        bindings.emplace_back(entry.object->meta.ns + "/" + entry.object->meta.name,
                              state_.cluster.node_name(entry.node));
      }
    }
  }
  protect_from_loop(request, now);
  backfill_.started(request, now);
  writer_.decided(request, Decision::Kind::admitted, "in ClusterQueue " + request.queue, now,
                  std::move(bindings));
}

bool Admission::serve_smaller(Request& request, const QuotaQueue& queue, Instant now) {
  std::vector<quota::PodSetRange> ranges;
  bool may_shrink = false;
  const auto all = full_counts(request);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::int64_t least = request.object->spec.pod_sets[i].min_count.value_or(all[i]);
    ranges.push_back({.count = all[i], .min_count = std::min(least, all[i])});
    may_shrink = may_shrink || least < all[i];
  }
  const auto gate = table_.config().feature_gates.find("PartialAdmission");
  if (!may_shrink || (gate != table_.config().feature_gates.end() && !gate->second)) return false;
  const auto fits = [&](const quota::Counts& counts) {
    return could_serve(request, queue, counts, now);
  };
  const auto counts = quota::largest_admissible(ranges, fits);
  return counts && serve(request, queue, *counts, now) != Outcome::refused;
}

// Whether serve() would not refuse these counts; changes nothing.
bool Admission::could_serve(const Request& request, const QuotaQueue& queue,
                            std::span<const std::int64_t> counts, Instant now) {
  AssignmentList list(table_, queue, request, counts);
  for (int looks = 0; looks < kChoicesMax; ++looks) {
    const auto choice = list.next();
    if (!choice) return false;
    const quota::Mode mode = choice->assignment.mode;
    if (mode == quota::Mode::fit && !takes_what_is_kept(request, queue, *choice) &&
        (victims_.places(request, *choice, now) || victims_.idle_room(request, *choice, now))) {
      return true;
    }
    if (mode >= quota::Mode::preempt && anyone_for(request, queue, *choice, list.holders(), now)) {
      return true;
    }
  }
  return false;
}

// --- victims -------------------------------------------------------------------------------------

std::optional<RequestVictims::Found> Admission::anyone_for(const Request& request,
                                                           const QuotaQueue& queue,
                                                           const FlavorChoice& choice,
                                                           const Holders& holders, Instant now) {
  const auto is_kept = [&] { return takes_what_is_kept(request, queue, choice); };
  return victims_.anyone(request, queue, choice, holders, is_kept, now);
}

void Admission::start_preempting(Request& request, const QuotaQueue& queue,
                                 const FlavorChoice& choice, const RequestVictims::Found& victims,
                                 Instant now) {
  table_.charge(request, queue, choice.assignment.charges, choice.promise, RequestStage::preempting,
                now);
  for (const auto& leaver : victims.leavers) request.victims.insert(leaver.request->name);
  for (const auto& [pod, node] : victims.places) state_.cluster.hold(pod, node);
  std::string names;
  for (const std::string& name : request.victims) names += (names.empty() ? "" : ", ") + name;
  const std::string text = fmt::format("Waiting for preempted workloads to leave: {}", names);
  writer_.write(request, status_refused(request, {Waits::for_preempted, text}, now));
  writer_.decided(request, Decision::Kind::preempting, text, now);
  for (const auto& leaver : victims.leavers) send_away(request, leaver, now);
}

void Admission::send_away(const Request& request, const RequestVictims::Leaver& leaver,
                          Instant now) {
  Request& goes = *leaver.request;
  const EvictionWords words{.reason = "Preempted",
                            .message = preempted_text(request, leaver.why),
                            .cause = leaver.cause,
                            .by = request.name};
  if (leaver.keeps > 0) {
    const std::int64_t pods = elastic_pods(goes) - leaver.keeps;
    if (pods > 0) resizing_.shrink(goes, pods, words, now);
    return;
  }
  std::erase_if(goes.preempted, [&](Instant at) { return now - at >= kLoopTime; });
  goes.preempted.push_back(now);
  eviction_.evict(goes, words, now);
}

void Admission::release_holds(const Request& request) {
  const PhantomGang* gang = phantoms_.find(request.name);
  if (gang == nullptr) return;
  for (const PhantomGang::Set& set : gang->sets) {
    for (const PodId pod : set.pods) {
      if (state_.cluster.held().contains(pod)) state_.cluster.unhold(pod);
    }
  }
}

void Admission::take_held(Request& request, Instant now) {
  TUTTI_CHECK(request.stage == RequestStage::preempting);
  release_holds(request);
  FlavorChoice choice;
  choice.assignment.charges = request.charges;
  choice.promise = request.promise;
  const std::string queue_name = request.queue;
  const bool smaller =
      !std::ranges::equal(full_counts(request), request.promise, {}, {}, &PodSetPromise::count);
  table_.release(request);
  state_.cluster.raise_observed_version();
  const QuotaQueue* queue = table_.objects().queue(queue_name);
  // Nobody had to leave for a larger size than was promised; what is free now may do for one.
  if (queue == nullptr || held(request) || smaller) return attempt(request, now);
  PhantomGang* gang = phantoms_.find(request.name);
  const bool fits = table_.objects().tree().fits(queue->node, choice.assignment.charges);
  bool placed = fits && gang == nullptr;
  if (fits && gang != nullptr) {
    const Entity entity = phantoms_.entity_of(request, *gang, now);
    const CycleResult result = room_.attempt(entity, now);
    placed = result.attempt.code == Code::success;
    if (placed) phantoms_.count_as_assumed(result.placed);
  }
  if (!placed) return attempt(request, now);
  state_.queue.others_placed();
  admit(request, *queue, std::move(choice), now);
}

std::vector<PhantomForm> Admission::forms_to_come(const Request& request) const {
  const auto& sets = request.object->spec.pod_sets;
  std::vector<PhantomForm> forms;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    PhantomForm form{.set = &sets[i],
                     .count = left_to_run(*request.object, sets[i], request.promise[i].count)};
    for (const PodId pod : request.pods) {
      const std::string_view set = pod_set_of(*state_.cluster.pod(pod).object);
      if (set == sets[i].name || (set.empty() && sets.size() == 1)) --form.count;
    }
    form.count = std::max<std::int64_t>(0, form.count);
    for (const auto& [resource, name] : request.promise[i].flavors) {
      const model::ResourceFlavor* flavor = table_.objects().flavor(name);
      if (flavor != nullptr && std::ranges::find(form.flavors, flavor) == form.flavors.end()) {
        form.flavors.push_back(flavor);
      }
    }
    forms.push_back(std::move(form));
  }
  return forms;
}

std::optional<std::string> Admission::seat(Request& request, Instant now) {
  PhantomGang* gang = phantoms_.shape(request, forms_to_come(request), now);
  if (gang == nullptr || !gang->root.valid()) return std::nullopt;
  const Entity entity = phantoms_.entity_of(request, *gang, now);
  const CycleResult result = cycle_.run(entity, state_.leaf_of, now);
  if (result.attempt.code == Code::success) {
    phantoms_.count_as_assumed(result.placed);
    return std::nullopt;
  }
  phantoms_.remove_all(request.name);
  return result.attempt.message;
}

bool Admission::has_places(const Request& request) {
  std::int64_t to_come = 0;
  for (const PhantomForm& form : forms_to_come(request)) to_come += form.count;
  const PhantomGang* gang = phantoms_.find(request.name);
  std::int64_t kept = 0;
  for (std::size_t i = 0; gang != nullptr && i < gang->sets.size(); ++i) {
    kept += std::ranges::count_if(gang->sets[i].pods,
                                  [&](PodId pod) { return state_.cluster.pod(pod).node.valid(); });
  }
  return kept >= to_come;
}

void Admission::keep_refused_attempt(Request& request, Instant now) {
  const PlaceRefusal& refusal = *place_refusal_;
  request.last = refusal.attempt;
  const PhantomGang* known = phantoms_.find(request.name);
  if (known != nullptr && known->made == refusal.attempt->gang) return;
  // Others were tried after it, in whose place these phantoms stood.
  PhantomGang* gang = phantoms_.shape(request, refusal.choice.forms, now);
  const Entity entity = phantoms_.entity_of(request, *gang, now);
  CycleResult again = room_.attempt(entity, now);
  if (again.attempt.code != Code::success) {
    again.attempt.preemption = refusal.attempt->attempt.preemption;
    request.last = attempt_of(request, *gang, refusal.choice, std::move(again.attempt));
  } else {
    phantoms_.remove_all(request.name);
    request.last = nullptr;
  }
}

// For a reason that others need not share.
void Admission::hold_back(Request& request, PendingReason why, Instant now) {
  write_refusal(request, std::move(why), now);
  table_.park_alone(request);
}

void Admission::refuse(Request& request, PendingReason why, bool for_place, Instant now) {
  const QuotaQueue& queue = *table_.objects().queue(request.queue);
  table_.park_shape(request, {.why = why,
                              .quota = table_.quota_version(queue.node),
                              .cluster = for_place ? state_.queue.news() : 0,
                              .attempt = for_place ? request.last : nullptr});
  write_refusal(request, why, now);
  backfill_.refused(request, queue, why, now);
}

void Admission::tell(Request& request, Instant now) {
  const ShapeRefusal* refusal = table_.line(request.queue).refusal_of(request);
  if (refusal == nullptr || request.refusal == refusal->why) return;
  request.last = refusal->attempt;
  write_refusal(request, refusal->why, now);
}

void Admission::write_refusal(Request& request, PendingReason why, Instant now) {
  const bool news = request.refusal != why;
  if (news) {
    writer_.write(request, status_refused(request, why, now));
    writer_.event(request, "Normal", "Pending", why.message);
  }
  writer_.decided(request, Decision::Kind::unschedulable, why.message, now);
  request.refusal = std::move(why);
}

}  // namespace tutti::core
