#include "cli/input/explain_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "cli/output/kind_names.h"
#include "model/job.h"
#include "session/work/cron_view.h"
#include "session/work/work_verdict.h"

namespace tutti::cli {
namespace {

using model::Kind;
using model::ObjectKey;

// Ways are looked for as long as not more wait than this.
constexpr std::size_t kVerdictsWithWays = 16;

constexpr Kind kExplained[] = {Kind::other,
                               Kind::deployment,
                               Kind::stateful_set,
                               Kind::job,
                               Kind::replication_controller,
                               Kind::composite_pod_group,
                               Kind::pod_group,
                               Kind::replica_set,
                               Kind::admission_request,
                               Kind::pod,
                               Kind::resource_claim};

std::string kind_name(const ObjectKey& key) {
  if (key.kind != Kind::other) return std::string(model::facts(key.kind).name);
  return key.other_kind.substr(key.other_kind.rfind('/') + 1);
}

std::string title(const ObjectKey& key) {
  return fmt::format("{} {}/{}", kind_name(key), key.ns, key.name);
}

// In the order in which they are meant by a name alone.
std::vector<ObjectKey> everything(const session::Session& session) {
  std::vector<ObjectKey> keys;
  for (const Kind kind : kExplained) {
    for (const auto& object : session.objects().objects(kind)) {
      if (kind != Kind::other || session::makes_pods(*object))
        keys.push_back(model::key_of(*object));
    }
    // Groups that only pods name are there, too.
    const bool composite = kind == Kind::composite_pod_group;
    if (!composite && kind != Kind::pod_group) continue;
    const core::GroupTable& groups = session.scheduler().groups();
    for (std::uint32_t slot = 0; slot < groups.slots(); ++slot) {
      if (!groups.alive({slot}) || groups[{slot}].composite != composite) continue;
      if (!groups[{slot}].seen())
        keys.push_back({kind, groups[{slot}].ns, groups[{slot}].name, {}});
    }
  }
  return keys;
}

bool is_of_kind(const ObjectKey& key, std::string_view word) {
  if (word.empty()) return true;
  if (key.kind == Kind::admission_request && kind_named(word) == Kind::workload) return true;
  if (key.kind != Kind::other) return kind_named(word) == key.kind;
  const std::string name = kind_name(key);
  return work_kind_named(word) == name || (kind_named(word) == Kind::job && name == "Job");
}

Error not_there(const session::Session& session, const ExplainTarget& target, const std::string& ns,
                const std::vector<ObjectKey>& all) {
  const auto kind = kind_named(target.kind);
  const std::string_view other = work_kind_named(target.kind);
  const std::string what = kind            ? std::string(model::facts(*kind).name)
                           : other.empty() ? "object"
                                           : std::string(other);
  auto text = fmt::format("there is no {} {}/{} at {}", what, ns, target.name,
                          format_duration(session.elapsed()));
  std::vector<std::string> same_name;
  std::set<std::string> elsewhere;
  std::vector<std::string_view> near;
  for (const ObjectKey& key : all) {
    if (key.name == target.name && key.ns == ns) same_name.push_back(title(key));
    if (!is_of_kind(key, target.kind)) continue;
    if (key.name == target.name) elsewhere.insert(key.ns);
    if (key.ns == ns) near.push_back(key.name);
  }
  if (!same_name.empty()) {
    return {Error::Code::not_found, fmt::format("{}; there is a {}", text, same_name.front())};
  }
  if (!elsewhere.empty()) {
    return {Error::Code::not_found,
            fmt::format("{}; there is one in namespace {}", text, fmt::join(elsewhere, ", "))};
  }
  if (const auto meant = nearest_word(target.name, near); !meant.empty()) {
    return {Error::Code::not_found, fmt::format("{}; did you mean {}?", text, meant)};
  }
  return {Error::Code::not_found, text + " (-n sets the namespace)"};
}

// --- all that waits ------------------------------------------------------------------------------

ObjectKey unit_of(const session::Session& session, const model::Pod& pod) {
  if (const auto work = session::work_above(session.objects(), pod)) {
    const auto cron = session::cron_job_above(session.objects(), *work);
    return model::key_of(cron != nullptr ? *cron : *work);
  }
  const core::GroupTable& groups = session.scheduler().groups();
  const auto leaf = groups.find(pod.meta.ns, pod.spec->scheduling_group, false);
  if (pod.spec->scheduling_group.empty() || !leaf) return model::key_of(pod);
  const core::Group& root = groups[groups.root_of(*leaf).value_or(*leaf)];
  return {root.composite ? Kind::composite_pod_group : Kind::pod_group, root.ns, root.name, {}};
}

// By how many of its pods wait.
std::map<ObjectKey, std::size_t> waiting_units(const session::Session& session) {
  std::map<ObjectKey, std::size_t> units;
  for (const auto& object : session.objects().objects(Kind::pod)) {
    const auto& pod = model::as<model::Pod>(*object);
    const bool waits = pod.node_name.empty() && !pod.terminal() && !session.is_foreign(pod);
    if (waits) ++units[unit_of(session, pod)];
  }
  for (const Kind kind : {Kind::job, Kind::other}) {
    for (const auto& object : session.objects().objects(kind)) {
      const bool top = session::makes_pods(*object) &&
                       session::work_above(session.objects(), *object) == nullptr &&
                       session::cron_job_above(session.objects(), *object) == nullptr;
      if (top) units.try_emplace(model::key_of(*object));
    }
  }
  for (const auto& object : session.objects().objects(Kind::admission_request)) {
    if (session::work_above(session.objects(), *object) == nullptr) {
      units.try_emplace(model::key_of(*object));
    }
  }
  return units;
}

// The smaller, the worse.
int rank_of(explain::State state) {
  switch (state) {
    case explain::State::invalid:
      return 0;
    case explain::State::impossible:
      return 1;
    case explain::State::held:
      return 2;
    case explain::State::waiting:
      return 3;
    case explain::State::preempting:
    case explain::State::running:
      break;
  }
  return 4;
}

}  // namespace

Result<ExplainTarget> parse_target(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos && !text.empty()) return ExplainTarget{{}, std::string(text)};
  if (slash + 1 == text.size() || text.empty()) {
    return Error{
        Error::Code::invalid,
        fmt::format("'{}' is not of the form KIND/NAME, e.g. podgroup/train", brief_line(text))};
  }
  const std::string_view kind = text.substr(0, slash);
  auto known = kind_named(kind);
  // Templates of gangs do not wait; the other kind of that name does.
  if (known == Kind::workload) known = Kind::admission_request;
  const bool explained = known ? std::ranges::find(kExplained, *known) != std::end(kExplained)
                               : !work_kind_named(kind).empty();
  if (!explained) {
    return Error{
        Error::Code::invalid,
        fmt::format("'{}' cannot be explained; pods, groups, claims and what pods are made "
                    "of can, and Workloads in queues: job, deployment, jobset, leaderworkerset ...",
                    brief_line(kind))};
  }
  return ExplainTarget{std::string(kind), std::string(text.substr(slash + 1))};
}

Result<ObjectKey> find_target(const session::Session& session, const ExplainTarget& target,
                              const std::string& ns) {
  const auto all = everything(session);
  std::vector<ObjectKey> found;
  std::ranges::copy_if(all, std::back_inserter(found), [&](const ObjectKey& key) {
    return key.name == target.name && key.ns == ns && is_of_kind(key, target.kind);
  });
  if (found.empty()) return not_there(session, target, ns, all);
  // Others have a kind Job, too.
  const auto exact = std::ranges::find_if(found, [&](const ObjectKey& key) {
    return !target.kind.empty() && kind_named(target.kind) == key.kind;
  });
  return exact == found.end() ? found.front() : *exact;
}

std::vector<explain::Verdict> all_that_wait(session::Session& session) {
  std::vector<std::tuple<int, std::int64_t, ObjectKey, explain::Verdict>> found;
  for (const auto& [key, pods] : waiting_units(session)) {
    explain::Verdict verdict = session.verdict(key);
    if (verdict.state == explain::State::running && pods == 0) continue;
    found.emplace_back(rank_of(verdict.state), -static_cast<std::int64_t>(pods), key,
                       std::move(verdict));
  }
  std::ranges::sort(found, [](const auto& a, const auto& b) {
    return std::tie(std::get<0>(a), std::get<1>(a), std::get<2>(a)) <
           std::tie(std::get<0>(b), std::get<1>(b), std::get<2>(b));
  });
  std::vector<explain::Verdict> verdicts;
  for (auto& [rank, pods, key, verdict] : found) {
    if (found.size() <= kVerdictsWithWays) verdict.ways = session.ways(key);
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

}  // namespace tutti::cli
