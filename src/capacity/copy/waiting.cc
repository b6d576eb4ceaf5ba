#include "capacity/copy/waiting.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "explain/request_verdict.h"

namespace tutti::capacity {
namespace {

struct WaitingFound {
  Waiting line;
  Instant since = kEndOfTime;
  const core::Request* request = nullptr;  // in a queue; its pods are yet to come
};

std::string name_of(const core::Group& group) {
  return fmt::format("{} {}/{}", group.composite ? "CompositePodGroup" : "PodGroup", group.ns,
                     group.name);
}

// A lone pod's own; of a group what its objects say, or its pods where the object does not exist.
std::int32_t priority_of(const core::GroupTable& groups, core::GroupId root,
                         const model::Pod& pod) {
  const bool known = root.valid() && groups[root].seen() && groups[root].spec().priority;
  return known ? groups[root].priority() : pod.priority.value_or(0);
}

class WaitingCollector {
 public:
  // `pods_alone`: lone pods that are alike are not told together.
  WaitingCollector(const core::Scheduler& scheduler, bool pods_alone)
      : scheduler_(scheduler), pods_alone_(pods_alone) {}

  void add(core::PodId id) {
    const core::PodEntry& entry = scheduler_.cluster().pod(id);
    if (!entry.object || !entry.object->node_name.empty() || entry.assumed) return;
    if (core::is_phantom(*entry.object)) return;  // its request is what waits
    if (scheduler_.profile_for(*entry.object) == nullptr) return;
    const core::GroupId root = root_of(*entry.object);
    WaitingFound& found = root.valid() ? groups_[root] : lone_[key_of(entry)];
    ++found.line.pods;
    names_.insert(root.valid() ? capacity::name_of(scheduler_.groups()[root])
                               : name_of(*entry.object));
    const Instant since = entry.object->meta.created.value_or(Instant{});
    const bool first = !found.line.pod.valid() || std::tie(since, entry.object->meta.name) <
                                                      std::tie(found.since, first_of(found));
    if (!first) return;
    found.since = since;
    found.line.root = root;
    found.line.pod = id;
    found.line.priority = priority_of(scheduler_.groups(), root, *entry.object);
  }

  std::set<std::string> take_names() { return std::move(names_); }
  std::vector<WaitingFound> take() {
    std::vector<WaitingFound> all;
    for (auto& [root, found] : groups_) {
      found.line.name = capacity::name_of(scheduler_.groups()[root]);
      all.push_back(std::move(found));
    }
    for (auto& [key, found] : lone_) {
      found.line.name = name_of(*scheduler_.cluster().pod(found.line.pod).object);
      all.push_back(std::move(found));
    }
    return all;
  }

 private:
  using LoneKey = std::tuple<core::ShapeId, std::string, std::int32_t, std::string>;

  static std::string name_of(const model::Pod& pod) {
    return fmt::format("Pod {}/{}", pod.meta.ns, pod.meta.name);
  }
  const std::string& first_of(const WaitingFound& found) const {
    return scheduler_.cluster().pod(found.line.pod).object->meta.name;
  }

  // Its whole tree where that exists, else the group it names.
  core::GroupId root_of(const model::Pod& pod) const {
    if (pod.spec->scheduling_group.empty()) return {};
    const core::GroupTable& groups = scheduler_.groups();
    const auto leaf = groups.find(pod.meta.ns, pod.spec->scheduling_group, false);
    if (!leaf) return {};
    return groups.root_of(*leaf).value_or(*leaf);
  }

  LoneKey key_of(const core::PodEntry& entry) const {
    return {entry.shape, entry.object->meta.ns, entry.object->priority.value_or(0),
            pods_alone_ ? entry.object->meta.name : std::string()};
  }

  const core::Scheduler& scheduler_;
  bool pods_alone_;
  std::map<core::GroupId, WaitingFound> groups_;
  std::map<LoneKey, WaitingFound> lone_;
  std::set<std::string> names_;
};

std::vector<WaitingFound> in_order(std::vector<WaitingFound> found) {
  std::ranges::sort(found, {}, [](const WaitingFound& each) {
    return std::tuple(-std::int64_t{each.line.priority}, each.since, each.line.name);
  });
  return found;
}

// Requests that wait in queues, by what they were made for.
std::vector<WaitingFound> waiting_requests(const core::Scheduler& scheduler) {
  std::vector<WaitingFound> all;
  const core::RequestTable& table = scheduler.broker().requests();
  if (!table.objects().has_queues()) return all;
  for (const auto& [name, request] : table.all()) {
    if (request->holds() || request->finished) continue;
    WaitingFound found{.line = {}, .since = Instant{}, .request = request.get()};
    found.line.name = text_of(explain::author_of(*request->object));
    found.line.priority = static_cast<std::int32_t>(
        std::clamp<std::int64_t>(request->priority, std::numeric_limits<std::int32_t>::min(),
                                 std::numeric_limits<std::int32_t>::max()));
    for (const model::PodSet& set : request->object->spec.pod_sets) {
      found.line.pods += static_cast<std::size_t>(std::max(set.count, 0));
    }
    found.line.needs = found.line.pods;
    if (request->last != nullptr) found.line.fits = request->last->attempt.placed;
    found.since = request->object->meta.created.value_or(Instant{});
    all.push_back(std::move(found));
  }
  return all;
}

explain::Verdict verdict_of(const core::Scheduler& scheduler, const explain::Sources& sources,
                            const WaitingFound& found) {
  if (found.request != nullptr) {
    return explain::explain_request(sources, scheduler.broker(), *found.request);
  }
  return found.line.root.valid() ? explain::explain_group(sources, found.line.root)
                                 : explain::explain_pod(sources, found.line.pod);
}

// What the last attempt found; nothing when there was none.
void add_figures(const core::Scheduler& scheduler, Waiting& line) {
  const core::Attempt* attempt =
      line.root.valid() ? scheduler.last_attempt(line.root) : scheduler.last_attempt(line.pod);
  if (attempt == nullptr) return;
  if (attempt->minimum > attempt->running) line.needs = attempt->minimum - attempt->running;
  line.fits = attempt->placed;
  for (const core::PlacementReport& placement : attempt->placements) {
    line.fits = std::max(line.fits, placement.fit - std::min(placement.fit, attempt->running));
  }
}

}  // namespace

std::vector<std::string> waiting_order(const core::Scheduler& scheduler) {
  WaitingCollector collector(scheduler, /*pods_alone=*/true);
  for (std::uint32_t i = 0; i < scheduler.cluster().pods().slots(); ++i) {
    if (!scheduler.cluster().pod({i}).object) continue;
    const core::Standing standing = scheduler.standing(core::PodId{i});
    const bool tried = standing == core::Standing::queued ||
                       standing == core::Standing::backing_off ||
                       standing == core::Standing::unschedulable;
    if (tried) collector.add({i});
  }
  std::vector<std::string> names;
  for (WaitingFound& found : in_order(collector.take()))
    names.push_back(std::move(found.line.name));
  return names;
}

Queue waiting_work(const core::Scheduler& scheduler, const explain::Sources& sources, Instant now,
                   std::size_t most) {
  WaitingCollector collector(scheduler, /*pods_alone=*/false);
  for (std::uint32_t i = 0; i < scheduler.cluster().pods().slots(); ++i) collector.add({i});
  std::vector<WaitingFound> found = collector.take();
  Queue queue;
  queue.names = collector.take_names();
  for (WaitingFound& each : waiting_requests(scheduler)) {
    queue.names.insert(each.line.name);
    found.push_back(std::move(each));
  }
  found = in_order(std::move(found));
  for (WaitingFound& each : found) {
    Waiting& line = each.line;
    if (queue.lines.size() == most) {
      ++queue.more;
      queue.more_pods += line.pods;
      continue;
    }
    line.waited = now - std::min(each.since, now);
    line.verdict = verdict_of(scheduler, sources, each);
    if (each.request == nullptr) add_figures(scheduler, line);
    queue.lines.push_back(std::move(line));
  }
  return queue;
}

}  // namespace tutti::capacity
