#include "cli/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/text.h"
#include "cli/field_lines.h"
#include "cli/input.h"
#include "config/scheduler_config.h"
#include "explain/explain.h"
#include "plugins/registry.h"

namespace tutti::cli {
namespace {

Result<core::SchedulerConfig> load_config(const std::string& path, std::istream& in) {
  if (path.empty()) return config::default_config();
  TUTTI_ASSIGN(const std::string text, read_input(path, in));
  Result<core::SchedulerConfig> parsed = config::parse_config(text);
  if (parsed.ok()) return parsed;
  return Error{parsed.error().code, at_place(path, parsed.error().message)};
}

Result<std::vector<core::Profile>> build_profiles(const core::SchedulerConfig& config,
                                                  const SessionOptions& options) {
  const plugins::PluginLoader loader(options.plugin_dir);
  std::vector<core::Profile> profiles;
  for (const core::ProfileConfig& profile : config.profiles) {
    auto built = plugins::build_profile(profile, options.plugin_dir.empty() ? nullptr : &loader);
    if (!built.ok()) {
      return Error{built.error().code, at_place(options.config, built.error().message)};
    }
    profiles.push_back(*std::move(built));
  }
  return profiles;
}

Result<sim::Script> load_script(const ManifestPaths& paths, Streams& streams) {
  TUTTI_ASSIGN(const Manifests manifests, load_manifests(paths, streams.in));
  for (const std::string& note : manifests.notes)
    streams.err << "note: " << brief_line(note) << '\n';
  FieldLines lines;
  return sim::build_script(manifests.objects, std::ref(lines));
}

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

core::SchedulerOptions scheduler_options(core::SchedulerConfig config) {
  core::SchedulerOptions options;
  options.config = std::move(config);
  options.sole_scheduler = true;
  return options;
}

std::string left_to(const model::Pod& pod) {
  return fmt::format("left to scheduler '{}'", pod.spec->scheduler_name);
}

// The scheduler does not keep what has ended and what is another's.
explain::Verdict verdict_of_unknown(const model::Pod& pod) {
  explain::Verdict verdict;
  verdict.object = {"Pod", pod.meta.ns, pod.meta.name};
  verdict.state = pod.terminal() ? explain::State::running : explain::State::waiting;
  verdict.summary = pod.terminal() ? "has ended" : left_to(pod);
  return verdict;
}

}  // namespace

Result<std::unique_ptr<Session>> Session::open(const SessionOptions& options, Streams& streams,
                                               core::DecisionListener* listener) {
  TUTTI_ASSIGN(core::SchedulerConfig config, load_config(options.config, streams.in));
  TUTTI_ASSIGN(std::vector<core::Profile> profiles, build_profiles(config, options));
  TUTTI_ASSIGN(sim::Script script, load_script(options.manifests, streams));
  return std::unique_ptr<Session>(
      new Session(std::move(script), options, std::move(config), std::move(profiles), listener));
}

Session::Session(sim::Script script, const SessionOptions& options, core::SchedulerConfig config,
                 std::vector<core::Profile> profiles, core::DecisionListener* listener)
    : scheduler_names_(names_of(config)),
      strange_kinds_(strange_kinds_in(script)),
      world_(std::move(script), {.seed = options.seed}),
      scheduler_(scheduler_options(std::move(config)), std::move(profiles), world_, listener),
      driver_(scheduler_) {}

Status Session::run_until(std::optional<Millis> until) {
  sim::RunOptions options;
  options.until = until;
  const sim::RunResult result = sim::run(world_, driver_, options);
  if (result.ok()) return ok_status();
  return Error{Error::Code::io, result.problem};
}

bool Session::is_foreign(const model::Pod& pod) const {
  return pod.node_name.empty() && !pod.terminal() &&
         !scheduler_names_.contains(pod.spec->scheduler_name);
}

std::size_t Session::foreign_pods() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      objects().objects(model::Kind::pod),
      [&](const auto& entry) { return is_foreign(model::as<model::Pod>(*entry.second)); }));
}

explain::Verdict Session::verdict(const model::ObjectKey& key) const {
  if (key.kind == model::Kind::pod) {
    const auto pod = objects().find<model::Pod>(key.ns, key.name);
    const auto id = scheduler_.cluster().find_pod(pod->meta.uid);
    return id ? explain::explain_pod(scheduler_, *id) : verdict_of_unknown(*pod);
  }
  const bool composite = key.kind == model::Kind::composite_pod_group;
  const auto id = scheduler_.groups().find(key.ns, key.name, composite);
  TUTTI_CHECK(id, key.name);
  return explain::explain_group(scheduler_, *id);
}

expect::Standing Session::standing(const model::ObjectKey& key) const {
  const auto pod =
      key.kind == model::Kind::pod ? objects().find<model::Pod>(key.ns, key.name) : nullptr;
  if (pod != nullptr && is_foreign(*pod)) {
    return {"Foreign", "", left_to(*pod)};
  }
  const explain::Verdict said = verdict(key);
  return {std::string(name(said.state)), std::string(name(said.blocker)), said.summary};
}

}  // namespace tutti::cli
