#include "core/broker/turns.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tutti::core {
namespace {

// Held for a reason that lies in the request, not in what is free: others need not wait for that.
bool is_held(const Request& request) {
  return request.not_before.has_value() || request.parked_alone;
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

Request* Turns::next(std::uint64_t news) {
  if (objects_ != table_.objects().version() || lines_ != table_.lines().size()) rebuild();
  Request* best = nullptr;
  const auto consider = [&](Request* request) {
    if (request != nullptr && (best == nullptr || goes_first(*request, *best))) best = request;
  };
  for (RootTurn& turn : roots_) {
    if (refresh_winner(turn, news)) {
      turn.winner =
          table_.config().fair_sharing.empty() ? first_of_root(turn) : winner_by_shares(turn);
    }
    consider(turn.winner);
  }
  // Each is told that its queue does not exist.
  for (const WaitingLine* line : strays_) {
    for (const auto& [shape, alike] : line->shapes()) consider(*alike.requests.begin());
  }
  return best;
}

void Turns::rebuild() {
  table_.unpark();
  objects_ = table_.objects().version();
  lines_ = table_.lines().size();
  roots_.clear();
  strays_.clear();
  tournament_.reset();
  std::map<quota::QuotaNodeId, std::size_t> at;
  const quota::Tree& tree = table_.objects().tree();
  for (const auto& [name, line] : table_.lines()) {
    const QuotaQueue* queue = table_.objects().queue(name);
    if (queue == nullptr) {
      strays_.push_back(&line);
      continue;
    }
    const auto [root, fresh] = at.emplace(tree.root(queue->node), roots_.size());
    if (fresh) roots_.push_back({.root = root->first});
    roots_[root->second].queues.push_back({.queue = queue, .line = &line});
  }
  if (!table_.config().fair_sharing.empty()) tournament_.emplace(tree);
}

// Where everybody is planned, each has a turn when its time has come, or it has no plan yet.
Request* Turns::planned_head_of(QueueTurn& turn, std::uint64_t news) const {
  turn.heeds_news = true;
  std::size_t planned = 0;
  for (Request* request : turn.line->all()) {
    if (is_held(*request)) continue;
    if (++planned > Backfill::kPlannedMax) return nullptr;
    if (backfill_->may_be_tried(*request, turn.quota, news)) return request;
  }
  return nullptr;
}

// The first of a StrictFIFO queue holds back all others until it is decided.
Request* Turns::head_of(QueueTurn& turn, std::uint64_t news) const {
  const auto stands = [&](const ShapeRefusal& refusal) {
    turn.heeds_news = turn.heeds_news || refusal.cluster != 0;
    return refusal.quota == turn.quota && (refusal.cluster == 0 || refusal.cluster == news);
  };
  turn.heeds_news = false;
  const BackfillMode backfill =
      backfill_ != nullptr ? backfill_->mode_of(*turn.queue) : BackfillMode::none;
  if (backfill == BackfillMode::conservative) return planned_head_of(turn, news);
  if (turn.queue->strict && backfill == BackfillMode::none) {
    for (Request* request : turn.line->all()) {
      if (is_held(*request)) continue;
      const ShapeRefusal* refusal = turn.line->refusal_of(*request);
      if (refusal != nullptr && stands(*refusal)) return nullptr;
      return would_overtake(*turn.queue, *request) ? nullptr : request;
    }
    return nullptr;
  }
  Request* first = nullptr;
  for (const auto& [shape, alike] : turn.line->shapes()) {
    if (alike.refusal && stands(*alike.refusal)) continue;
    Request* candidate = *alike.requests.begin();
    if (first == nullptr || WaitingLine::InQueue{}(candidate, first)) first = candidate;
  }
  return first;
}

// Whether the head may be another one.
bool Turns::refresh_head(QueueTurn& turn, std::uint64_t news) {
  const std::uint64_t quota = table_.quota_version(turn.queue->node);
  if (turn.line_changes == turn.line->changes() && turn.quota == quota &&
      (!turn.heeds_news || turn.news == news)) {
    return false;
  }
  turn.line_changes = turn.line->changes();
  turn.quota = quota;
  turn.news = news;
  turn.head = head_of(turn, news);
  return true;
}

// Whether the winner may be another one.
bool Turns::refresh_winner(RootTurn& turn, std::uint64_t news) {
  const std::uint64_t usage = table_.usage_version(turn.root);
  bool changed = std::exchange(turn.usage, usage) != usage;
  for (QueueTurn& queue : turn.queues) changed = refresh_head(queue, news) || changed;
  return changed;
}

Request* Turns::first_of_root(const RootTurn& turn) {
  Request* best = nullptr;
  quota::Entry best_entry;
  for (const QueueTurn& each : turn.queues) {
    if (each.head == nullptr) continue;
    const std::uint32_t level =
        turn.queues.size() > 1 ? assignments_.outlook(*each.queue, *each.head).borrow_level : 0;
    const quota::Entry entry{.borrow_level = level,
                             .priority = each.head->priority,
                             .timestamp = each.head->timestamp,
                             .uid = each.head->name};
    if (best == nullptr || quota::goes_first_in_root(entry, best_entry)) {
      best = each.head;
      best_entry = entry;
    }
  }
  return best;
}

Request* Turns::winner_by_shares(RootTurn& turn) {
  for (QueueTurn& each : turn.queues) {
    const std::uint64_t charges = table_.charges_version(each.queue->node);
    const bool charged = std::exchange(each.charges, charges) != charges;
    if (each.head == nullptr) {
      if (std::exchange(each.nominated, nullptr) != nullptr) {
        tournament_->withdraw(each.queue->node);
      } else if (charged) {
        tournament_->usage_changed(each.queue->node);
      }
      continue;
    }
    const Assignments::Outlook& outlook = assignments_.outlook(*each.queue, *each.head);
    const bool same = each.nominated == each.head &&
                      tournament_->head(each.queue->node).charges == outlook.charges;
    each.nominated = each.head;
    if (!same) {
      tournament_->nominate(each.queue->node, {.charges = outlook.charges,
                                               .priority = each.head->priority,
                                               .timestamp = each.head->timestamp,
                                               .uid = each.head->name});
    } else if (charged) {
      tournament_->usage_changed(each.queue->node);
    }
  }
  const auto winner = tournament_->winner(turn.root);
  if (!winner) return nullptr;
  for (const QueueTurn& each : turn.queues) {
    if (each.queue->node == *winner) return each.head;
  }
  return nullptr;
}

}  // namespace tutti::core
