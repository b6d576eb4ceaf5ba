#include "cli/job_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "daemon/lookup.h"
#include "model/cluster.h"
#include "model/group.h"
#include "model/pod.h"

namespace tutti::cli {
namespace {

using explain::Blocker;
using explain::State;
using explain::Verdict;
using model::Kind;
using model::Pod;

std::vector<const Pod*> live_pods_of(const model::Job& job, const store::Store& objects) {
  std::vector<const Pod*> out;
  for (const auto& object : objects.objects(Kind::pod)) {
    const auto& pod = model::as<Pod>(*object);
    const bool ours = std::ranges::any_of(pod.meta.owners, [&](const auto& owner) {
      return owner.controller && owner.uid == job.meta.uid;
    });
    if (ours && !pod.terminal()) out.push_back(&pod);
  }
  return out;
}

std::optional<std::string> ending(const model::Job& job) {
  for (const std::string_view type : {"Complete", "Failed"}) {
    const auto* condition = model::find(job.status.conditions, type);
    if (condition == nullptr || condition->status != "True") continue;
    return fmt::format("ended: {} ({}), {} pods succeeded, {} failed", type, condition->message,
                       job.status.succeeded, job.status.failed);
  }
  return std::nullopt;
}

// Why there is no pod, if someone said so.
std::string reason_for_no_pods(const model::Job& job, const store::Store& objects) {
  for (const auto& object : objects.objects(Kind::event)) {
    const auto& event = model::as<model::Event>(*object);
    if (event.involved.uid == job.meta.uid && event.reason == "FailedCreate") return event.message;
  }
  if (!job.managed_by.empty()) return fmt::format("left to controller '{}'", job.managed_by);
  return "it has no pods at the moment; failed ones are replaced after a while";
}

Verdict without_pods(const model::Job& job, const store::Store& objects) {
  Verdict verdict;
  if (auto end = ending(job)) {
    verdict.state = State::running;
    verdict.summary = *std::move(end);
  } else if (job.suspend) {
    verdict.state = State::held;
    verdict.blocker = Blocker::gated;
    verdict.summary = "suspended: its pods are made when spec.suspend is false";
  } else {
    verdict.state = State::held;
    verdict.blocker = Blocker::incomplete;
    verdict.summary = reason_for_no_pods(job, objects);
  }
  return verdict;
}

}  // namespace

std::optional<model::ObjectKey> spokesman(const model::Job& job, const store::Store& objects) {
  const auto pods = live_pods_of(job, objects);
  if (pods.empty()) return std::nullopt;
  const auto waiting =
      std::ranges::find_if(pods, [](const Pod* pod) { return pod->node_name.empty(); });
  const Pod& shown = waiting != pods.end() ? **waiting : *pods.front();
  const std::string& group = shown.spec->scheduling_group;
  const bool grouped = objects.find<model::PodGroup>(job.meta.ns, group) != nullptr;
  return grouped ? model::ObjectKey{Kind::pod_group, job.meta.ns, group, {}} : model::key_of(shown);
}

Verdict job_verdict(const model::Job& job, const store::Store& objects,
                    const VerdictOf& verdict_of) {
  const auto shown = spokesman(job, objects);
  Verdict verdict = shown ? verdict_of(*shown) : without_pods(job, objects);
  if (shown && shown->kind == Kind::pod && verdict.state != State::running) {
    const auto pods = live_pods_of(job, objects);
    const auto placed =
        std::ranges::count_if(pods, [](const Pod* pod) { return !pod->node_name.empty(); });
    verdict.summary =
        daemon::of_job(static_cast<std::size_t>(placed), pods.size(), verdict.summary);
  }
  verdict.object = {"Job", job.meta.ns, job.meta.name};
  return verdict;
}

}  // namespace tutti::cli
