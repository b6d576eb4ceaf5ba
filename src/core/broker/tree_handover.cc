// Whose a request is: in trees that Kueue decides about the broker keeps what their status says,
// and where it is asked for places (mode check) it seeks them.
#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "core/broker/broker.h"

namespace tutti::core {
namespace {

// After so long Kueue asks again for a request that has no places.
constexpr std::int32_t kAskAgainSeconds = 60;

}  // namespace

bool Broker::is_ours(const Request& request) const {
  return acts_ && table_.objects().is_ours(request.queue);
}

void Broker::take_over(Instant now) {
  acts_ = true;
  follow_owners(now);
}

void Broker::follow_owners(Instant now) {
  owners_seen_ = table_.objects().version();
  if (!acts_) return;
  std::vector<Request*> changed;
  for (const auto& [name, request] : table_.all()) {
    if (request->ours != is_ours(*request)) changed.push_back(request.get());
  }
  for (Request* request : changed) change_hands(*request, now);
  warn_of_marks();
  if (table_.objects().authority().mode != BrokerMode::check) return;
  activate_checks(now);
  for (const auto& [name, request] : table_.all()) {
    if (!request->ours && asked_check(*request) != nullptr) to_check_.insert(name);
  }
}

// Nobody is evicted for it, and nobody who runs notices.
void Broker::change_hands(Request& request, Instant now) {
  request.ours = !request.ours;
  to_check_.erase(request.name);
  if (!request.ours) {
    to_seat_.erase(request.name);
    eviction_.drop_places(request, now);
    table_.keep(request, {}, 0);
    if (request.stage == RequestStage::preempting) table_.release(request);
    watch_time_of(request.name);
    return mirror(request, now);
  }
  eviction_.drop_places(request, now);
  table_.reorder(request, [&] {
    request.refusal.reset();
    request.last.reset();
    if (const auto& requeue = request.object->status.requeue) request.not_before = requeue->at;
  });
  if (request.holds()) to_seat_.insert(request.name);
  follow(request, now);
  watch_time_of(request.name);
}

// The request has what its status says, no more and no less.
void Broker::mirror(Request& request, Instant now) {
  const model::AdmissionRequest& object = *request.object;
  const bool ended = true_condition(object, "Finished") != nullptr;
  if (ended != request.finished) {
    table_.reorder(request, [&] { request.finished = ended; });
  }
  const bool promised = !ended && model::has_quota(object) && object.status.admission;
  const QuotaQueue* queue =
      promised ? table_.objects().queue(object.status.admission->cluster_queue) : nullptr;
  if (request.holds() && (queue == nullptr || queue->node != request.charged_to)) {
    eviction_.drop_places(request, now);
    table_.release(request);
  }
  if (queue != nullptr) charge_as_said(request, *queue, now);
  if (request.stage == RequestStage::releasing) eviction_.drop_places(request, now);
  if (asked_check(request) != nullptr) to_check_.insert(request.name);
}

// Tells of every tree that somebody marks and that is not ours for all that.
void Broker::warn_of_marks() {
  std::map<std::string, std::string> found;
  QuotaObjects& objects = table_.objects();
  for (const auto& [name, queue] : objects.queues()) {
    const TreeOwner& owner = objects.owner_at(objects.root_of(queue.node));
    std::string problem = mark_problem(*queue.object);
    if (problem.empty() && !owner.missing.empty()) {
      problem = "Tutti does not decide about this tree of queues: " + owner.missing;
    }
    if (problem.empty()) continue;
    const auto known = warned_.find(name);
    if (known == warned_.end() || known->second != problem) {
      writer_.warn(queue.object, "TreeNotTaken", problem);
    }
    found.emplace(name, std::move(problem));
  }
  warned_ = std::move(found);
}

// Says of checks that ask us that somebody answers them.
void Broker::activate_checks(Instant now) {
  for (const auto& [name, check] : table_.objects().checks()) {
    const model::Condition* active = model::find(check->conditions, "Active");
    const bool answered = active != nullptr && active->status == "True";
    if (answered || check->controller != kPlacementChecker) continue;
    auto next = std::make_shared<model::AdmissionCheck>(*check);
    std::erase_if(next->conditions.edit(),
                  [](const model::Condition& condition) { return condition.type == "Active"; });
    next->conditions.push_back({.type = "Active",
                                .status = "True",
                                .reason = "Active",
                                .message = "Tutti seeks and keeps places",
                                .last_transition = now,
                                .observed_generation = check->meta.generation});
    writer_.activate(next);
  }
}

// The state of our check in a request that Kueue gave quota; null: we are not asked.
const model::AdmissionCheckState* Broker::asked_check(const Request& request) const {
  const bool may_answer = acts_ && table_.objects().authority().mode == BrokerMode::check;
  const bool holds =
      request.stage == RequestStage::reserved || request.stage == RequestStage::admitted;
  if (!may_answer || request.ours || !holds) return nullptr;
  for (const model::AdmissionCheckState& state : request.object->status.checks) {
    const model::AdmissionCheck* check = table_.objects().check(state.check);
    if (check == nullptr || check->controller != kPlacementChecker) continue;
    const bool open = state.state == model::CheckState::pending;
    const bool kept = state.state == model::CheckState::ready;
    return open || kept ? &state : nullptr;
  }
  return nullptr;
}

// Places are sought for all pods that are still to come, and kept until they do.
bool Broker::answer_checks(Instant now) {
  if (to_check_.empty()) return false;
  bool any = false;
  for (const std::string& name : std::exchange(to_check_, {})) {
    Request* request = table_.find(name);
    const auto* asked = request != nullptr ? asked_check(*request) : nullptr;
    if (asked == nullptr) continue;
    if (asked->state == model::CheckState::ready && admission_.has_places(*request)) continue;
    model::AdmissionCheckState answer = *asked;
    eviction_.drop_places(*request, now);
    const auto refusal = admission_.seat(*request, now);
    // Who was let in is not sent away by us.
    if (refusal && request->stage == RequestStage::admitted) continue;
    answer.state = refusal ? model::CheckState::retry : model::CheckState::ready;
    if (answer.state == asked->state) continue;
    answer.last_transition = now;
    answer.message = refusal ? "There is no place: " + *refusal
                             : "Places for all its pods are kept until they come";
    answer.requeue_after_seconds = refusal ? std::optional(kAskAgainSeconds) : std::nullopt;
    writer_.answer_check(*request, answer);
    any = true;
  }
  return any;
}

}  // namespace tutti::core
