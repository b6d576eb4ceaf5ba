#include "session/session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "base/text.h"
#include "capacity/copy/waiting.h"
#include "core/topology/domains.h"
#include "explain/explain.h"
#include "explain/findings/demand.h"
#include "explain/request_verdict.h"
#include "explain/verdict/text.h"
#include "session/manifests/field_lines.h"
#include "session/profiles.h"
#include "session/queue_view.h"
#include "session/work/cron_view.h"
#include "session/work/group_origins.h"
#include "session/work/work_verdict.h"
#include "session/work/workload_forms.h"
#include "whatif/quota/quota_ways.h"
#include "whatif/ways.h"

namespace tutti::session {

void show_notes(const std::vector<std::string>& notes, terminal::Streams& streams) {
  for (const std::string& note : notes) streams.err << "note: " << brief_line(note) << '\n';
}

Result<sim::Script> load_script(const ManifestPaths& paths, terminal::Streams& streams) {
  terminal::Progress progress(streams.err, streams.stopwatch);
  TUTTI_ASSIGN(const Manifests manifests, load_manifests(paths, streams.in, progress));
  progress.erase();
  show_notes(manifests.notes, streams);
  FieldLines lines;
  TUTTI_ASSIGN(sim::Script script, sim::build_script(manifests, std::ref(lines)));
  show_notes(script.notes, streams);
  return script;
}

namespace {

// The sole scheduler also takes pods that name the usual one, or none.
std::set<std::string> names_of(const core::SchedulerConfig& config) {
  std::set<std::string> names = {"", "default-scheduler"};
  for (const core::ProfileConfig& profile : config.profiles) names.insert(profile.scheduler_name);
  return names;
}

std::set<std::string> strange_kinds_in(const sim::Script& script) {
  std::set<std::string> names;
  for (const sim::Action& action : script.actions) {
    if (action.object == nullptr || action.object->kind != model::Kind::other) continue;
    names.insert(static_cast<const model::OtherObject&>(*action.object).kind_name);
  }
  return names;
}

core::SchedulerOptions scheduler_options(core::SchedulerConfig config, core::QuotaConfig quota) {
  core::SchedulerOptions options;
  options.config = std::move(config);
  options.quota = std::move(quota);
  options.sole_scheduler = true;
  return options;
}

controllers::QueueRules queue_rules(const core::QuotaConfig& config) {
  return {.holds_work_without_queue = config.manages_jobs_without_queue,
          .namespaces = config.managed_namespaces,
          .frameworks = config.frameworks,
          .reports_readiness = config.pods_ready.has_value()};
}

// Nobody plans further ahead.
constexpr Millis kHorizon = std::chrono::hours(24 * 366);
// How often others may begin after pods that were expected to end, until nothing is expected of
// them: errors add up, and a Job of a million completions would be played to its end.
constexpr std::size_t kTurnsMax = 500;

std::string left_to(const model::Pod& pod, const std::set<std::string>& ours) {
  const std::string& name = pod.spec->scheduler_name;
  const std::vector<std::string_view> known(ours.begin(), ours.end());
  const std::string_view meant = nearest_word(name, known);
  return fmt::format("left to scheduler '{}'{}", name,
                     meant.empty() ? std::string() : fmt::format("; did you mean {}?", meant));
}

// Requires a pod that has ended.
std::string end_of(const model::Pod& pod) {
  return pod.status.phase == model::PodPhase::succeeded ? "Succeeded" : "Failed";
}

std::string ending(const model::Pod& pod) {
  const std::string phase = end_of(pod);
  if (pod.node_name.empty()) return fmt::format("ended: {}", phase);
  return fmt::format("ended: {} on node {}", phase, pod.node_name);
}

// The scheduler does not keep what has ended and what is another's.
explain::Verdict verdict_of_unknown(const model::Pod& pod, const std::set<std::string>& ours) {
  explain::Verdict verdict;
  verdict.object = {"Pod", pod.meta.ns, pod.meta.name};
  verdict.state = pod.terminal() ? explain::State::running : explain::State::waiting;
  verdict.summary = pod.terminal() ? ending(pod) : left_to(pod, ours);
  return verdict;
}

// Named only by pods that the scheduler does not keep.
explain::Verdict verdict_of_unknown_group(const model::ObjectKey& key) {
  explain::Verdict verdict;
  verdict.object = {"PodGroup", key.ns, key.name};
  verdict.state = explain::State::held;
  verdict.blocker = explain::Blocker::incomplete;
  verdict.summary = fmt::format("PodGroup {}/{} does not exist", key.ns, key.name);
  return verdict;
}

}  // namespace

Result<std::unique_ptr<Session>> Session::open(const SessionOptions& options,
                                               terminal::Streams& streams,
                                               core::DecisionListener* listener) {
  TUTTI_ASSIGN(sim::Script script, load_script(options.manifests, streams));
  return open(std::move(script), options, streams, listener);
}

Result<std::unique_ptr<Session>> Session::open(sim::Script script, const SessionOptions& options,
                                               terminal::Streams& streams,
                                               core::DecisionListener* listener) {
  TUTTI_ASSIGN(config::DaemonConfig loaded, load_config(options.config, streams.in));
  core::SchedulerConfig& config = loaded.scheduler;
  TUTTI_ASSIGN(std::vector<core::Profile> profiles,
               build_profiles(config, options.config, options.plugin_dir));
  if (loaded.kueue) {
    if (script.quota && *script.quota != loaded.kueue->quota) {
      return Error{
          Error::Code::invalid,
          at_place(options.config, "configures queues, as the manifests do, and the two differ")};
    }
    script.quota = std::move(loaded.kueue->quota);
    if (!loaded.kueue->unheeded.empty()) {
      show_notes({fmt::format("Kueue's Configuration: not heeded here: {}",
                              fmt::join(loaded.kueue->unheeded, ", "))},
                 streams);
    }
  }
  return std::unique_ptr<Session>(new Session(std::move(script), options, std::move(config),
                                              std::move(profiles), streams, listener));
}

Session::Session(sim::Script script, const SessionOptions& options, core::SchedulerConfig config,
                 std::vector<core::Profile> profiles, terminal::Streams& streams,
                 core::DecisionListener* listener)
    : config_(config),
      quota_(script.quota.value_or(core::QuotaConfig{})),
      config_path_(options.config),
      plugin_dir_(options.plugin_dir),
      scheduler_names_(names_of(config)),
      strange_kinds_(strange_kinds_in(script)),
      copied_(script.taken_at.has_value()),
      world_(noted(std::move(script)), {.seed = options.seed,
                                        .keeps_documents = options.manifests.keep_documents,
                                        .cron_until = options.until,
                                        .queues = queue_rules(quota_)}),
      scheduler_(scheduler_options(std::move(config), quota_), std::move(profiles), world_,
                 listener),
      progress_(streams.err, streams.stopwatch),
      driver_(scheduler_, [this] { stepped(); }),
      runner_(world_, driver_, {.check = options.check, .stop = options.stop}) {}

sim::Script Session::noted(sim::Script script) {
  written_specs_.merge(script.written);
  for (const sim::Action& action : script.actions) {
    if (action.object == nullptr) continue;
    const model::Kind kind = action.key.kind;
    const bool made_too = kind == model::Kind::pod_group ||
                          kind == model::Kind::composite_pod_group ||
                          ((kind == model::Kind::pod || kind == model::Kind::job) &&
                           !action.object->meta.owners.empty());
    if (made_too) written_.insert(action.key);
    const bool of_groups = kind == model::Kind::pod_group || kind == model::Kind::workload ||
                           kind == model::Kind::composite_pod_group;
    if (of_groups) group_versions_.insert(action.object->api_version);
  }
  return script;
}

Result<std::vector<core::Profile>> Session::fresh_profiles() const {
  return build_profiles(config_, config_path_, plugin_dir_);
}

Status Session::run_until(std::optional<Millis> until, const std::function<bool()>& enough) {
  const sim::RunResult result = runner_.run_until(until, enough);
  progress_.erase();
  if (!result.ok()) return Error{Error::Code::io, result.problem};
  // What a plugin did not answer was decided without it.
  const std::string failure = scheduler_.plugin_failure();
  return failure.empty() ? ok_status() : Status(Error{Error::Code::io, failure});
}

void Session::stepped() {
  if (watcher_) watcher_();
  if (!progress_.silent()) progress_.show([this] { return progress_text(); });
}

std::string Session::progress_text() const {
  const core::Cluster& cluster = scheduler_.cluster();
  const auto& pods = objects().objects(model::Kind::pod);
  const auto placed = std::ranges::count_if(pods, [&](const auto& object) {
    const auto& pod = model::as<model::Pod>(*object);
    if (!pod.node_name.empty()) return true;
    const auto id = cluster.pods().find(pod.meta.uid);
    return id && cluster.pod(*id).node.valid();
  });
  return terminal::running_line(elapsed(), static_cast<std::size_t>(placed), pods.size());
}

bool Session::is_foreign(const model::Pod& pod) const {
  return pod.node_name.empty() && !pod.terminal() &&
         !scheduler_names_.contains(pod.spec->scheduler_name);
}

std::size_t Session::foreign_pods() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      objects().objects(model::Kind::pod),
      [&](const auto& pod) { return is_foreign(model::as<model::Pod>(*pod)); }));
}

const explain::UntrackedMembers& Session::absentees() const {
  if (absentees_version_ != objects().version()) {
    absentees_ =
        explain::UntrackedMembers([this](const model::Pod& pod) { return is_foreign(pod); });
    for (const auto& pod : objects().objects(model::Kind::pod)) {
      absentees_.observe(model::as<model::Pod>(*pod));
    }
    absentees_version_ = objects().version();
  }
  return absentees_;
}

explain::Sources Session::sources() const {
  explain::Sources sources = explain::sources_of(scheduler_);
  sources.absent = [this](const core::Group& group) {
    return absentees().of(group.ns, group.name);
  };
  sources.has_template = [this](const std::string& ns, const std::string& name) {
    return objects().find<model::ResourceClaimTemplate>(ns, name) != nullptr;
  };
  sources.memory = &verdict_memory_;
  return sources;
}

bool Session::knows(const model::ObjectKey& key) const {
  if (objects().get(key) != nullptr) return true;
  const bool composite = key.kind == model::Kind::composite_pod_group;
  return (composite || key.kind == model::Kind::pod_group) &&
         scheduler_.groups().find(key.ns, key.name, composite).has_value();
}

// What pods are made of, if that is what the key names.
model::ObjectPtr Session::work_of(const model::ObjectKey& key) const {
  auto object = objects().get(key);
  return object != nullptr && makes_pods(*object) ? object : nullptr;
}

const core::Request* Session::request_made_for(const model::ObjectKey& key) const {
  const core::RequestTable& table = scheduler_.broker().requests();
  const auto object = table.empty() ? nullptr : objects().get(key);
  return object != nullptr ? requests_.find(table, *object, objects().version()) : nullptr;
}

std::string Session::request_of(const model::ObjectKey& key) const {
  const core::Request* request = request_made_for(key);
  return request != nullptr ? request->name : std::string();
}

Session::Kept Session::kept_for(const std::string& request) const {
  Kept kept;
  const auto& all = scheduler_.broker().requests().all();
  const auto known = all.find(request);
  if (known == all.end()) return kept;
  kept.flavors = explain::flavors_text(known->second->promise);
  const auto& gangs = scheduler_.broker().phantoms().all();
  const auto gang = gangs.find(request);
  if (gang == gangs.end()) return kept;
  const core::Cluster& cluster = scheduler_.cluster();
  for (const core::PhantomGang::Set& set : gang->second.sets) {
    for (const core::PodId id : set.pods) {
      const core::PodEntry& pod = cluster.pod(id);
      if (!pod.node.valid()) continue;
      kept.places.emplace_back(pod.object->meta.ns + "/" + pod.object->meta.name,
                               cluster.node_name(pod.node));
    }
  }
  return kept;
}

const core::Request* Session::request_behind(const model::ObjectKey& key) const {
  const core::Request* request = request_made_for(key);
  if (request == nullptr || key.kind == model::Kind::admission_request) return request;
  if (key.kind == model::Kind::pod) {
    const auto pod = objects().find<model::Pod>(key.ns, key.name);
    if (pod->terminal() || !pod->node_name.empty()) return nullptr;
  }
  // Where nobody has queues, somebody else decides.
  const bool decided_here = scheduler_.broker().requests().objects().has_queues();
  return decided_here && speaks_for_pods(*request) ? request : nullptr;
}

whatif::World Session::world_now() const {
  whatif::World world{.options = scheduler_options(config_, quota_), .now = now()};
  if (fresh_profiles().ok()) {
    world.profiles = [this] { return *fresh_profiles(); };
  }
  for (std::size_t kind = 0; kind < model::kKindCount; ++kind) {
    if (static_cast<model::Kind>(kind) == model::Kind::event) continue;  // decides nothing
    for (const auto& object : objects().objects(static_cast<model::Kind>(kind))) {
      world.objects.push_back(object);
    }
  }
  return world;
}

explain::Verdict Session::verdict(const model::ObjectKey& key) const {
  if (const core::Request* request = request_behind(key)) {
    explain::Verdict said = explain::explain_request(sources(), scheduler_.broker(), *request);
    said.object = name_of_work(*objects().get(key));
    return said;
  }
  if (const auto work = work_of(key)) {
    const VerdictOf verdict_of = [this](const model::ObjectKey& part) { return verdict(part); };
    return is_cron_job(*work) ? cron_verdict(*work, objects(), now(), verdict_of)
                              : work_verdict(*work, objects(), verdict_of);
  }
  if (key.kind == model::Kind::resource_claim) {
    return explain::explain_claim(sources(), key.ns, key.name);
  }
  if (key.kind == model::Kind::pod) {
    const auto pod = objects().find<model::Pod>(key.ns, key.name);
    const auto id = scheduler_.cluster().pods().find(pod->meta.uid);
    return id ? explain::explain_pod(sources(), *id) : verdict_of_unknown(*pod, scheduler_names_);
  }
  const bool composite = key.kind == model::Kind::composite_pod_group;
  const auto id = scheduler_.groups().find(key.ns, key.name, composite);
  return id ? explain::explain_group(sources(), *id) : verdict_of_unknown_group(key);
}

std::optional<whatif::Asker> Session::asker_for(const model::ObjectKey& key) const {
  if (const auto work = work_of(key)) {
    const auto shown = spokesman(*work, objects());
    auto asker = shown ? asker_for(*shown) : std::nullopt;
    if (asker && !asker->group.valid()) asker->whole = true;
    return asker;
  }
  const core::GroupTable& groups = scheduler_.groups();
  if (key.kind == model::Kind::pod) {
    const auto pod = objects().find<model::Pod>(key.ns, key.name);
    const auto id = scheduler_.cluster().pods().find(pod->meta.uid);
    const bool waits = id && pod->node_name.empty() && !scheduler_.cluster().pod(*id).node.valid();
    return waits ? std::optional(whatif::Asker{*id, {}}) : std::nullopt;
  }
  const bool composite = key.kind == model::Kind::composite_pod_group;
  const auto id = groups.find(key.ns, key.name, composite);
  if (!id) return std::nullopt;
  for (const core::GroupId leaf : explain::leaves_of(groups, *id)) {
    const auto& pending = groups[leaf].pending;
    if (!pending.empty()) return whatif::Asker{*pending.begin(), *id};
  }
  return std::nullopt;
}

std::vector<explain::Way> Session::ways(const model::ObjectKey& key) {
  const explain::State state = verdict(key).state;
  const bool stuck = state == explain::State::waiting || state == explain::State::held ||
                     state == explain::State::impossible;
  const bool asked = key.kind != model::Kind::resource_claim && stuck;
  if (const core::Request* request = asked ? request_behind(key) : nullptr) {
    return whatif::find_quota_ways(world_now(), scheduler_.broker().requests(), *request);
  }
  const auto asker = asked ? asker_for(key) : std::nullopt;
  if (!asker) return {};
  std::map<std::string, whatif::Form> forms;
  return whatif::find_ways(scheduler_, world_.clock().now(), *asker, neighbours(forms));
}

// A Job that nobody has but us says what its CronJob says.
whatif::Origin Session::where_people_write(whatif::Origin origin) const {
  if (origin.object.kind != "Job" || !origin.object.api_version.empty()) return origin;
  const model::ObjectKey key{model::Kind::job, origin.object.ns, origin.object.name, {}};
  const auto job = objects().get(key);
  const auto cron = job != nullptr ? cron_job_above(objects(), *job) : nullptr;
  return cron == nullptr || written_.contains(key) ? origin : in_cron_job(std::move(origin), *cron);
}

// Forms are looked for once, by what was made from them.
whatif::Neighbours Session::neighbours(std::map<std::string, whatif::Form>& forms) const {
  whatif::Neighbours neighbours;
  neighbours.find = [this](const model::ObjectKey& other) { return objects().get(other); };
  neighbours.all = [this](model::Kind kind) {
    std::vector<model::ObjectPtr> all;
    for (const auto& object : objects().objects(kind)) all.push_back(object);
    return all;
  };
  neighbours.form = [this, &forms](const model::OwnerReference& owner,
                                   const model::ObjectMeta& made) {
    const auto [at, fresh] = forms.try_emplace(made.uid);
    if (fresh) at->second = workload_form(objects(), owner, made);
    return at->second;
  };
  neighbours.origin = [this](const core::Group& group) {
    const model::Kind kind =
        group.composite ? model::Kind::composite_pod_group : model::Kind::pod_group;
    const bool written = written_.contains({kind, group.ns, group.name, {}});
    return where_people_write(group_origin(objects(), group, written));
  };
  neighbours.written = [this](const model::Pod& pod) {
    const auto at = written_specs_.find(pod.spec);
    return at == written_specs_.end() ? nullptr : at->second;
  };
  neighbours.made_here = [this](const model::Object& object) {
    return !object.meta.owners.empty() && !written_.contains(model::key_of(object));
  };
  neighbours.versions = versions_in_use(group_versions_);
  return neighbours;
}

explain::Preemption Session::evictions(const model::ObjectKey& key) {
  const explain::Verdict said = verdict(key);
  const bool waits =
      said.state == explain::State::waiting || said.state == explain::State::preempting;
  const bool asked =
      waits && key.kind != model::Kind::resource_claim && request_behind(key) == nullptr;
  const auto asker = asked ? asker_for(key) : std::nullopt;
  if (!asker) return said.preemption;
  return whatif::find_evictions(scheduler_, world_.clock().now(), *asker);
}

std::string Session::ahead_of(const model::ObjectKey& key) const {
  if (const core::Request* request = request_behind(key)) {
    const auto ahead = explain::ahead_in_queue(scheduler_.broker().requests(), *request);
    if (ahead.empty()) return {};
    return fmt::format("{} in the queue: {}", ahead.size(), explain::first_of(ahead));
  }
  const std::string own = explain::text_of(verdict(key).object);
  std::vector<std::string> before;
  for (const std::string& name : capacity::waiting_order(scheduler_)) {
    const std::string in_use = name_in_use(objects(), name);
    if (name == own || in_use == own) {
      if (before.empty()) return {};
      return fmt::format("{} in the queue: {}", before.size(), explain::first_of(before));
    }
    if (before.empty() || before.back() != in_use) before.push_back(in_use);
  }
  return {};
}

std::shared_ptr<const JobHistory> Session::expect_ends() {
  auto history = std::make_shared<const JobHistory>(objects(), now());
  world_.expect_ends([history, latest = now(), turns = std::size_t{0}](
                         const model::Pod& pod, Instant begin) mutable -> std::optional<Instant> {
    const auto end = history->end_of(pod, begin);
    if (end && begin > latest) {
      latest = begin;
      ++turns;
    }
    return turns <= kTurnsMax ? end : std::nullopt;
  });
  return history;
}

Status Session::run_ahead(const std::function<bool()>& enough) {
  return run_until(elapsed() + kHorizon, enough);
}

Result<std::optional<RunForecast>> Session::foresee(const model::ObjectKey& key) {
  RunForecasts omens(objects(), key, expect_ends());
  driver_.listen(
      [&](const store::WatchEvent& event) { omens.observe(event, world_.clock().now()); });
  const auto there = [&] {
    return objects().get(key) != nullptr && verdict(key).state == explain::State::running;
  };
  const Status status = run_ahead(there);
  driver_.listen({});
  if (!status.ok()) return status.error();
  if (!there()) return std::optional<RunForecast>{};
  return std::optional<RunForecast>{{elapsed(), omens.latest(), omens.bases()}};
}

std::string Session::pod_state(const model::Pod& pod, const explain::Verdict& said) const {
  if (pod.terminal()) return end_of(pod);
  if (is_foreign(pod)) return "Foreign";
  if (!pod.node_name.empty() && pod.meta.deletion) return "Terminating";
  return std::string(name(said.state));
}

bool Session::has_finished(const model::ObjectKey& group) const {
  const bool composite = group.kind == model::Kind::composite_pod_group;
  const auto id = scheduler_.groups().find(group.ns, group.name, composite);
  if (id) return explain::finished(sources(), *id);
  const explain::Absent absent = absentees().of(group.ns, group.name);
  return absent.ended() > 0 && absent.foreign == 0;
}

expect::Standing Session::standing(const model::ObjectKey& key) const {
  const explain::Verdict said = verdict(key);
  std::string state(name(said.state));
  if (key.kind == model::Kind::admission_request) {
    const core::Request* request = request_behind(key);
    if (request != nullptr && request->finished) state = "Finished";
  } else if (key.kind == model::Kind::pod) {
    state = pod_state(*objects().find<model::Pod>(key.ns, key.name), said);
  } else if (const auto work = work_of(key);
             work != nullptr ? has_ended(*work, objects()) : has_finished(key)) {
    return {"Finished", "", said.summary};
  }
  return {std::move(state), std::string(name(said.blocker)), said.summary};
}

expect::Scene scene_of(const Session& session) {
  return {session.objects(),
          [&](const auto& key) { return session.standing(key); },
          [&](const auto& key, const auto& pod) {
            return core::domain_values(session.scheduler().cluster(), key, pod);
          },
          [&](const auto& name) { return queue_standing(session, name); },
          [&](const auto& name) { return request_standing(session, name); },
          [&](const auto& asked) { return eviction_right(session, asked); }};
}

}  // namespace tutti::session
