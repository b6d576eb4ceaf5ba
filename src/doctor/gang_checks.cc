// What no state of these nodes could run, objects that contradict each other, groups that nobody
// fills. All of it is what the scheduler says of them.
#include <fmt/format.h>

#include <set>

#include "doctor/examination.h"
#include "explain/document/commands.h"
#include "model/group.h"
#include "model/pod.h"

namespace tutti::doctor {
namespace {

// The command of the first way out, where it is one that a person would paste; else what to do.
std::string fix_of(const explain::Verdict& verdict) {
  if (verdict.ways.empty()) return {};
  const explain::Way& first = verdict.ways.front();
  const std::vector<std::string> commands = explain::commands_of(first);
  const bool simple = commands.size() == 1 && commands.front().starts_with("kubectl ");
  return simple ? commands.front() : first.summary;
}

// Groups that no pod names, whom the scheduler therefore says nothing of.
void find_empty_groups(const Scene& scene, Findings& findings) {
  std::set<std::pair<std::string, std::string>> named;
  for (const model::ObjectPtr& object : scene.objects.objects(model::Kind::pod)) {
    const auto& pod = model::as<model::Pod>(*object);
    if (!pod.spec->scheduling_group.empty())
      named.insert({pod.meta.ns, pod.spec->scheduling_group});
  }
  for (const model::ObjectPtr& object : scene.objects.objects(model::Kind::pod_group)) {
    const auto& group = model::as<model::PodGroup>(*object);
    // Whoever owns it will make the pods, and knows when.
    if (named.contains({group.meta.ns, group.meta.name}) || !group.meta.owners.empty()) continue;
    findings.push_back(
        {"group-unfilled",
         Severity::warning,
         {"PodGroup", group.meta.ns, group.meta.name},
         "",
         fmt::format("no pod names it; it wants {}", group.spec.policy.minimum),
         fmt::format("kubectl delete podgroup {} -n {}", group.meta.name, group.meta.ns)});
  }
}

}  // namespace

void check_gangs(const Scene& scene, Findings& findings) {
  for (const explain::Verdict& verdict : scene.waiting) {
    const auto add = [&](const char* code, Severity severity) {
      findings.push_back({code, severity, verdict.object, "", verdict.summary, fix_of(verdict)});
    };
    if (verdict.state == explain::State::impossible) add("never-runs", Severity::error);
    if (verdict.state == explain::State::invalid) add("contradiction", Severity::error);
    const bool short_of_members =
        verdict.state == explain::State::held && verdict.blocker == explain::Blocker::incomplete;
    if (short_of_members) add("group-unfilled", Severity::warning);
  }
  find_empty_groups(scene, findings);
}

}  // namespace tutti::doctor
