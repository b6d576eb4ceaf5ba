#include "core/broker/turns.h"

#include <algorithm>
#include <tuple>

#include "quota/tournament.h"

namespace tutti::core {
namespace {

// Held for a reason that lies in the request, not in what is free: others need not wait for that.
bool is_held(const Request& request) {
  if (request.not_before) return true;
  return request.refusal && request.refusal->reason >= Waits::admission_gated;
}

bool goes_first(const Request& left, const Request& right) {
  return std::tuple(-left.priority, left.timestamp, std::string_view(left.name)) <
         std::tuple(-right.priority, right.timestamp, std::string_view(right.name));
}

}  // namespace

// Whoever waits for victims to leave has not started yet.
bool Turns::would_overtake(const QuotaQueue& queue, const Request& request) const {
  return std::ranges::any_of(table_.preempting(), [&](const std::string& name) {
    const Request& other = *table_.find(name);
    return other.charged_to == queue.node && goes_first(other, request);
  });
}

Request* Turns::head_of(const QuotaQueue& queue, const IsReady& is_ready) const {
  for (Request* request : table_.waiting(queue.name())) {
    if (is_ready(*request)) {
      return queue.strict && would_overtake(queue, *request) ? nullptr : request;
    }
    if (queue.strict && !is_held(*request)) return nullptr;
  }
  return nullptr;
}

Request* Turns::next(const IsReady& is_ready) {
  std::map<quota::QuotaNodeId, Heads> roots;
  const quota::Tree& tree = table_.objects().tree();
  Request* best = nullptr;
  const auto consider = [&](Request* request) {
    if (request != nullptr && (best == nullptr || goes_first(*request, *best))) best = request;
  };
  for (const auto& [name, line] : table_.lines()) {
    const QuotaQueue* queue = table_.objects().queue(name);
    if (queue == nullptr) {
      // The queue does not exist; each is told so.
      for (Request* request : line) {
        if (is_ready(*request)) consider(request);
      }
      continue;
    }
    if (Request* head = head_of(*queue, is_ready)) {
      roots[tree.root(queue->node)].emplace_back(queue, head);
    }
  }
  for (const auto& [root, heads] : roots) {
    consider(table_.config().fair_sharing.empty() ? first_of_root(heads)
                                                  : winner_by_shares(root, heads));
  }
  return best;
}

Request* Turns::first_of_root(const Heads& heads) {
  if (heads.size() == 1) return heads.front().second;
  Request* best = nullptr;
  quota::Entry best_entry;
  for (const auto& [queue, head] : heads) {
    const quota::Entry entry{.borrow_level = assignments_.outlook(*queue, *head).borrow_level,
                             .priority = head->priority,
                             .timestamp = head->timestamp,
                             .uid = head->name};
    if (best == nullptr || quota::goes_first_in_root(entry, best_entry)) {
      best = head;
      best_entry = entry;
    }
  }
  return best;
}

Request* Turns::winner_by_shares(quota::QuotaNodeId root, const Heads& heads) {
  if (heads.size() == 1) return heads.front().second;
  quota::Tournament tournament(table_.objects().tree());
  for (const auto& [queue, head] : heads) {
    tournament.nominate(queue->node, {.charges = assignments_.outlook(*queue, *head).charges,
                                      .priority = head->priority,
                                      .timestamp = head->timestamp,
                                      .uid = head->name});
  }
  const auto winner = tournament.winner(root);
  if (!winner) return nullptr;
  for (const auto& [queue, head] : heads) {
    if (queue->node == *winner) return head;
  }
  return nullptr;
}

}  // namespace tutti::core
