#include "capacity/report.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

namespace tutti::capacity {
namespace {

// Beyond those shown, these many shapes of the work take part in judging which devices are of use.
constexpr std::size_t kShapesJudged = 40;

void count_incomplete(Report& report) {
  for (const IncompleteGroup& group : report.incomplete) {
    for (const auto& [held, count] : group.parts) {
      const auto use = std::ranges::find_if(report.devices, [&](const DeviceUse& each) {
        return each.name == held.first && each.part.value_or("") == held.second;
      });
      if (use != report.devices.end()) use->held_by_incomplete += count;
    }
  }
}

std::vector<PendingCost> pending_costs(const Question& question, const Queue& queue) {
  for (const Waiting& line : queue.lines) {
    if (question.pending->knows(line.name)) continue;
    question.pending->add_untried(line.name, pending_reason(line.verdict),
                                  question.now - line.waited, question.now, line.pods);
  }
  return question.pending->costs(
      question.now, [&](const std::string& name) { return queue.names.contains(name); });
}

}  // namespace

std::size_t pods_on_nodes(const core::Cluster& cluster) {
  std::size_t pods = 0;
  cluster.nodes().live().for_each_set([&](std::size_t node) {
    pods += cluster.pods().on({static_cast<std::uint32_t>(node)}).size();
  });
  return pods;
}

PendingTime::Reason pending_reason(const explain::Verdict& verdict) {
  using explain::Blocker;
  PendingTime::Reason reason{std::string(name(verdict.blocker)), {}};
  const bool of_amounts = verdict.blocker == Blocker::capacity ||
                          verdict.blocker == Blocker::fragmentation ||
                          verdict.blocker == Blocker::devices;
  if (of_amounts && !verdict.need.empty() && verdict.need.back().what != "members") {
    reason.constraint = verdict.need.back().what;
  } else if (verdict.blocker == Blocker::topology && !verdict.domains.empty()) {
    reason.constraint = verdict.domains.front().key;
  }
  return reason;
}

Report make_report(const Question& question, ClusterCopy& twin) {
  Report report;
  report.at = question.now;
  report.nodes = question.scheduler.cluster().nodes().count();
  report.pods = pods_on_nodes(question.scheduler.cluster());
  report.by = question.by;
  report.levels = levels_of(question.scheduler, question.levels);

  std::vector<Shape> shapes = shapes_of_work(question.scheduler);
  const std::size_t of_work = shapes.size();
  shapes.resize(std::min(of_work, kShapesJudged));
  shapes.insert(shapes.begin(), question.shapes.begin(), question.shapes.end());
  const std::size_t shown =
      question.shapes.empty() ? std::min(shapes.size(), kShapesShown) : question.shapes.size();
  report.more_shapes = question.shapes.empty() ? of_work - shown : 0;

  std::vector<std::unique_ptr<ImaginedGang>> troupes;
  std::vector<Candidate> candidates;
  for (const Shape& shape : shapes) {
    troupes.push_back(std::make_unique<ImaginedGang>(twin, shape, troupes.size()));
  }
  for (const auto& troupe : troupes) {
    candidates.push_back(candidate_of(twin, *troupe));
  }
  for (std::size_t i = 0; i < shown; ++i) {
    report.shapes.push_back(
        {shapes[i], room_by_level(twin, *troupes[i], report.levels),
         pooled_room(twin.cluster(), candidates[i].shape, candidates[i].refusals)});
  }
  report.devices = device_use(twin, candidates, question.by);
  report.incomplete =
      incomplete_groups(question.scheduler.cluster(), question.scheduler.groups(), question.by);
  count_incomplete(report);
  report.queue =
      waiting_work(question.scheduler, question.sources, question.now, kWaitingExplained);
  if (question.pending != nullptr) report.pending = pending_costs(question, report.queue);
  report.head = head_start(twin, report.queue, std::span(troupes).first(shown));
  report.reservations = promised_rooms(question.scheduler);
  report.evictions = evictions(twin, report.queue, question.now);
  report.quota = quota_cover(question.scheduler);
  return report;
}

void rename_work(Report& report, const NameInUse& name_in_use) {
  for (Waiting& waiting : report.queue.lines) waiting.name = name_in_use(waiting.name);
  for (IncompleteGroup& group : report.incomplete) group.name = name_in_use(group.name);
  for (Eviction& eviction : report.evictions) {
    eviction.name = name_in_use(eviction.name);
    for (auto& unit : eviction.verdict.victims) unit.name = name_in_use(unit.name);
  }
  if (!report.head.head.empty()) report.head.head = name_in_use(report.head.head);
}

std::string name_of(const DeviceUse& use, const std::string& by) {
  if (!use.part) return use.name;
  return use.name + " (" + (use.part->empty() ? "no " + by : *use.part) + ")";
}

bool fragmented(const Waiting& waiting) {
  return waiting.verdict.blocker == explain::Blocker::fragmentation;
}

}  // namespace tutti::capacity
