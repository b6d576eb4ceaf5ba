#include "explain/request_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/broker/backfill_words.h"
#include "core/requests/elastic.h"
#include "core/requests/pending_reason.h"
#include "explain/findings/demand.h"
#include "explain/followed_request.h"
#include "explain/quota_room.h"
#include "explain/verdict/text.h"

namespace tutti::explain {
namespace {

using core::Request;
using core::RequestStage;
using core::Waits;

// Competitors beyond these are not listed.
constexpr std::size_t kHoldersMax = 100;

std::string quota_text(std::string_view resource, std::int64_t amount) {
  return core::amount_text(resource, amount);
}

bool lacks_places(const core::PendingReason* why) {
  return why != nullptr && (why->reason == Waits::placement_failed ||
                            why->reason == Waits::topology_placement_failed);
}

// What the request was refused for with all that are like it; null: it waits for a reason of its
// own.
const core::ShapeRefusal* shared_refusal(const core::RequestTable& table, const Request& request) {
  if (request.not_before || request.parked_alone) return nullptr;
  return table.line(request.queue).refusal_of(request);
}

const core::PlaceAttempt* last_attempt(const core::RequestTable& table, const Request& request) {
  const core::ShapeRefusal* shared = shared_refusal(table, request);
  return shared != nullptr ? shared->attempt.get() : request.last.get();
}

// --- the queue's side ----------------------------------------------------------------------------

std::string mode_of(const FlavorRoom& room) {
  if (!room.usable()) return "unusable";
  if (room.fits()) return "fit";
  return room.never() ? "never" : "waits";
}

QueueView::Flavor view_of(const FlavorRoom& room) {
  QueueView::Flavor flavor{.name = room.name,
                           .mode = mode_of(room),
                           .borrow_level = 0,
                           .why = room.mismatch,
                           .resources = {}};
  for (const ResourceRoom& each : room.resources) {
    const auto text = [&](std::int64_t amount) { return quota_text(each.resource, amount); };
    flavor.borrow_level = std::max(flavor.borrow_level, each.borrow_level);
    flavor.resources.push_back({.resource = each.resource,
                                .need = text(each.need),
                                .nominal = text(each.nominal),
                                .used = text(each.used),
                                .borrowed = text(each.borrowed),
                                .free = text(each.free),
                                .lacks = each.lacks()});
  }
  return flavor;
}

// Who holds what the rooms lack, in the whole tree of the queue: whoever holds most first.
std::vector<QueueView::Holder> holders_of(const core::RequestTable& table,
                                          const core::QuotaQueue& queue,
                                          std::span<const FlavorRoom> rooms) {
  std::set<std::pair<std::string_view, std::string_view>> lacking;
  for (const FlavorRoom& room : rooms) {
    for (const ResourceRoom& each : room.resources) {
      if (each.lacks()) lacking.emplace(room.name, each.resource);
    }
  }
  const quota::Tree& tree = table.objects().tree();
  const quota::FlavorResources& names = tree.flavor_resources();
  std::vector<std::pair<std::int64_t, QueueView::Holder>> found;
  for (const auto& [name, request] : table.all()) {
    if (!request->charged_to.valid() || tree.root(request->charged_to) != tree.root(queue.node)) {
      continue;
    }
    for (const quota::Charge& charge : request->charges) {
      const std::string_view flavor = names.name(names.flavor(charge.of));
      const std::string_view resource = names.name(names.resource(charge.of));
      if (charge.amount == 0 || !lacking.contains({flavor, resource})) continue;
      found.emplace_back(charge.amount,
                         QueueView::Holder{.name = text_of(author_of(*request->object)),
                                           .queue = std::string(tree.name(request->charged_to)),
                                           .flavor = std::string(flavor),
                                           .resource = std::string(resource),
                                           .amount = quota_text(resource, charge.amount)});
    }
  }
  std::ranges::stable_sort(found, std::ranges::greater{},
                           [](const auto& each) { return each.first; });
  std::vector<QueueView::Holder> holders;
  for (auto& [amount, holder] : found) {
    if (holders.size() < kHoldersMax) holders.push_back(std::move(holder));
  }
  return holders;
}

// "needs 8 cpu of flavor std; queue ml has 3 of 16 left, its cohort lends 2 more".
std::string sentence_of(const core::QuotaQueue& queue, const FlavorRoom& room,
                        const ResourceRoom& lacking) {
  const auto text = [&](std::int64_t amount) { return quota_text(lacking.resource, amount); };
  const auto need =
      fmt::format("needs {} {} of flavor {}", text(lacking.need), lacking.resource, room.name);
  if (lacking.never()) {
    return fmt::format("{}; queue {} may have {} at most, with everybody else gone", need,
                       queue.name(), text(lacking.most));
  }
  const std::int64_t own = std::max<std::int64_t>(0, lacking.nominal - lacking.used);
  const std::int64_t left = std::min(own, lacking.free);
  auto said = fmt::format("{}; queue {} has {} of {} left", need, queue.name(), text(left),
                          text(lacking.nominal));
  if (lacking.free > own)
    said += fmt::format(", its cohort lends {} more", text(lacking.free - own));
  if (own > lacking.free)
    said += fmt::format(", others have borrowed {}", text(own - lacking.free));
  if (lacking.borrowing_limit && lacking.free < lacking.need &&
      lacking.nominal + *lacking.borrowing_limit < lacking.used + lacking.need) {
    said += fmt::format(", and it may borrow no more than {}", text(*lacking.borrowing_limit));
  }
  return said;
}

void add_quota(Verdict& verdict, const core::QuotaQueue& queue, const core::PendingReason& why,
               std::span<const FlavorRoom> rooms) {
  std::string said;
  for (const FlavorRoom* room : lacking_flavors(rooms)) {
    for (const ResourceRoom& each : room->resources) {
      if (!each.lacks()) continue;
      said += (said.empty() ? "" : "; and it ") + sentence_of(queue, *room, each);
      const auto what = fmt::format("{} ({})", each.resource, room->name);
      verdict.need.push_back({what, quota_text(each.resource, each.need)});
      verdict.have.push_back({what, quota_text(each.resource, each.free)});
    }
  }
  verdict.summary = said.empty() ? why.message : said;
}

// --- the places' side ----------------------------------------------------------------------------

// Says what the pods to come lack, as if they were there and waited. Of requests alike one has
// phantoms, for all of them.
void add_places(Verdict& verdict, const Sources& sources, const core::Broker& broker,
                const Request& request, const core::PendingReason& why) {
  verdict.blocker = Blocker::capacity;
  verdict.summary = why.message;
  const core::PlaceAttempt* last = last_attempt(broker.requests(), request);
  if (last == nullptr) return;
  const core::PlaceAttempt& tried = *last;
  const auto& gangs = broker.phantoms().all();
  const auto gang = gangs.find(tried.request);
  if (gang == gangs.end() || gang->second.made != tried.gang) return;
  if (scheduled_pods(sources.groups, gang->second.root) > 0) return;
  Sources of_places = sources;
  of_places.last_attempt = [&](core::PodId) { return &tried.attempt; };
  of_places.held_reason = [](core::PodId) { return std::string(); };
  of_places.absent = {};
  of_places.memory = nullptr;
  Verdict places = explain_group(of_places, gang->second.root);
  places.object = std::move(verdict.object);
  places.queue = std::move(verdict.queue);
  places.summary = fmt::format("quota would do ({} of queue {}), places are missing: {}",
                               flavors_text(tried.promise), request.queue, places.summary);
  verdict = std::move(places);
}

// --- states --------------------------------------------------------------------------------------

void hold(Verdict& verdict, State state, Blocker blocker, std::string summary) {
  verdict.state = state;
  verdict.blocker = blocker;
  verdict.summary = std::move(summary);
}

// Whether nobody looks at it as long as the first of its queue waits.
bool is_held_back(const core::RequestTable& table, const Request& request) {
  const core::QuotaQueue* queue = table.objects().queue(request.queue);
  return queue != nullptr && queue->strict && !ahead_in_queue(table, request).empty();
}

void add_untried(Verdict& verdict, const core::RequestTable& table, const Request& request) {
  if (request.not_before) {
    return hold(verdict, State::held, Blocker::gated,
                "is not tried again before " + format_rfc3339(*request.not_before));
  }
  if (is_held_back(table, request)) {
    return hold(verdict, State::waiting, Blocker::quota,
                fmt::format("waits behind {}: queue {} is StrictFIFO, nobody passes its first",
                            ahead_in_queue(table, request).front(), request.queue));
  }
  hold(verdict, State::waiting, Blocker::none, "waits for its turn; it was not tried yet");
}

void add_refusal(Verdict& verdict, const Sources& sources, const core::Broker& broker,
                 const Request& request, const core::PendingReason& why,
                 std::span<const FlavorRoom> rooms) {
  const core::RequestTable& table = broker.requests();
  const core::QuotaQueue* queue = table.objects().queue(request.queue);
  const std::string& said = why.message;
  switch (why.reason) {
    case Waits::placement_failed:
    case Waits::topology_placement_failed:
      return add_places(verdict, sources, broker, request, why);
    case Waits::for_quota:
      if (lacking_flavors(rooms).empty() && is_held_back(table, request)) {
        return add_untried(verdict, table, request);
      }
      hold(verdict, State::waiting, Blocker::quota, said);
      return add_quota(verdict, *queue, why, rooms);
    case Waits::exceeds_max_quota:
      hold(verdict, State::impossible, Blocker::quota, said);
      return add_quota(verdict, *queue, why, rooms);
    case Waits::no_matching_flavor:
      return hold(verdict, State::impossible, Blocker::quota, said);
    case Waits::pending_evaluation:
      return add_untried(verdict, table, request);
    case Waits::for_reservation:
    case Waits::for_preempted:
    case Waits::for_pods_ready:
      return hold(verdict, State::waiting, Blocker::quota, said);
    case Waits::admission_gated:
    case Waits::suspended:
    case Waits::on_hold:
    case Waits::misconfigured:
      return hold(verdict, State::held, Blocker::gated, said);
  }
}

void add_preempting(Verdict& verdict, const core::RequestTable& table, const Request& request) {
  std::vector<std::string> names;
  for (const std::string& victim : request.victims) {
    const auto at = table.all().find(victim);
    if (at == table.all().end()) {
      names.push_back(victim);
      continue;
    }
    const Request& goes = *at->second;
    names.push_back(text_of(author_of(*goes.object)));
    if (!goes.shrinks_by) continue;
    Preemption::Unit unit;
    unit.name = names.back();
    unit.priority = static_cast<std::int32_t>(goes.priority);
    unit.shrinks = fmt::format("{}\u2192{}", goes.pods.size(), goes.promise.front().count);
    names.back() += " " + unit.shrinks;
    verdict.preemption.victims.push_back(std::move(unit));
  }
  if (!verdict.preemption.victims.empty()) {
    verdict.preemption.outcome = "waiting";
    verdict.preemption.summary = "pods leave for it that their work can do without";
  }
  hold(verdict, State::preempting, Blocker::quota,
       "waits until those have left that make room for it: " + first_of(names));
}

// "8 pods", "5 of 8 pods".
std::string size_of(const Request& request) {
  std::int64_t asked = 0;
  std::int64_t given = 0;
  for (const model::PodSet& set : request.object->spec.pod_sets) asked += set.count;
  for (const core::PodSetPromise& set : request.promise) given += set.count;
  if (given == asked) return counted(static_cast<std::size_t>(asked), "pod");
  return fmt::format("{} of {} pods", given, asked);
}

// How long it may keep what it has; empty: as the queues' policies say.
std::string_view tenure_text(const Request& request) {
  switch (request.tenure) {
    case quota::Tenure::guaranteed:
      return "; guaranteed: nobody takes its quota";
    case quota::Tenure::ordinary:
      return "";
    case quota::Tenure::burst:
      return request.demoted
                 ? "; burst, as its queue owns too little to guarantee it: may leave at any time"
                 : "; burst: may leave at any time";
    case quota::Tenure::opportunistic:
      return "; opportunistic, charged to nobody: leaves as soon as anyone needs its room";
  }
  return "";
}

// What it would like to have beyond what it runs with; empty: it has all.
std::string growth_text(const Request& request) {
  const std::int64_t more = core::wanted_more(request);
  if (more == 0) return {};
  const auto& of_pod = request.asks[*core::elastic_set(*request.object)];
  std::vector<std::string> amounts;
  for (const auto& [resource, amount] : of_pod) {
    amounts.push_back(fmt::format("{} {}", quota_text(resource, amount * more), resource));
  }
  return fmt::format("; {} more when {} are free and nobody waits", more, fmt::join(amounts, ", "));
}

void add_reserved(Verdict& verdict, const Request& request) {
  std::vector<std::string> open;
  for (const model::AdmissionCheckState& check : request.object->status.checks) {
    if (check.state != model::CheckState::ready) open.push_back(check.check);
  }
  hold(verdict, State::held, Blocker::gated,
       fmt::format("has its quota ({} of queue {}) and waits for admission checks: {}",
                   flavors_text(request.promise), request.queue, first_of(open)));
}

void add_stage(Verdict& verdict, const Sources& sources, const core::Broker& broker,
               const Request& request, const core::PendingReason* why,
               std::span<const FlavorRoom> rooms) {
  switch (request.stage) {
    case RequestStage::waiting:
      if (request.finished) return hold(verdict, State::running, Blocker::none, "has finished");
      if (why == nullptr) return add_untried(verdict, broker.requests(), request);
      return add_refusal(verdict, sources, broker, request, *why, rooms);
    case RequestStage::preempting:
      return add_preempting(verdict, broker.requests(), request);
    case RequestStage::reserved:
      return add_reserved(verdict, request);
    case RequestStage::admitted:
      return hold(verdict, State::running, Blocker::none,
                  fmt::format("is admitted to queue {} with {}: {}{}{}", request.queue,
                              flavors_text(request.promise), size_of(request), growth_text(request),
                              tenure_text(request)));
    case RequestStage::releasing:
      return hold(verdict, State::waiting, Blocker::quota,
                  fmt::format("is leaving: {} still here",
                              counted(request.pods.size(), "pod") +
                                  (request.pods.size() == 1 ? " is" : " are")));
  }
}

}  // namespace

std::string flavors_text(std::span<const core::PodSetPromise> promise) {
  std::set<std::string> names;
  for (const core::PodSetPromise& set : promise) {
    for (const auto& [resource, flavor] : set.flavors) names.insert(flavor);
  }
  if (names.empty()) return "no flavor";
  return fmt::format("flavor{} {}", names.size() == 1 ? "" : "s", fmt::join(names, " and "));
}

ObjectName author_of(const model::AdmissionRequest& request) {
  for (const model::OwnerReference& owner : request.meta.owners) {
    if (owner.controller) return {owner.kind, request.meta.ns, owner.name};
  }
  return {"Workload", request.meta.ns, request.meta.name};
}

const core::PendingReason* pending_reason(const core::RequestTable& table, const Request& request) {
  if (request.holds() || request.finished) return nullptr;
  const core::ShapeRefusal* shared = shared_refusal(table, request);
  if (shared != nullptr) return &shared->why;
  return request.refusal ? &*request.refusal : nullptr;
}

std::vector<std::string> ahead_in_queue(const core::RequestTable& table, const Request& request) {
  std::vector<std::string> ahead;
  if (request.holds() || request.finished) return ahead;
  for (const Request* other : table.waiting(request.queue)) {
    if (other == &request) break;
    ahead.push_back(text_of(author_of(*other->object)));
  }
  return ahead;
}

Verdict explain_request(const Sources& sources, const core::Broker& broker,
                        const Request& request) {
  const core::RequestTable& table = broker.requests();
  Verdict verdict;
  verdict.object = {"Workload", request.object->meta.ns, request.object->meta.name};
  QueueView view;
  view.cluster_queue = request.queue;
  view.local_queue = request.object->spec.queue;
  std::vector<FlavorRoom> rooms;
  const core::PendingReason* why = pending_reason(table, request);
  if (!request.holds() && !request.finished) {
    view.reason = word(why != nullptr ? why->reason : Waits::pending_evaluation);
    view.ahead = ahead_in_queue(table, request);
    view.position = view.ahead.size() + 1;
    if (const core::QuotaQueue* queue = table.objects().queue(request.queue)) {
      rooms = quota_room(table, *queue, request);
      for (const FlavorRoom& room : rooms) view.flavors.push_back(view_of(room));
      if (!lacks_places(why)) view.competitors = holders_of(table, *queue, rooms);
    }
  }
  verdict.queue = std::move(view);
  if (!request.ours) {
    add_followed(verdict, sources, table, request);
    return verdict;
  }
  // In virtual time the future is played, and says more.
  if (const model::Condition* reserved = core::true_condition(*request.object, core::kReserved)) {
    if (!request.holds()) verdict.next = reserved->message;
  }
  add_stage(verdict, sources, broker, request, why, rooms);
  return verdict;
}

}  // namespace tutti::explain
