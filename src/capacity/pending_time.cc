#include "capacity/pending_time.h"

#include <algorithm>

namespace tutti::capacity {
namespace {

// The next look comes when the wait has grown by a quarter.
bool worth_a_look(Instant first, Instant looked, Instant now) {
  return now - looked >= (looked - first) / 4;
}

}  // namespace

void PendingTime::catch_up(const FactsOf& facts_of, const ReasonOf& reason_of) {
  for (const core::Decision& decision : fresh_) take_in(decision, facts_of, reason_of);
  fresh_.clear();
}

void PendingTime::take_in(const core::Decision& decision, const FactsOf& facts_of,
                          const ReasonOf& reason_of) {
  using Kind = core::Decision::Kind;
  if (decision.kind == Kind::bind_failed || decision.kind == Kind::taken_back) return;
  const auto [at, fresh] = entities_.try_emplace(decision.entity);
  Wait& wait = at->second;
  if (fresh) {
    const Facts facts = facts_of(decision.entity, decision.at);
    wait.pods = facts.pods;
    wait.first = decision.at;
    if (facts.created && *facts.created < decision.at) {
      add(sums_, decision.entity, {facts.came_last ? "incomplete" : "gated", {}},
          decision.at - *facts.created, wait.pods);
    }
  }
  book(decision.entity, wait, decision.at);
  if (decision.kind == Kind::placed) {
    wait.waits = false;
    waiting_.erase(decision.entity);
  } else {
    if (!fresh) wait.pods = facts_of(decision.entity, decision.at).pods;
    refused(decision.entity, wait, decision.at, reason_of);
  }
}

void PendingTime::refused(const std::string& entity, Wait& wait, Instant at,
                          const ReasonOf& reason_of) {
  if (!wait.waits) wait.first = at;
  const bool look = !wait.waits || worth_a_look(wait.first, wait.looked, at);
  wait.waits = true;
  waiting_.insert(entity);
  if (!look) return;
  wait.reason = reason_of(entity).value_or(Reason{});
  wait.looked = at;
}

// All or nobody: what a cause costs is compared with what others cost.
void PendingTime::come_to_rest(Instant now, const FactsOf& facts_of, const ReasonOf& reason_of) {
  if (looks_left_ < waiting_.size()) return;
  looks_left_ -= waiting_.size();
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    Wait& wait = entities_.at(*at);
    book(*at, wait, now);
    const auto reason = reason_of(*at);
    wait.waits = reason.has_value();
    if (!reason) {
      at = waiting_.erase(at);
      continue;
    }
    wait.reason = *reason;
    wait.looked = now;
    wait.pods = facts_of(*at, now).pods;
    ++at;
  }
}

void PendingTime::book(const std::string& entity, Wait& wait, Instant until) {
  if (wait.waits) add(sums_, entity, wait.reason, until - wait.since, wait.pods);
  wait.since = until;
}

void PendingTime::add(Sums& sums, const std::string& entity, const Reason& reason, Millis waited,
                      std::size_t pods) {
  if (waited <= Millis{0}) return;
  Sum& sum = sums[{reason.blocker, reason.constraint}];
  sum.entities.insert(entity);
  sum.waited += waited;
  sum.pod_time += waited * static_cast<std::int64_t>(pods);
}

void PendingTime::add_untried(const std::string& entity, const Reason& reason, Instant since,
                              Instant until, std::size_t pods) {
  add(sums_, entity, reason, until - since, pods);
}

std::vector<PendingCost> PendingTime::costs(
    Instant now, const std::function<bool(const std::string&)>& waits) const {
  Sums sums = sums_;
  for (const auto& [entity, wait] : entities_) {
    if (wait.waits && waits(entity)) add(sums, entity, wait.reason, now - wait.since, wait.pods);
  }
  std::vector<PendingCost> costs;
  for (const auto& [reason, sum] : sums) {
    costs.push_back({reason.first, reason.second, sum.entities.size(), sum.waited, sum.pod_time});
  }
  std::ranges::stable_sort(costs, std::ranges::greater{}, &PendingCost::pod_time);
  return costs;
}

}  // namespace tutti::capacity
