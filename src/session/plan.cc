#include "session/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/text.h"
#include "controllers/dependents.h"
#include "controllers/job/job_sync.h"
#include "core/framework/decision.h"
#include "model/admission_request.h"
#include "model/device.h"
#include "model/group.h"
#include "model/job.h"
#include "session/domain_text.h"
#include "session/manifests/field_lines.h"
#include "session/manifests/manifests.h"
#include "session/node_changes.h"
#include "session/object_copies.h"
#include "session/planned_queue.h"
#include "session/run_forecast.h"
#include "session/session.h"
#include "session/work/work_verdict.h"
#include "sim/script/namespaced.h"
#include "sim/script/script.h"

namespace tutti::session {
namespace {

using model::Kind;
using model::ObjectKey;

// Ways are looked for as long as there are not more askers than this.
constexpr std::size_t kAskersWithWays = 16;
// More copies are as good as any number.
constexpr std::size_t kCopiesMax = 100'000;

// What was decided, by entity.
class Diary final : public core::DecisionListener {
 public:
  void decided(const core::Decision& decision) override {
    using What = core::Decision::Kind;
    // Requests that leave for another one are told so right after it was decided.
    if (decision.kind == What::evicted && !preemptor_.empty()) {
      victims_[preemptor_].insert(decision.entity);
      return;
    }
    preemptor_.clear();
    if (decision.kind != What::preempting) return;
    ++evictions_;
    preemptor_ = decision.entity;
    for (const auto& [pod, node] : decision.bindings) victims_[decision.entity].insert(pod);
  }
  std::vector<std::string> victims(const std::string& entity) const {
    const auto at = victims_.find(entity);
    if (at == victims_.end()) return {};
    return {at->second.begin(), at->second.end()};
  }
  std::size_t evictions() const { return evictions_; }

 private:
  std::map<std::string, std::set<std::string>> victims_;
  std::size_t evictions_ = 0;
  std::string preemptor_;  // of the decision before
};

// --- which objects are asked about ---------------------------------------------------------------

// Whether the object is new work where manifests hold a cluster and new work: it is not placed yet.
bool is_new_work(const model::Object& object) {
  switch (object.kind) {
    case Kind::pod: {
      const auto& pod = model::as<model::Pod>(object);
      return pod.node_name.empty() && !pod.terminal();
    }
    case Kind::resource_claim:
      return !model::as<model::ResourceClaim>(object).allocation;
    case Kind::admission_request:
      return !model::has_quota(model::as<model::AdmissionRequest>(object));
    case Kind::pod_group:
    case Kind::composite_pod_group:
    case Kind::workload:
    case Kind::job:
    case Kind::deployment:
    case Kind::replica_set:
    case Kind::stateful_set:
    case Kind::resource_claim_template:
    case Kind::persistent_volume_claim:
    case Kind::other:
      return true;
    default:
      return false;
  }
}

// Other projects have a kind Job, too.
const model::OwnerReference* job_above(const model::ObjectMeta& meta) {
  const model::OwnerReference* owner = controllers::controller_of(meta);
  const bool job = owner != nullptr && owner->kind == "Job" &&
                   controllers::api_group_of(owner->api_version) == "batch";
  return job ? owner : nullptr;
}

// Groups that placed pods belong to are the cluster's. So are Jobs that have ended, or of which all
// pods are placed; one that waits for some must meet them together, or it makes others.
std::set<ObjectKey> in_use(const std::vector<sim::LoadedObject>& objects) {
  std::set<ObjectKey> used;
  std::set<ObjectKey> waiting;
  for (const sim::LoadedObject& loaded : objects) {
    const model::ObjectMeta& meta = loaded.object->meta;
    const std::string ns = meta.ns.empty() ? "default" : meta.ns;
    const auto* job = model::try_as<model::Job>(*loaded.object);
    if (job != nullptr && controllers::end_condition(*job) != nullptr) {
      used.insert({Kind::job, ns, meta.name, {}});
    }
    const auto* pod = model::try_as<model::Pod>(*loaded.object);
    if (pod == nullptr) continue;
    const bool placed = !pod->node_name.empty();
    if (placed) used.insert({Kind::pod_group, ns, pod->spec->scheduling_group, {}});
    const auto* owner = job_above(meta);
    if (owner != nullptr && !pod->terminal()) {
      (placed ? used : waiting).insert({Kind::job, ns, owner->name, {}});
    }
  }
  for (const ObjectKey& key : waiting) used.erase(key);
  return used;
}

ObjectKey full_key(const model::Object& object) {
  ObjectKey key = model::key_of(object);
  if (key.ns.empty() && sim::is_namespaced(object)) key.ns = "default";
  return key;
}

struct Parts {
  sim::Input all;  // taken when the cluster was, if it is a copy
  std::set<ObjectKey> asked;
};

Result<Manifests> load(const ManifestPaths& paths, terminal::Streams& streams) {
  terminal::Progress progress(streams.err, streams.stopwatch);
  TUTTI_ASSIGN(Manifests manifests, load_manifests(paths, streams.in, progress));
  progress.erase();
  show_notes(manifests.notes, streams);
  return manifests;
}

Result<Parts> load_parts(const PlanOptions& options, terminal::Streams& streams) {
  Parts parts;
  TUTTI_ASSIGN(Manifests work, load(options.session.manifests, streams));
  if (options.cluster.none()) {
    const auto used = in_use(work.objects);
    for (const sim::LoadedObject& loaded : work.objects) {
      const ObjectKey key = full_key(*loaded.object);
      if (is_new_work(*loaded.object) && !used.contains(key)) parts.asked.insert(key);
    }
    parts.all = std::move(work);
    return parts;
  }
  TUTTI_ASSIGN(Manifests cluster, load(options.cluster, streams));
  parts.all = std::move(cluster);
  std::ranges::move(work.problems, std::back_inserter(parts.all.problems));
  std::set<ObjectKey> there;
  for (const sim::LoadedObject& loaded : parts.all.objects) there.insert(full_key(*loaded.object));
  for (sim::LoadedObject& loaded : work.objects) {
    const ObjectKey key = full_key(*loaded.object);
    if (there.contains(key)) {
      if (key.ns.empty()) continue;  // a namespace, a class: the cluster's own stands
      return Error{Error::Code::invalid,
                   fmt::format("{}:{}: {} is in the cluster already; a plan takes new objects",
                               loaded.file, loaded.line, model::describe(key))};
    }
    parts.asked.insert(key);
    parts.all.objects.push_back(std::move(loaded));
  }
  return parts;
}

struct Scripts {
  sim::Script cluster;
  sim::Script asked;
};

// Everything is admitted together: new work may name what the cluster has.
Result<Scripts> build(const Parts& parts) {
  FieldLines lines;
  TUTTI_ASSIGN(sim::Script all, sim::build_script(parts.all, std::ref(lines)));
  Scripts scripts;
  scripts.cluster.taken_at = all.taken_at;
  scripts.cluster.uids = std::move(all.uids);
  scripts.cluster.written = std::move(all.written);
  for (sim::Action& action : all.actions) {
    auto& part = parts.asked.contains(action.key) ? scripts.asked : scripts.cluster;
    part.actions.push_back(std::move(action));
  }
  return scripts;
}

// --- whom the answers are about ------------------------------------------------------------------

// Pods that come, by what they belong to.
class Planner {
 public:
  // Until it ends it listens to the session.
  Planner(Session& session, const Diary& diary) : session_(session), diary_(diary) {
    session_.listen([this](const store::WatchEvent& event) {
      if (omens_) omens_->observe(event, session_.now());
      moved_ = moved_ || event.object().kind == Kind::admission_request;
      if (event.object().kind != Kind::pod) return;
      const auto& pod = model::as<model::Pod>(event.object());
      if (event.after == nullptr || pod.meta.deletion) gone_[name_of(pod)] = work_of(pod);
      moved_ = true;
      if (event.before == nullptr) pods_.push_back(model::key_of(event.object()));
    });
  }
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;
  ~Planner() { session_.listen({}); }

  // Forgets what came before: it is no longer looked at.
  void forget() { pods_.clear(); }

  // To be called once the new work has been played and come to rest. Jobs that have made no pod are
  // asked about, too, and requests that nobody makes pods for.
  std::vector<PlanAnswer> answers(const sim::Script& asked) {
    std::map<ObjectKey, Pods> all = units();
    for (const sim::Action& action : asked.actions) {
      if (stands_alone(action.key)) all.try_emplace(action.key);
    }
    std::vector<PlanAnswer> made;
    for (const auto& [key, pods] : all) made.push_back(answer(key, pods));
    const auto waiting = std::ranges::count_if(
        made, [](const PlanAnswer& one) { return one.runs == PlanAnswer::Runs::unknown; });
    if (static_cast<std::size_t>(waiting) <= kAskersWithWays) {
      for (PlanAnswer& one : made) {
        if (one.runs == PlanAnswer::Runs::unknown) one.verdict.ways = session_.ways(one.key);
      }
    }
    return made;
  }

  // Lets time pass until everyone runs, or nothing more happens.
  Status wait_for(std::vector<PlanAnswer>& answers, Millis now) {
    omens_.emplace(objects(), ObjectKey{}, session_.expect_ends());
    std::map<ObjectKey, std::size_t> placed;
    moved_ = true;
    const auto look = [&] {
      if (!std::exchange(moved_, false)) return false;
      const auto all = units();
      bool done = true;
      for (PlanAnswer& one : answers) {
        const auto mine = all.find(one.key);
        if (!one.in && mine == all.end() && one.key.kind == Kind::admission_request) {
          note_if_runs(one, {}, now);
        }
        if (one.in || mine == all.end()) {
          done = done && one.in.has_value();
          continue;
        }
        // Only who got a node since the last look may have begun to run.
        const std::size_t on_nodes = count_placed(mine->second);
        if (std::exchange(placed[one.key], on_nodes) != on_nodes)
          note_if_runs(one, mine->second, now);
        done = done && one.in.has_value();
      }
      return done;
    };
    return session_.run_ahead(look);
  }

  bool all_run() {
    const auto mine = units();
    return !mine.empty() && std::ranges::all_of(mine, [&](const auto& unit) {
      const std::size_t placed = count_placed(unit.second);
      return placed == unit.second.size() || (placed > 0 && runs(unit.first));
    });
  }

  // Why the first that does not run does not; empty: all do.
  std::string first_obstacle() {
    const auto mine = units();
    if (mine.empty()) return "no pod is made of it";
    for (const auto& [key, pods] : mine) {
      if (runs(key) && count_placed(pods) > 0) continue;
      const explain::Verdict verdict = session_.verdict(key);
      return fmt::format("{}: {}: {}", explain::text_of(verdict.object), name(verdict.blocker),
                         verdict.summary);
    }
    return {};
  }

 private:
  using Pods = std::vector<std::shared_ptr<const model::Pod>>;

  const store::Store& objects() const { return session_.objects(); }

  static std::size_t count_placed(const Pods& pods) {
    return static_cast<std::size_t>(
        std::ranges::count_if(pods, [](const auto& pod) { return !pod->node_name.empty(); }));
  }

  // Whether the object is asked about by itself, whatever its pods.
  bool stands_alone(const ObjectKey& key) const {
    const auto object = objects().get(key);
    if (object == nullptr) return false;
    if (key.kind == Kind::job) return true;
    return key.kind == Kind::admission_request && work_above(objects(), *object) == nullptr;
  }

  bool runs(const ObjectKey& key) {
    return objects().get(key) != nullptr && session_.verdict(key).state == explain::State::running;
  }

  // The root of the groups above a pod, if its group exists.
  std::shared_ptr<const model::Object> root_of(const model::Pod& pod) const {
    const auto leaf = objects().find<model::PodGroup>(pod.meta.ns, pod.spec->scheduling_group);
    if (leaf == nullptr) return nullptr;
    std::shared_ptr<const model::Object> root = leaf;
    std::string parent = leaf->parent;
    for (int level = 0; !parent.empty() && level < core::GroupTable::kMaxDepth; ++level) {
      const auto above = objects().find<model::CompositePodGroup>(pod.meta.ns, parent);
      if (above == nullptr) break;
      root = above;
      parent = above->parent;
    }
    return root;
  }

  static std::string name_of(const model::Pod& pod) { return pod.meta.ns + "/" + pod.meta.name; }

  // What people wrote of which the pod is a part.
  std::string work_of(const model::Pod& pod) const {
    if (const auto work = work_above(objects(), pod)) return explain::text_of(name_of_work(*work));
    const auto root = root_of(pod);
    const model::Object& top = root != nullptr ? *root : pod;
    return fmt::format("{} {}/{}", model::facts(top.kind).name, top.meta.ns, top.meta.name);
  }

  // What people wrote of somebody who leaves by that name: a pod, or work that leaves whole.
  std::string work_named(const std::string& victim) const {
    const auto known = gone_.find(victim);
    if (known != gone_.end()) return known->second;
    const std::size_t slash = victim.find('/');
    const auto pod = objects().find<model::Pod>(victim.substr(0, slash), victim.substr(slash + 1));
    return pod != nullptr ? work_of(*pod) : victim;
  }

  ObjectKey unit_of(const model::Pod& pod) const {
    const auto root = root_of(pod);
    const model::Object& top = root != nullptr ? *root : pod;
    if (const auto work = work_above(objects(), top)) return model::key_of(*work);
    const model::OwnerReference* job = job_above(top.meta);
    if (job != nullptr) return {Kind::job, pod.meta.ns, job->name, {}};
    return model::key_of(top);
  }

  // Pods that came since the last call of forget() and are still there, by what they belong to.
  std::map<ObjectKey, Pods> units() const {
    std::map<ObjectKey, Pods> made;
    for (const ObjectKey& key : pods_) {
      auto pod = objects().find<model::Pod>(key.ns, key.name);
      if (pod != nullptr) made[unit_of(*pod)].push_back(std::move(pod));
    }
    return made;
  }

  PlanAnswer answer(const ObjectKey& key, const Pods& pods) {
    PlanAnswer made;
    made.key = key;
    made.verdict = session_.verdict(key);
    made.object = made.verdict.object;
    add_decisions(made, pods);
    add_domain(made, pods);
    add_places(made, pods);
    add_kept(made);
    if (made.verdict.state == explain::State::running) {
      made.runs = made.evicts.empty() ? PlanAnswer::Runs::now : PlanAnswer::Runs::after_eviction;
      made.in = Millis{0};
    } else if (!made.evicts.empty()) {
      made.runs = PlanAnswer::Runs::after_eviction;
    }
    return made;
  }

  void note_if_runs(PlanAnswer& answer, const Pods& pods, Millis now) {
    if (!runs(answer.key)) return;
    answer.in = session_.elapsed() - now;
    answer.bases = omens_->bases();
    if (answer.runs != PlanAnswer::Runs::after_eviction) answer.runs = PlanAnswer::Runs::later;
    add_decisions(answer, pods);
    add_domain(answer, pods);
    add_places(answer, pods);
    add_kept(answer);
  }

  // Entities are named after groups and pods; a Job's after what speaks for it.
  void add_decisions(PlanAnswer& answer, const Pods& pods) const {
    std::set<std::string> entities;
    std::set<std::string> evicted;
    for (const auto& pod : pods) {
      const auto root = root_of(*pod);
      const model::Object& top = root != nullptr ? *root : *pod;
      entities.insert(
          fmt::format("{} {}/{}", model::facts(top.kind).name, top.meta.ns, top.meta.name));
    }
    if (const std::string request = session_.request_of(answer.key); !request.empty()) {
      entities.insert("Workload " + request);
    }
    for (const std::string& entity : entities) {
      const auto victims = diary_.victims(entity);
      evicted.insert(victims.begin(), victims.end());
    }
    answer.evicts.assign(evicted.begin(), evicted.end());
    answer.evicted.clear();
    for (const std::string& victim : evicted) ++answer.evicted[work_named(victim)];
  }

  // The key by which the pod keeps to others: of the topmost group that has one, or its own.
  std::string topology_key_of(const model::Pod& pod) const {
    const auto leaf = objects().find<model::PodGroup>(pod.meta.ns, pod.spec->scheduling_group);
    if (leaf == nullptr) return {};
    std::string key = leaf->spec.topology_key.empty() ? wanted_key(pod) : leaf->spec.topology_key;
    std::string parent = leaf->parent;
    for (int level = 0; !parent.empty() && level < core::GroupTable::kMaxDepth; ++level) {
      const auto above = objects().find<model::CompositePodGroup>(pod.meta.ns, parent);
      if (above == nullptr) break;
      if (!above->spec.topology_key.empty()) key = above->spec.topology_key;
      parent = above->parent;
    }
    return key;
  }

  void add_domain(PlanAnswer& answer, const Pods& pods) const {
    std::map<std::string, std::vector<const model::Pod*>> by_key;
    for (const auto& pod : pods) {
      if (!pod->node_name.empty()) by_key[topology_key_of(*pod)].push_back(pod.get());
    }
    std::vector<std::string> texts;
    for (const auto& [key, placed] : by_key) {
      auto text = domain_text(scene_of(session_), key, placed);
      if (!text.empty()) texts.push_back(std::move(text));
    }
    answer.domain = fmt::format("{}", fmt::join(texts, " "));
  }

  static void add_places(PlanAnswer& answer, const Pods& pods) {
    answer.places.clear();
    for (const auto& pod : pods) {
      if (pod->node_name.empty()) continue;
      answer.places.emplace_back(name_of(*pod), pod->node_name);
    }
    std::ranges::sort(answer.places);
  }

  // The places of a request whose pods are yet to be made.
  void add_kept(PlanAnswer& answer) const {
    const std::string request = session_.request_of(answer.key);
    if (request.empty() || !answer.places.empty()) return;
    Session::Kept kept = session_.kept_for(request);
    answer.places = std::move(kept.places);
    if (!answer.places.empty()) answer.domain = kept.flavors;
  }

  Session& session_;
  const Diary& diary_;
  std::vector<ObjectKey> pods_;              // in the order in which they came
  std::map<std::string, std::string> gone_;  // what pods that left were part of, by their names
  std::optional<RunForecasts> omens_;        // once time passes
  bool moved_ = false;  // something has happened to a pod since wait_for() looked
};

// The cluster and the work on top of it, at rest.
struct Stage {
  Diary diary;
  std::unique_ptr<Session> session;
  std::unique_ptr<Planner> planner;  // of the work
};

Result<std::unique_ptr<Stage>> set_stage(const Scripts& scripts, const PlanOptions& options,
                                         terminal::Streams& streams) {
  auto stage = std::make_unique<Stage>();
  TUTTI_ASSIGN(stage->session,
               Session::open(scripts.cluster, options.session, streams, &stage->diary));
  const Millis now = options.session.until.value_or(Millis{0});
  TUTTI_TRY(stage->session->run_until(now));
  stage->planner = std::make_unique<Planner>(*stage->session, stage->diary);
  if (!options.nodes.none()) {
    TUTTI_ASSIGN(sim::Script changes,
                 change_nodes(stage->session->objects(), options.nodes, stage->session->elapsed()));
    stage->session->play(std::move(changes));
  }
  stage->session->play(scripts.asked);
  TUTTI_TRY(stage->session->run_until(now));
  return stage;
}

// Copies come one after the other at the same instant, until one does not run at once.
Status count_copies(Stage& stage, const sim::Script& asked, Plan& plan) {
  const auto late = std::ranges::find_if(
      plan.answers, [](const PlanAnswer& answer) { return answer.runs != PlanAnswer::Runs::now; });
  plan.copies = late == plan.answers.end() ? 1 : 0;
  if (late != plan.answers.end()) {
    plan.limit = explain::text_of(late->object) + ": " + late->verdict.summary;
    return ok_status();
  }
  ObjectCopier copier(asked);
  while (*plan.copies < kCopiesMax) {
    stage.planner->forget();
    const std::size_t evictions = stage.diary.evictions();
    stage.session->play(copier.copy(*plan.copies + 1));
    TUTTI_TRY(stage.session->run_until(stage.session->elapsed()));
    if (!stage.planner->all_run() || stage.diary.evictions() != evictions) {
      plan.limit = stage.planner->first_obstacle();
      if (plan.limit.empty()) plan.limit = "the next one would evict others";
      return ok_status();
    }
    ++*plan.copies;
  }
  return ok_status();
}

}  // namespace

std::string_view name(PlanAnswer::Runs runs) {
  constexpr std::array<std::string_view, 4> kWords = {"now", "afterEviction", "later", "unknown"};
  return kWords[static_cast<std::size_t>(runs)];
}

Result<Plan> make_plan(const PlanOptions& options, terminal::Streams& streams) {
  TUTTI_ASSIGN(Parts parts, load_parts(options, streams));
  if (!options.queue.empty()) TUTTI_TRY(put_in_queue(parts.all, parts.asked, options.queue));
  TUTTI_ASSIGN(const Scripts scripts, build(parts));
  TUTTI_ASSIGN(std::unique_ptr<Stage> stage, set_stage(scripts, options, streams));
  Plan plan;
  plan.now = options.session.until.value_or(Millis{0});
  plan.answers = stage->planner->answers(scripts.asked);
  if (plan.answers.empty()) {
    return Error{Error::Code::invalid,
                 "there is nothing to plan: no pod in the manifests waits for a node"};
  }
  TUTTI_TRY(stage->planner->wait_for(plan.answers, plan.now));
  if (!options.count) return plan;
  // Time has passed on this stage; copies come at the moment of the original.
  stage.reset();
  TUTTI_ASSIGN(stage, set_stage(scripts, options, streams));
  TUTTI_TRY(count_copies(*stage, scripts.asked, plan));
  return plan;
}

}  // namespace tutti::session
