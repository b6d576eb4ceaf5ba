#include "whatif/author.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace tutti::whatif {
namespace {

using model::Kind;

struct Stamp {
  std::string_view kind;
  Kind is;
};
// Kinds with a pod template in spec.template.
constexpr std::array<Stamp, 5> kStamps = {
    {{"Job", Kind::job},
     {"ReplicaSet", Kind::replica_set},
     {"Deployment", Kind::deployment},
     {"StatefulSet", Kind::stateful_set},
     {"ReplicationController", Kind::replication_controller}}};

const model::OwnerReference* controller_of(const model::ObjectMeta& meta) {
  for (const auto& owner : meta.owners) {
    if (owner.controller) return &owner;
  }
  return nullptr;
}

const Stamp* stamp_of(std::string_view kind) {
  const auto at = std::ranges::find(kStamps, kind, &Stamp::kind);
  return at == kStamps.end() ? nullptr : &*at;
}

struct Top {
  explain::ObjectName object;
  bool itself = true;
  bool stamps = true;  // every step of the way up copies one pod template
};

Top top_of(const Neighbours& neighbours, const model::Object& object) {
  Top top{{std::string(model::facts(object.kind).name), object.meta.ns, object.meta.name}};
  const model::ObjectMeta* meta = &object.meta;
  model::ObjectPtr kept;
  constexpr int kLongestChain = 8;
  for (int step = 0; step < kLongestChain; ++step) {
    const model::OwnerReference* owner = controller_of(*meta);
    if (owner == nullptr) break;
    const Stamp* stamp = stamp_of(owner->kind);
    top = {{owner->kind, object.meta.ns, owner->name}, false, top.stamps && stamp != nullptr};
    if (stamp == nullptr || !neighbours.find) break;
    kept = neighbours.find({stamp->is, object.meta.ns, owner->name, {}});
    if (kept == nullptr) break;
    meta = &kept->meta;
  }
  return top;
}

}  // namespace

Author author_of_pod(const Neighbours& neighbours, const model::Pod& pod) {
  const Top top = top_of(neighbours, pod);
  return {top.object, top.itself ? "" : "/spec/template", top.stamps};
}

explain::ObjectName owner_of(const Neighbours& neighbours, const model::Object& object) {
  return top_of(neighbours, object).object;
}

std::vector<explain::ObjectChange> change_pods(const Rehearsal& rehearsal,
                                               const std::vector<core::PodId>& pods,
                                               const std::vector<explain::PatchStep>& steps) {
  std::map<std::string, std::vector<explain::ObjectName>> by_prefix;
  for (const core::PodId pod : pods) {
    const Author author =
        author_of_pod(rehearsal.neighbours(), *rehearsal.cluster().pod(pod).object);
    if (!author.writable) return {};
    auto& known = by_prefix[author.prefix];
    // Bare pods differ; those of one controller lead to it again and again.
    if (author.prefix.empty() || std::ranges::find(known, author.object) == known.end()) {
      known.push_back(author.object);
    }
  }
  std::vector<explain::ObjectChange> changes;
  for (auto& [prefix, objects] : by_prefix) {
    explain::ObjectChange change{std::move(objects), steps};
    for (explain::PatchStep& step : change.patch) step.path.insert(0, prefix);
    changes.push_back(std::move(change));
  }
  return changes;
}

bool owner_is_self(const Rehearsal& rehearsal, const core::Group& group) {
  const model::Object* object = group.pod_group.get();
  if (group.composite) object = group.composite_group.get();
  return top_of(rehearsal.neighbours(), *object).itself;
}

std::string pointer_part(std::string_view text) {
  std::string made;
  for (const char c : text) {
    if (c == '~') {
      made += "~0";
    } else if (c == '/') {
      made += "~1";
    } else {
      made += c;
    }
  }
  return made;
}

}  // namespace tutti::whatif
