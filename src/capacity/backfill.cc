#include "capacity/backfill.h"

#include <algorithm>
#include <map>

#include "capacity/copy/imagined_gang.h"
#include "capacity/copy/rehearsal.h"
#include "core/placement/group_solver.h"
#include "core/victims/victim_cost.h"

namespace tutti::capacity {
namespace {

// Running work in the order in which it ends; the first few ends can be let happen and taken back.
class Ends {
 public:
  explicit Ends(core::Cluster& cluster) : cluster_(cluster) {
    std::map<Instant, std::vector<Leaver>> ends;
    for (std::uint32_t i = 0; i < cluster.pods().slots(); ++i) {
      const core::PodEntry& entry = cluster.pod({i});
      if (!entry.object || !entry.node.valid()) continue;
      if (const auto end = expected_end(*entry.object)) ends[*end].push_back({{i}, entry.node});
    }
    for (auto& [at, leavers] : ends) ends_.push_back({at, std::move(leavers)});
  }
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;
  ~Ends() { let_happen(0); }

  std::size_t size() const { return ends_.size(); }
  Instant at(std::size_t i) const { return ends_[i].at; }

  // Exactly the first `count` have happened.
  void let_happen(std::size_t count) {
    for (; happened_ < count; ++happened_) {
      for (const Leaver& leaver : ends_[happened_].leavers) cluster_.lift(leaver.pod);
    }
    for (; happened_ > count; --happened_) {
      for (const Leaver& leaver : ends_[happened_ - 1].leavers) {
        cluster_.put_back(leaver.pod, leaver.node);
      }
    }
  }

 private:
  struct Leaver {
    core::PodId pod;
    core::NodeId node;
  };
  struct End {
    Instant at;
    std::vector<Leaver> leavers;
  };
  core::Cluster& cluster_;
  std::vector<End> ends_;
  std::size_t happened_ = 0;
};

class Rehearsal {
 public:
  Rehearsal(ClusterCopy& twin, const Waiting& head)
      : twin_(twin), profile_(profile_of(twin, head)), tree_(tree_of(twin, head)) {}

  bool fits(core::Transaction& transaction) {
    core::GroupSolver solver(twin_.cluster(), twin_.groups(), twin_.evaluations(), profile_,
                             kTrialBudget);
    return solver.solve(transaction, tree_, nullptr).success();
  }

  // After how many ends it fits for the first time; empty: after none of them.
  std::optional<std::size_t> first_fit(Ends& ends) {
    if (ends.size() == 0 || !fits_after(ends, ends.size())) return std::nullopt;
    std::size_t fails = 0;  // it waits now
    std::size_t works = ends.size();
    while (works - fails > 1) {
      const std::size_t middle = fails + (works - fails) / 2;
      (fits_after(ends, middle) ? works : fails) = middle;
    }
    return works;
  }

 private:
  bool fits_after(Ends& ends, std::size_t count) {
    ends.let_happen(count);
    core::Transaction transaction(twin_.cluster());
    return fits(transaction);
  }

  ClusterCopy& twin_;
  const core::Profile& profile_;
  core::Subtree tree_;
};

using RoomByNode = std::vector<std::uint32_t>;

RoomByNode room_now(ClusterCopy& twin, const ImaginedGang& troupe) {
  const auto rooms = twin.evaluations().room(troupe.profile(), troupe.pod_class()).by_node();
  return {rooms.begin(), rooms.end()};
}

const Waiting* find_head(const Queue& queue) {
  const auto head = std::ranges::find_if(queue.lines, lacks_room);
  return head == queue.lines.end() ? nullptr : &*head;
}

}  // namespace

std::optional<Instant> expected_end(const model::Pod& pod) {
  if (!pod.status.start_time) return std::nullopt;
  std::optional<Instant> end;
  if (const std::string* text = model::find(pod.meta.annotations, core::kRunsForAnnotation)) {
    if (const auto length = parse_duration(*text); length.ok()) {
      end = later(*pod.status.start_time, *length);
    }
  }
  if (const auto seconds = pod.spec->active_deadline_seconds) {
    const Instant deadline = later(*pod.status.start_time, std::chrono::seconds(*seconds));
    end = std::min(end.value_or(deadline), deadline);
  }
  return end;
}

Backfill head_start(ClusterCopy& twin, const Queue& queue,
                    std::span<const std::unique_ptr<ImaginedGang>> troupes) {
  Backfill made;
  const Waiting* head = find_head(queue);
  if (head == nullptr) return made;
  made.head = head->name;
  std::vector<const ImaginedGang*> counted;
  std::vector<RoomByNode> now;
  for (const auto& troupe : troupes) {
    if (!troupe->counts()) continue;
    counted.push_back(troupe.get());
    now.push_back(room_now(twin, *troupe));
  }
  Ends ends(twin.cluster());
  Rehearsal rehearsal(twin, *head);
  const auto first = rehearsal.first_fit(ends);
  if (!first) {
    made.why = ends.size() == 0 ? "no running work says how long it takes"
                                : "it does not fit even when all work that says how long it takes "
                                  "has ended";
    return made;
  }
  made.starts = ends.at(*first - 1);
  ends.let_happen(*first);
  core::Transaction transaction(twin.cluster());
  rehearsal.fits(transaction);
  for (std::size_t i = 0; i < counted.size(); ++i) {
    Backfill::Beside beside{.requests = counted[i]->shape().requests};
    const RoomByNode then = room_now(twin, *counted[i]);
    for (std::size_t node = 0; node < then.size(); ++node) {
      beside.any_length += std::min(now[i][node], then[node]);
      beside.until_then += now[i][node];
    }
    made.beside.push_back(std::move(beside));
  }
  return made;
}

}  // namespace tutti::capacity
