#include "session/replayed_ways.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "answers/kueue_word.h"
#include "base/text.h"
#include "model/apps.h"
#include "model/cluster.h"
#include "model/job.h"
#include "model/storage.h"
#include "session/work/work_verdict.h"

namespace tutti::session {
namespace {

using explain::Datum;
using explain::Way;
using model::Kind;
using model::ObjectKey;
using model::Pod;

// Classes that are tried for one claim.
constexpr std::size_t kClassesTried = 4;

class Evictions final : public core::DecisionListener {
 public:
  void decided(const core::Decision& decision) override {
    any_ = any_ || decision.kind == core::Decision::Kind::preempting;
  }
  bool any() const { return any_; }

 private:
  bool any_ = false;
};

explain::ObjectName name_of(const ObjectKey& key) {
  return {std::string(model::facts(key.kind).name), key.ns, key.name};
}

// The script with other objects in the place of those that have their keys.
sim::Script with_objects(const sim::Script& script,
                         const std::map<ObjectKey, model::ObjectPtr>& objects) {
  sim::Script changed = script;
  for (sim::Action& action : changed.actions) {
    const auto at = objects.find(action.key);
    if (at != objects.end() && action.object != nullptr) action.object = at->second;
  }
  return changed;
}

Result<bool> runs_in(const Replay& replay, const sim::Script& script, const ObjectKey& key,
                     const sim::Script& then = {}) {
  Evictions evictions;
  TUTTI_ASSIGN(const std::unique_ptr<Session> world,
               Session::open(script, replay.options, replay.streams, &evictions));
  TUTTI_TRY(world->run_to_present(replay.options.until));
  if (!then.actions.empty()) {
    sim::Script now = then;
    for (sim::Action& action : now.actions) action.at = world->elapsed();
    world->play(std::move(now));
    TUTTI_TRY(world->run_until(world->elapsed()));
  }
  return !evictions.any() && world->knows(key) &&
         world->verdict(key).state == explain::State::running;
}

// The pods that the object is, or was asked to make.
std::vector<std::shared_ptr<const Pod>> pods_of(const Session& session, const ObjectKey& key) {
  std::vector<std::shared_ptr<const Pod>> pods;
  for (const auto& object : session.objects().objects(Kind::pod)) {
    auto pod = std::static_pointer_cast<const Pod>(object);
    const bool member = key.kind == Kind::pod_group && pod->meta.ns == key.ns &&
                        pod->spec->scheduling_group == key.name;
    const auto work = work_above(session.objects(), *pod);
    const bool made = work != nullptr && model::key_of(*work) == key;
    if (member || made || model::key_of(*pod) == key) pods.push_back(std::move(pod));
  }
  return pods;
}

// --- a suspended Job -----------------------------------------------------------------------------

Status add_resume_way(const Replay& replay, const Session& session, const ObjectKey& key,
                      std::vector<Way>& ways) {
  const auto job =
      key.kind == Kind::job ? session.objects().find<model::Job>(key.ns, key.name) : nullptr;
  // Whoever decides about its queue would suspend it again.
  const bool queued = job != nullptr && (!session.request_of(key).empty() ||
                                         !answers::kueue_queue_of(job->meta).empty());
  if (job == nullptr || !job->suspend || queued) return ok_status();
  auto resumed = std::make_shared<model::Job>(*job);
  resumed->suspend = false;
  const sim::Script then{{{Millis{0}, sim::Action::Verb::update, key, resumed}}, {}};
  TUTTI_ASSIGN(const bool runs, runs_in(replay, replay.script, key, then));
  if (!runs) return ok_status();
  const explain::PatchStep step{"replace", "/spec/suspend", Datum::flag(false)};
  ways.push_back({"resume", "resume it: let spec.suspend be false", {{{name_of(key)}, {step}}}});
  return ok_status();
}

// --- a scheduler that nobody is ------------------------------------------------------------------

std::shared_ptr<const model::PodSpec> renamed(const model::PodSpec& spec, std::string_view meant) {
  auto made = std::make_shared<model::PodSpec>(spec);
  made->scheduler_name = meant;
  return made;
}

template <typename T>
model::ObjectPtr with_scheduler(const model::Object& object, std::string_view meant) {
  auto made = std::make_shared<T>(model::as<T>(object));
  made->pods.spec = renamed(*made->pods.spec, meant);
  return made;
}

// Null: of a kind that is not decoded.
model::ObjectPtr with_scheduler_named(const model::Object& object, std::string_view meant) {
  switch (object.kind) {
    case Kind::pod: {
      auto made = std::make_shared<Pod>(model::as<Pod>(object));
      made->spec = renamed(*made->spec, meant);
      return made;
    }
    case Kind::job:
      return with_scheduler<model::Job>(object, meant);
    case Kind::deployment:
      return with_scheduler<model::Deployment>(object, meant);
    case Kind::replica_set:
      return with_scheduler<model::ReplicaSet>(object, meant);
    case Kind::stateful_set:
      return with_scheduler<model::StatefulSet>(object, meant);
    default:
      return nullptr;
  }
}

Status add_scheduler_way(const Replay& replay, const Session& session, const ObjectKey& key,
                         std::vector<Way>& ways) {
  const std::vector<std::string_view> known(session.scheduler_names().begin(),
                                            session.scheduler_names().end());
  std::map<ObjectKey, model::ObjectPtr> changed;
  std::string name;
  std::string_view meant;
  for (const auto& pod : pods_of(session, key)) {
    if (!session.is_foreign(*pod)) continue;
    if (meant.empty()) {
      name = pod->spec->scheduler_name;
      meant = nearest_word(name, known);
      if (meant.empty()) return ok_status();
    }
    if (pod->spec->scheduler_name != name) continue;
    const auto work = work_above(session.objects(), *pod);
    const model::Object& author = work != nullptr ? *work : *pod;
    auto made = with_scheduler_named(author, meant);
    if (made == nullptr) return ok_status();
    changed.try_emplace(model::key_of(author), std::move(made));
  }
  if (changed.empty()) return ok_status();
  TUTTI_ASSIGN(const bool runs, runs_in(replay, with_objects(replay.script, changed), key));
  if (!runs) return ok_status();
  Way way{"spelling", fmt::format("name scheduler {} instead of {}", meant, name), {}};
  for (const auto& [author, object] : changed) {
    const std::string path =
        author.kind == Kind::pod ? "/spec/schedulerName" : "/spec/template/spec/schedulerName";
    const bool same = !way.changes.empty() && way.changes.back().patch.front().path == path;
    if (same) {
      way.changes.back().objects.push_back(name_of(author));
    } else {
      way.changes.push_back(
          {{name_of(author)}, {{"replace", path, Datum::of(std::string(meant))}}});
    }
  }
  ways.push_back(std::move(way));
  return ok_status();
}

// --- a storage class that is not there -----------------------------------------------------------

// Where a claim's class is written.
struct ClassField {
  ObjectKey author;
  std::size_t of_template = 0;  // of a StatefulSet
  std::string name;
};

bool is_missing(const Session& session, const std::optional<std::string>& name) {
  return name && !name->empty() && !session.objects().find<model::StorageClass>({}, *name);
}

std::optional<ClassField> missing_class_of(const Session& session, const Pod& pod) {
  for (const model::Volume& volume : pod.spec->volumes) {
    if (volume.source != model::Volume::Source::claim) continue;
    const auto claim = session.objects().find<model::PersistentVolumeClaim>(pod.meta.ns, volume.id);
    if (!claim || !claim->volume_name.empty() || !is_missing(session, claim->storage_class))
      continue;
    const auto work = work_above(session.objects(), pod);
    const auto* set = work != nullptr ? model::try_as<model::StatefulSet>(*work) : nullptr;
    for (std::size_t i = 0; set != nullptr && i < set->claim_templates.size(); ++i) {
      const auto made = fmt::format("{}-{}", set->claim_templates[i].meta.name, pod.meta.name);
      if (made == volume.id) return ClassField{model::key_of(*set), i, *claim->storage_class};
    }
    return ClassField{model::key_of(*claim), 0, *claim->storage_class};
  }
  return std::nullopt;
}

model::ObjectPtr with_class(const model::Object& object, const ClassField& field,
                            const std::string& name) {
  if (const auto* set = model::try_as<model::StatefulSet>(object)) {
    auto made = std::make_shared<model::StatefulSet>(*set);
    made->claim_templates[field.of_template].storage_class = name;
    return made;
  }
  auto made = std::make_shared<model::PersistentVolumeClaim>(
      model::as<model::PersistentVolumeClaim>(object));
  made->storage_class = name;
  return made;
}

// Classes of a name like it come first.
std::vector<std::string> classes_to_try(const Session& session, const std::string& name) {
  std::vector<std::string_view> known;
  for (const auto& object : session.objects().objects(Kind::storage_class)) {
    known.push_back(object->meta.name);
  }
  std::vector<std::string> names(known.begin(), known.end());
  const std::string meant(nearest_word(name, known));
  std::ranges::stable_partition(names, [&](const std::string& each) { return each == meant; });
  if (names.size() > kClassesTried) names.resize(kClassesTried);
  return names;
}

Status add_storage_way(const Replay& replay, const Session& session, const ObjectKey& key,
                       std::vector<Way>& ways) {
  std::optional<ClassField> field;
  for (const auto& pod : pods_of(session, key)) {
    if (!field && pod->node_name.empty() && !pod->terminal())
      field = missing_class_of(session, *pod);
  }
  if (!field) return ok_status();
  const auto author = session.objects().get(field->author);
  for (const std::string& name : classes_to_try(session, field->name)) {
    const auto script =
        with_objects(replay.script, {{field->author, with_class(*author, *field, name)}});
    TUTTI_ASSIGN(const bool runs, runs_in(replay, script, key));
    if (!runs) continue;
    const std::string path =
        author->kind == Kind::stateful_set
            ? fmt::format("/spec/volumeClaimTemplates/{}/spec/storageClassName", field->of_template)
            : "/spec/storageClassName";
    const explain::ObjectName whose = name_of(field->author);
    ways.push_back({"storageClass",
                    fmt::format("let {} ask for StorageClass {} instead of {}",
                                explain::text_of(whose), name, field->name),
                    {{{whose}, {{"replace", path, Datum::of(name)}}}}});
    break;
  }
  return ok_status();
}

}  // namespace

Result<std::vector<Way>> replayed_ways(const Replay& replay, const Session& session,
                                       const ObjectKey& key) {
  std::vector<Way> ways;
  TUTTI_TRY(add_resume_way(replay, session, key, ways));
  TUTTI_TRY(add_scheduler_way(replay, session, key, ways));
  TUTTI_TRY(add_storage_way(replay, session, key, ways));
  return ways;
}

}  // namespace tutti::session
