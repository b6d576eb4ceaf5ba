#include "session/run_forecast.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/cluster/group_title.h"
#include "explain/verdict/text.h"
#include "model/device.h"
#include "model/group.h"
#include "model/node.h"
#include "model/pod.h"
#include "sim/plane/annotations.h"

namespace tutti::session {
namespace {

using model::Kind;

bool runs(const model::Object* object) {
  if (object == nullptr) return false;
  const auto& pod = model::as<model::Pod>(*object);
  return !pod.node_name.empty() && !pod.terminal();
}

std::string name_of(const store::Store& objects, const model::Pod& pod) {
  const std::string& name = pod.spec->scheduling_group;
  if (name.empty()) return fmt::format("Pod {}/{}", pod.meta.ns, pod.meta.name);
  return core::title_of(pod.meta.ns, name, objects.find<model::PodGroup>(pod.meta.ns, name).get());
}

std::string of_pod(const store::Store& objects, const store::WatchEvent& event) {
  if (!runs(event.before.get()) || runs(event.after.get())) return {};
  const auto& pod = model::as<model::Pod>(*event.before);
  const bool leaves = pod.meta.deletion.has_value();
  return name_of(objects, pod) + (leaves ? " has left" : " ends");
}

std::string of_node(const store::WatchEvent& event) {
  if (event.after == nullptr) return {};
  const auto& node = model::as<model::Node>(*event.after);
  if (event.before == nullptr) return fmt::format("node {} comes", node.meta.name);
  const auto& before = model::as<model::Node>(*event.before);
  const bool opens = before.unschedulable && !node.unschedulable;
  const bool recovers = node.taints.size() < before.taints.size();
  return opens || recovers ? fmt::format("node {} is usable again", node.meta.name) : "";
}

// Objects that others wait for.
std::string of_other(const store::WatchEvent& event) {
  if (event.after == nullptr || event.after->meta.name.empty()) return {};
  const Kind kind = event.after->kind;
  const bool awaited = kind == Kind::pod_group || kind == Kind::composite_pod_group ||
                       kind == Kind::resource_slice || kind == Kind::resource_claim ||
                       kind == Kind::device_class;
  if (!awaited || event.before != nullptr) return {};
  // Made by the scheduler for one that it has just placed.
  if (kind == Kind::resource_claim &&
      model::extended_owner(model::as<model::ResourceClaim>(*event.after)) != nullptr) {
    return {};
  }
  const auto* group = model::try_as<model::PodGroup>(*event.after);
  const std::string name = group != nullptr
                               ? core::title_of(group->meta.ns, group->meta.name, group)
                               : model::describe(*event.after);
  return name + " is created";
}

bool is_held(const model::Object* object) {
  return object != nullptr && !model::as<model::Pod>(*object).spec->scheduling_gates.empty();
}

}  // namespace

bool RunForecasts::is_asked(const model::Pod& pod) const {
  if (pod.meta.ns != asked_.ns) return false;
  switch (asked_.kind) {
    case Kind::pod:
      return pod.meta.name == asked_.name;
    case Kind::pod_group:
      return pod.spec->scheduling_group == asked_.name;
    case Kind::composite_pod_group:
      return !pod.spec->scheduling_group.empty();  // a tree; whoever comes may be of it
    case Kind::job:
      return std::ranges::any_of(pod.meta.owners, [&](const model::OwnerReference& owner) {
        return owner.controller && owner.name == asked_.name;
      });
    default:
      return false;
  }
}

std::string RunForecasts::of_asked(const store::WatchEvent& event) const {
  const auto& pod = model::as<model::Pod>(event.object());
  if (event.after == nullptr || !is_asked(pod)) return {};
  const std::string name = fmt::format("Pod {}/{}", pod.meta.ns, pod.meta.name);
  if (event.before == nullptr) return name + " is created";
  const bool opened = is_held(event.before.get()) && !is_held(event.after.get());
  return opened ? name + " has no scheduling gate left" : "";
}

// In virtual time a pod succeeds because it says when, or because it was expected to.
void RunForecasts::note_basis(const store::WatchEvent& event) {
  if (history_ == nullptr || !runs(event.before.get()) || event.after == nullptr) return;
  const auto& pod = model::as<model::Pod>(*event.after);
  if (pod.status.phase != model::PodPhase::succeeded || sim::declares_end(pod)) return;
  if (const Precedent* precedent = history_->of(pod)) bases_.insert(precedent->text);
}

void RunForecasts::observe(const store::WatchEvent& event, Instant now) {
  const Kind kind = event.object().kind;
  if (kind == Kind::pod) note_basis(event);
  std::string cause = kind == Kind::pod    ? of_pod(objects_, event)
                      : kind == Kind::node ? of_node(event)
                                           : of_other(event);
  if (cause.empty() && kind == Kind::pod) cause = of_asked(event);
  if (cause.empty()) return;
  if (now != at_) causes_.clear();
  at_ = now;
  causes_.insert(std::move(cause));
}

std::string estimate_text(const std::vector<std::string>& bases) {
  return bases.empty() ? "" : "an estimate: " + explain::first_of(bases);
}

std::string text_of(const RunForecast& foresight, Millis now) {
  std::string text = fmt::format("in {}, at {}", format_duration(foresight.at - now),
                                 format_duration(foresight.at));
  if (!foresight.causes.empty()) text += ", when " + explain::first_of(foresight.causes);
  if (!foresight.bases.empty()) text += "; " + estimate_text(foresight.bases);
  return text;
}

}  // namespace tutti::session
