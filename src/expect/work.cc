#include "expect/work.h"

#include <cstddef>
#include <set>

namespace tutti::expect {
namespace {

using model::Kind;

const std::string* controller_uid(const model::Object& object) {
  for (const model::OwnerReference& owner : object.meta.owners) {
    if (owner.controller) return &owner.uid;
  }
  return nullptr;
}

// Adds the uids of what was made of those; whether there were any that it had not.
bool add_made(const store::Store& objects, std::set<std::string>& uids) {
  bool any = false;
  for (const Kind kind : {Kind::job, Kind::replica_set, Kind::stateful_set, Kind::deployment,
                          Kind::replication_controller, Kind::other}) {
    for (const auto& object : objects.objects(kind)) {
      const std::string* uid = controller_uid(*object);
      if (uid != nullptr && uids.contains(*uid)) any |= uids.insert(object->meta.uid).second;
    }
  }
  return any;
}

}  // namespace

const model::Object* find_work(const store::Store& objects, const std::string& kind,
                               const std::string& ns, const std::string& name) {
  for (std::size_t i = 0; i < model::kKindCount; ++i) {
    const auto known = static_cast<Kind>(i);
    if (known == Kind::other || model::facts(known).name != kind) continue;
    if (const auto found = objects.get({known, ns, name, {}})) return found.get();
  }
  for (const auto& object : objects.objects(Kind::other)) {
    const auto& other = static_cast<const model::OtherObject&>(*object);
    if (other.kind_name == kind && other.meta.ns == ns && other.meta.name == name) return &other;
  }
  return nullptr;
}

std::vector<const model::Pod*> pods_made_of(const store::Store& objects,
                                            const model::Object& work) {
  std::set<std::string> uids = {work.meta.uid};
  while (add_made(objects, uids)) {
  }
  std::vector<const model::Pod*> pods;
  for (const auto& object : objects.objects(Kind::pod)) {
    const auto& pod = model::as<model::Pod>(*object);
    const std::string* uid = controller_uid(pod);
    if (uid != nullptr && uids.contains(*uid) && !pod.terminal()) pods.push_back(&pod);
  }
  return pods;
}

}  // namespace tutti::expect
