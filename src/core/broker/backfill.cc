#include "core/broker/backfill.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "core/broker/backfill_words.h"
#include "core/requests/flavor_match.h"

namespace tutti::core {
namespace {

bool could_wait_for_room(Waits reason) {
  return reason == Waits::placement_failed || reason == Waits::topology_placement_failed ||
         reason == Waits::for_quota || reason == Waits::for_reservation;
}

bool overlap(const std::set<std::string>& left, const std::set<std::string>& right) {
  // Without flavors all share what there is.
  if (left.empty() || right.empty()) return left.empty() && right.empty();
  return std::ranges::any_of(left, [&](const std::string& each) { return right.contains(each); });
}

}  // namespace

Backfill::Backfill(SchedulerState& state, Cycle& cycle, RequestTable& table, Phantoms& phantoms,
                   RequestWriter& writer, const BackfillArgs& args)
    : state_(state),
      table_(table),
      writer_(writer),
      args_(args),
      expectations_(state, table),
      search_(state, cycle, table, phantoms, expectations_.timeline(), args.keeps_places) {}

// --- modes ---------------------------------------------------------------------------------------

BackfillMode Backfill::mode_of(const QuotaQueue& queue) const {
  return queue.node.index < modes_.size() ? modes_[queue.node.index] : BackfillMode::none;
}

// What the object says; nothing, and a warning, where that is no word for it.
std::optional<BackfillMode> Backfill::own_mode(const model::ObjectPtr& object) {
  const std::string* word = model::find(object->meta.annotations, kBackfillAnnotation);
  const model::ObjectKey key = model::key_of(*object);
  if (word == nullptr) {
    warned_.erase(key);
    return std::nullopt;
  }
  const auto at = std::ranges::find(kBackfillModes, *word);
  if (at != kBackfillModes.end()) return static_cast<BackfillMode>(at - kBackfillModes.begin());
  if (std::exchange(warned_[key], *word) != *word) {
    writer_.warn(object, "BadAnnotation",
                 fmt::format("annotation {} must be none, easy or conservative, is '{}': what is "
                             "above it counts",
                             kBackfillAnnotation, *word));
  }
  return std::nullopt;
}

// The nearest word above a queue counts.
void Backfill::read_modes() {
  objects_ = table_.objects().version();
  QuotaObjects& objects = table_.objects();
  const quota::Tree& tree = objects.tree();
  modes_.assign(tree.slots(), args_.mode);
  bool any = false;
  for (const quota::QuotaNodeId node : tree.nodes()) {
    BackfillMode& mode = modes_[node.index];
    if (tree.has_parent(node)) mode = modes_[tree.parent(node).index];
    const std::string name(tree.name(node));
    if (tree.kind(node) == quota::Tree::Kind::cohort) {
      const auto cohort = objects.cohorts().find(name);
      if (cohort == objects.cohorts().end()) continue;
      if (const auto own = own_mode(cohort->second)) mode = *own;
    } else if (const QuotaQueue* queue = objects.queue(name)) {
      if (const auto own = own_mode(queue->object)) mode = *own;
      any = any || mode != BackfillMode::none;
    }
  }
  if (any && !active_) active_ = true;
  if (active_) expectations_.begin();
  for (auto& [root, plan] : plans_) plan.anew = true;
}

// --- upkeep --------------------------------------------------------------------------------------

void Backfill::node_lost() {
  for (auto& [root, plan] : plans_) plan.anew = true;
}

void Backfill::catch_up(Instant now) {
  const bool early = expectations_.catch_up(now);
  const std::uint64_t nodes = state_.cluster.versions().nodes;
  const bool other_nodes = std::exchange(nodes_, nodes) != nodes;
  if (!early && !other_nodes) return;
  for (auto& [root, plan] : plans_) plan.came_back_early = true;
}

void Backfill::act(Instant now) {
  if (objects_ != table_.objects().version()) read_modes();
  if (!active_) return;
  catch_up(now);
  for (auto at = plans_.begin(); at != plans_.end();) {
    StartPlan& plan = at->second;
    drop_lapsed(plan, now);
    if (plan.all.empty()) {
      at = plans_.erase(at);
      continue;
    }
    if (plan.anew) {
      plan_anew(plan, now);
    } else if (plan.came_back_early) {
      compress(plan, now);
    }
    plan.came_back_early = plan.anew = false;
    ++at;
  }
}

bool Backfill::stands(const PromisedStart& reservation) const {
  const Request* request = table_.find(reservation.request);
  if (request == nullptr || request->holds() || request->finished || request->not_before ||
      request->parked_alone || !request->object->spec.active) {
    return false;
  }
  const QuotaQueue* queue = table_.objects().queue(request->queue);
  return queue != nullptr && queue->node == reservation.queue &&
         mode_of(*queue) != BackfillMode::none;
}

// Who no longer waits needs no start; who should have started by now is looked at again.
void Backfill::drop_lapsed(StartPlan& plan, Instant now) {
  for (std::size_t i = 0; i < plan.all.size();) {
    PromisedStart& each = plan.all[i];
    if (!stands(each)) {
      const quota::QuotaNodeId queue = each.queue;
      if (Request* request = table_.find(each.request)) take_back(*request, "NotWaiting", now);
      plan.all.erase(plan.all.begin() + static_cast<std::ptrdiff_t>(i));
      plan.came_back_early = true;
      if (queue.index < table_.objects().tree().slots()) table_.reconsider(queue);
      continue;
    }
    const bool late = each.start < now && plan.made < now;
    if (late && each.of_all) plan.anew = true;
    if (late && !each.of_all) table_.reconsider(each.queue);
    ++i;
  }
  plan.made = now;
}

std::optional<Instant> Backfill::next_wakeup() const {
  std::optional<Instant> next;
  const auto consider = [&](Instant at) { next = std::min(next.value_or(at), at); };
  for (const auto& [root, plan] : plans_) {
    for (const PromisedStart& each : plan.all) {
      if (!each.collects && each.start >= plan.made) consider(each.start + Millis(1));
    }
  }
  for (const auto& [name, at] : collect_from_) consider(at);
  return next;
}

// --- plans ---------------------------------------------------------------------------------------

StartPlan* Backfill::plan_of(const QuotaQueue& queue) {
  const auto at = plans_.find(table_.objects().root_of(queue.node));
  return at != plans_.end() ? &at->second : nullptr;
}

const PromisedStart* Backfill::find(const std::string& request) const {
  for (const auto& [root, plan] : plans_) {
    if (const PromisedStart* found = plan.find(request)) return found;
  }
  return nullptr;
}

std::vector<const PromisedStart*> Backfill::all() const {
  std::vector<const PromisedStart*> out;
  for (const auto& [root, plan] : plans_) {
    for (const PromisedStart& each : plan.all) out.push_back(&each);
  }
  return out;
}

bool Backfill::goes_first(const PromisedStart& promised, const Request& request,
                          std::uint32_t borrow_level) const {
  const Request& other = *table_.find(promised.request);
  if (other.queue == request.queue) return WaitingLine::InQueue{}(&other, &request);
  return quota::goes_first_in_root(other.entry(promised.borrow_level), request.entry(borrow_level));
}

std::optional<Millis> Backfill::counted_length(const Request& request,
                                               const QuotaQueue& queue) const {
  const RunTime runs = expectations_.run_time(request);
  if (const auto bound = runs.longest()) return bound;
  const bool counts = runs.yields || mode_of(queue) == BackfillMode::conservative;
  return counts ? runs.estimate : std::nullopt;
}

std::set<std::string> Backfill::flavors_of(const Request& request, const QuotaQueue& queue) const {
  std::set<std::string> out;
  const QuotaObjects& objects = table_.objects();
  const bool implied = objects.is_all_topology(queue);
  for (const model::ResourceGroup& group : queue.object->spec.groups) {
    for (const model::FlavorQuotas& flavor : group.flavors) {
      const bool usable =
          std::ranges::any_of(request.object->spec.pod_sets, [&](const model::PodSet& set) {
            return flavor_mismatch(objects, *request.object, set, flavor.flavor, implied).empty();
          });
      if (usable) out.insert(flavor.flavor);
    }
  }
  return out;
}

// Who was promised a start and must not be delayed by the request.
Promised Backfill::others_of(StartPlan& plan, const Request& request, std::uint32_t borrow_level) {
  const PromisedStart* own = plan.find(request.name);
  const bool planned = own != nullptr && own->of_all;
  Promised others;
  for (PromisedStart& each : plan.all) {
    if (each.request == request.name || !stands(each)) continue;
    if (planned || goes_first(each, request, borrow_level)) others.push_back(&each);
  }
  return others;
}

void Backfill::insert(StartPlan& plan, PromisedStart reservation, const Request& request) {
  const auto at = std::ranges::find_if(plan.all, [&](const PromisedStart& each) {
    return !goes_first(each, request, reservation.borrow_level);
  });
  plan.all.insert(at, std::move(reservation));
}

// Each, in order, is let go and takes the earliest start beside all others: nobody's gets later.
void Backfill::compress(StartPlan& plan, Instant now) {
  for (std::size_t i = 0; i < plan.all.size(); ++i) {
    if (!plan.all[i].of_all) continue;
    Request& request = *table_.find(plan.all[i].request);
    const QuotaQueue& queue = *table_.objects().queue(request.queue);
    auto found = find_start(request, queue, others_of(plan, request, 0), now);
    if (!found || found->start > plan.all[i].start) continue;
    const bool earlier = found->start < plan.all[i].start;
    plan.all[i] = *std::move(found);
    if (earlier) say_reserved(request, plan.all[i], now);
    if (plan.all[i].start <= now) table_.reconsider(queue.node);
  }
}

// Capacity was lost, or somebody ranks higher than some: all start again from nothing.
void Backfill::plan_anew(StartPlan& plan, Instant now) {
  const std::vector<PromisedStart> before = std::exchange(plan.all, {});
  for (const PromisedStart& each : before) {
    Request& request = *table_.find(each.request);
    const QuotaQueue& queue = *table_.objects().queue(request.queue);
    if (!each.of_all) {
      // Its queue finds it a start when it is tried next.
      table_.reconsider(queue.node);
      continue;
    }
    Promised others;
    for (PromisedStart& other : plan.all) others.push_back(&other);
    auto found = find_start(request, queue, others, now);
    if (!found) {
      take_back(request, "NotKnown", now);
      request.planned_quota = request.planned_news = 0;
      table_.reconsider(queue.node);
      continue;
    }
    if (found->start != each.start) say_reserved(request, *found, now);
    if (found->start <= now) table_.reconsider(queue.node);
    plan.all.push_back(*std::move(found));
  }
}

std::optional<PromisedStart> Backfill::find_start(const Request& request, const QuotaQueue& queue,
                                                  const Promised& others, Instant now) {
  auto found = search_.earliest(request, queue, counted_length(request, queue), others, now);
  if (!found) return std::nullopt;
  found->flavors = flavors_of(request, queue);
  found->found_at = now;
  found->ended = expectations_.timeline().ended();
  found->of_all = mode_of(queue) == BackfillMode::conservative;
  return found;
}

// --- an attempt ----------------------------------------------------------------------------------

bool Backfill::may_be_tried(const Request& request, std::uint64_t quota, std::uint64_t news) const {
  if (const PromisedStart* own = find(request.name)) {
    const auto plan = plans_.find(table_.objects().root_of(own->queue));
    return own->start <= plan->second.made;
  }
  return request.planned_quota != quota || request.planned_news != news;
}

bool Backfill::is_behind_somebody(const Request& request, const QuotaQueue& queue,
                                  std::uint32_t borrow_level) {
  if (!active_) return false;
  StartPlan* plan = plan_of(queue);
  return plan != nullptr && !others_of(*plan, request, borrow_level).empty();
}

Backfill::Answer Backfill::ask(const Request& request, const QuotaQueue& queue,
                               const FlavorChoice& choice, Instant now) {
  let_pass_.reset();
  if (!active_) return {};
  StartPlan* plan = plan_of(queue);
  if (plan == nullptr) return {};
  const Promised others = others_of(*plan, request, choice.assignment.borrow_level);
  if (others.empty()) return {};
  const auto length = counted_length(request, queue);
  const PromisedStart* delayed = nullptr;
  auto found = search_.now(request, queue, length, others, &choice, delayed, now);
  if (found) {
    let_pass_ = LetPass{request.name, length};
    return {.refusal = std::nullopt, .places = std::move(found->places)};
  }
  if (delayed == nullptr) return {};  // it does not fit at all, and is told so
  return {.refusal = refusal_for(expectations_.run_time(request), length, *delayed, now),
          .places = std::nullopt};
}

void Backfill::started(Request& request, Instant now) {
  const auto passed = std::exchange(let_pass_, std::nullopt);
  collect_from_.erase(request.name);
  if (!active_) return;
  const QuotaQueue* queue = table_.objects().queue(request.queue);
  StartPlan* plan = queue != nullptr ? plan_of(*queue) : nullptr;
  take_back(request, "Started", now);
  if (plan == nullptr) return;
  const auto own = std::ranges::find(plan->all, request.name, &PromisedStart::request);
  const bool was_head = own != plan->all.end() && !own->of_all;
  if (own != plan->all.end()) plan->all.erase(own);
  const PromisedStart* first = nullptr;
  for (const PromisedStart& each : plan->all) {
    const bool before = goes_first(each, request, 0);
    if (before && first == nullptr) first = &each;
    // Whom it was ranked before: what was theirs may be its own now.
    if (!before && each.of_all) plan->anew = plan->anew || !passed;
    if (!before && !each.of_all) table_.reconsider(queue->node);
  }
  if (was_head) table_.reconsider(queue->node);
  if (first == nullptr || !passed || passed->request != request.name) return;
  const RunTime runs = expectations_.run_time(request);
  if (!runs.longest() && runs.yields && passed->length) {
    note_yield(request, *plan, *passed->length, now);
  }
  writer_.write(request, status_with(request, kBackfilled, true, "LetPass",
                                     let_pass_text(*first, passed->length, now), now));
  writer_.event(request, "Normal", "Backfilled", let_pass_text(*first, passed->length, now));
}

// Its estimate was believed: whoever starts first after it counts on its being gone.
void Backfill::note_yield(Request& request, const StartPlan& plan, Millis length, Instant now) {
  for (const PromisedStart& each : plan.all) {
    if (each.collects || each.start < later(now, length)) continue;
    if (request.yields_at && *request.yields_at <= each.start) continue;
    request.yields_at = each.start;
    request.yields_to = each.request;
  }
}

void Backfill::refused(Request& request, const QuotaQueue& queue, const PendingReason& why,
                       Instant now) {
  if (!active_) return;
  const BackfillMode mode = mode_of(queue);
  if (mode == BackfillMode::none) return;
  catch_up(now);
  StartPlan& plan = plans_[table_.objects().root_of(queue.node)];
  if (!could_wait_for_room(why.reason)) {
    std::erase_if(plan.all,
                  [&](const PromisedStart& each) { return each.request == request.name; });
    take_back(request, "NotWaiting", now);
  } else if (mode == BackfillMode::easy) {
    promise_head(plan, request, queue, now);
  } else {
    promise_planned(plan, request, queue, now);
  }
  request.planned_quota = table_.quota_version(queue.node);
  request.planned_news = state_.queue.news();
}

// The first that waits of those who could use the same flavors.
void Backfill::promise_head(StartPlan& plan, Request& request, const QuotaQueue& queue,
                            Instant now) {
  const auto same = std::ranges::find(plan.all, request.name, &PromisedStart::request);
  std::optional<PromisedStart> before;
  if (same != plan.all.end()) {
    before = std::move(*same);
    plan.all.erase(same);
  }
  const std::set<std::string> flavors = before ? before->flavors : flavors_of(request, queue);
  const std::uint32_t level = before ? before->borrow_level : 0;
  Promised others;
  for (PromisedStart& each : plan.all) {
    if (!stands(each) || !goes_first(each, request, level)) continue;
    if (!each.of_all && overlap(each.flavors, flavors)) {
      return before ? take_back(request, "NotFirst", now) : void();
    }
    others.push_back(&each);
  }
  const bool same_instant = before && before->found_at == now &&
                            before->ended == expectations_.timeline().ended() && !plan.anew;
  auto found = same_instant ? before : find_start(request, queue, others, now);
  if (found && before && !before->collects && found->start > before->start &&
      before->start >= now && search_.still_starts(request, queue, *before, others, now)) {
    found = before;  // what was found may be later; what was promised stands
  }
  if (!found) found = collect(request, queue, std::move(before), now);
  if (!found) return take_back(request, "NotKnown", now);
  // Headship goes over from those behind it.
  std::erase_if(plan.all, [&](const PromisedStart& each) {
    const bool behind = !each.of_all && overlap(each.flavors, flavors) &&
                        !goes_first(each, request, found->borrow_level);
    if (behind) take_back(*table_.find(each.request), "NotFirst", now);
    return behind;
  });
  const bool anew = std::ranges::any_of(plan.all, [&](const PromisedStart& each) {
    return each.of_all && !goes_first(each, request, found->borrow_level);
  });
  plan.anew = plan.anew || anew;
  say_reserved(request, *found, now);
  insert(plan, *std::move(found), request);
}

// Room that comes free on some nodes is kept for who has waited long and has no start.
std::optional<PromisedStart> Backfill::collect(const Request& request, const QuotaQueue& queue,
                                               std::optional<PromisedStart> before, Instant now) {
  collect_from_.erase(request.name);
  if (args_.drain_after <= Millis(0)) return std::nullopt;
  const Instant since{Millis(request.timestamp)};
  const Instant from = later(since, args_.drain_after);
  if (from > now) {
    collect_from_.emplace(request.name, from);
    return std::nullopt;
  }
  if (before && before->collects) return before;
  auto found = search_.collecting(request, queue, now);
  if (found) found->flavors = flavors_of(request, queue);
  return found;
}

// Everybody, in order. Who comes before others makes them wait for their plans again.
void Backfill::promise_planned(StartPlan& plan, Request& request, const QuotaQueue& queue,
                               Instant now) {
  if (plan.find(request.name) != nullptr) {
    // Its time had come, and something else is there: what was expected was wrong.
    plan_anew(plan, now);
    return;
  }
  const auto planned = std::ranges::count_if(plan.all, &PromisedStart::of_all);
  if (static_cast<std::size_t>(planned) >= kPlannedMax) return;
  Promised others;
  bool last = true;
  for (PromisedStart& each : plan.all) {
    if (!stands(each)) continue;
    if (goes_first(each, request, 0)) {
      others.push_back(&each);
    } else {
      last = false;
    }
  }
  auto found = find_start(request, queue, others, now);
  if (!found) return take_back(request, "NotKnown", now);
  say_reserved(request, *found, now);
  insert(plan, *std::move(found), request);
  if (!last) plan_anew(plan, now);
}

// --- what is told --------------------------------------------------------------------------------

std::string Backfill::text_of(const PromisedStart& reservation, Instant now) {
  std::set<NodeId> nodes;
  for (const auto& set : reservation.places) {
    for (const NodeId node : set) {
      if (node.valid()) nodes.insert(node);
    }
  }
  if (reservation.collects) {
    return collecting_text(nodes.size() - search_.nodes_in_use(reservation, now), nodes.size());
  }
  std::string one;
  if (nodes.size() == 1) one = state_.cluster.node_name(*nodes.begin());
  std::vector<std::string> causes;
  for (const Runner& who : reservation.waits_for) {
    causes.push_back(who.pod.valid() ? pod_text(*state_.cluster.pod(who.pod).object)
                                     : request_text(table_, who.request));
  }
  return reserved_text(reservation, nodes.size(), one, causes);
}

void Backfill::say_reserved(Request& request, const PromisedStart& reservation, Instant now) {
  writer_.write(request, status_with(request, kReserved, true,
                                     reservation.collects ? "Collecting" : "Reserved",
                                     text_of(reservation, now), now));
}

void Backfill::take_back(Request& request, std::string_view reason, Instant now) {
  if (true_condition(*request.object, kReserved) == nullptr) return;
  writer_.write(request, status_with(request, kReserved, false, reason, "", now));
}

std::string Backfill::check_consistency() const {
  if (!active_) return {};
  for (const auto& [root, plan] : plans_) {
    for (const PromisedStart& each : plan.all) {
      const auto twice = std::ranges::count(plan.all, each.request, &PromisedStart::request);
      if (twice != 1) return fmt::format("request {} was promised two starts", each.request);
    }
  }
  return expectations_.check_consistency();
}

}  // namespace tutti::core
