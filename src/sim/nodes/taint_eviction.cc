#include "sim/nodes/taint_eviction.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "expr/integer.h"
#include "model/node.h"
#include "sim/plane/conditions.h"

namespace tutti::sim {
namespace {

using model::Node;
using model::Pod;
using model::Taint;
using model::Toleration;
using std::chrono::seconds;

std::vector<Taint> no_execute(const Node& node) {
  std::vector<Taint> found;
  std::ranges::copy_if(node.taints, std::back_inserter(found),
                       [](const Taint& taint) { return taint.effect == "NoExecute"; });
  return found;
}

bool compares(const Toleration& toleration, const Taint& taint) {
  const auto bound = expr::parse_int64(toleration.value);
  const auto value = expr::parse_int64(taint.value);
  if (!bound || !value) return false;
  return toleration.op == Toleration::Operator::lt ? *value < *bound : *value > *bound;
}

bool tolerates(const Toleration& toleration, const Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  switch (toleration.op) {
    case Toleration::Operator::exists:
      return true;
    case Toleration::Operator::equal:
      return !toleration.key.empty() && toleration.value == taint.value;
    case Toleration::Operator::lt:
    case Toleration::Operator::gt:
      return compares(toleration, taint);
  }
  return false;
}

struct Patience {
  bool endless = false;
  seconds time{0};
};

// How long the pod puts up with all the taints: not at all when one is not tolerated, else the
// shortest time that a toleration in use allows.
Patience patience(const Pod& pod, const std::vector<Taint>& taints) {
  std::optional<std::int64_t> shortest;
  for (const auto& taint : taints) {
    bool tolerated = false;
    for (const auto& toleration : pod.spec->tolerations) {
      if (!tolerates(toleration, taint)) continue;
      tolerated = true;
      const auto time = toleration.toleration_seconds;
      if (time && (!shortest || *time < *shortest)) shortest = time;
    }
    if (!tolerated) return {};
  }
  if (!shortest) return {.endless = true};
  return {.time = seconds(std::max<std::int64_t>(*shortest, 0))};
}

}  // namespace

void TaintEviction::observe(const store::WatchEvent& event) {
  if (event.object().kind == model::Kind::node && event.after) {
    const auto before =
        event.before ? no_execute(model::as<Node>(*event.before)) : std::vector<Taint>{};
    if (before == no_execute(model::as<Node>(*event.after))) return;
    for (const auto& key : pods_.on(event.after->meta.name)) consider(key);
  } else if (event.object().kind == model::Kind::pod) {
    if (!event.after) return pardon(event.before->meta.uid);
    const auto& pod = model::as<Pod>(*event.after);
    const auto* before = event.before ? &model::as<Pod>(*event.before) : nullptr;
    const bool same = before && before->node_name == pod.node_name && before->spec == pod.spec &&
                      before->terminal() == pod.terminal() &&
                      before->meta.deletion == pod.meta.deletion;
    if (!pod.node_name.empty() && !same) consider(model::key_of(pod));
  }
}

void TaintEviction::consider(const model::ObjectKey& key) {
  const auto pod = plane_.store.find<Pod>(key.ns, key.name);
  if (!pod) return;
  const auto& uid = pod->meta.uid;
  const auto node = plane_.store.find<Node>({}, pod->node_name);
  const auto taints = node ? no_execute(*node) : std::vector<Taint>{};
  const auto time = patience(*pod, taints);
  if (taints.empty() || time.endless || pod->terminal() || pod->meta.deletion) return pardon(uid);

  const auto known = sentences_.find(uid);
  const Instant since = known == sentences_.end() ? plane_.clock.now() : known->second.since;
  pardon(uid);
  const auto timer =
      plane_.clock.at(later(since, time.time), [this, key, uid] { evict(key, uid); });
  sentences_[uid] = {since, timer};
}

void TaintEviction::evict(const model::ObjectKey& key, const std::string& uid) {
  sentences_.erase(uid);
  const auto pod = plane_.store.get(key);
  if (!pod || pod->meta.uid != uid) return;
  must(plane_.store.patch(
      key,
      [this](model::Object& object) {
        set_condition(static_cast<Pod&>(object).status.conditions,
                      condition("DisruptionTarget", "True", "DeletionByTaintManager",
                                "the node has a NoExecute taint that the pod does not tolerate"),
                      plane_.clock.now());
      },
      plane_.write()));
  must(plane_.store.remove(key, plane_.write()));
}

void TaintEviction::pardon(const std::string& uid) {
  const auto known = sentences_.find(uid);
  if (known == sentences_.end()) return;
  plane_.clock.cancel(known->second.timer);
  sentences_.erase(known);
}

}  // namespace tutti::sim
