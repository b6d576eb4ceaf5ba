// CLI11 throws; it and its exceptions stay in this file.
#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/doctor/doctor_command.h"
#include "cli/help_text.h"
#include "cli/input/examples.h"
#include "cli/input/options.h"
#include "cli/input/version.h"
#include "cli/output/completion.h"
#include "cli/queues/queue_commands.h"
#include "config/shipped.h"
#include "expect/expectation.h"
#include "session/profiles.h"

namespace tutti::cli {
namespace {

constexpr const char* kAbout =
    "Tutti schedules gangs, batch and inference work on Kubernetes objects, and says why.";
std::string version_text() { return "tutti " + version(); }

std::optional<std::uint64_t> parse_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const char* const last = text.data() + text.size();
  const auto [end, problem] = std::from_chars(text.data(), last, seed);
  if (problem != std::errc{} || end != last) return std::nullopt;
  return seed;
}

std::string url_problem(const std::string& text) {
  const bool http = text.starts_with("http://") || text.starts_with("https://");
  return http ? "" : "must begin with http:// or https://";
}

std::string seed_problem(const std::string& text) {
  return parse_seed(text) ? "" : "must be a whole number from 0 to 18446744073709551615";
}

// A configuration that comes with Tutti by its name, or else a file.
std::string shipped_or_path(const std::string& word) {
  const bool shipped = config::shipped_config(word).has_value();
  return shipped ? std::string(session::kShippedPrefix) + word : word;
}

void add_config_options(CLI::App& command, std::string& config) {
  CLI::Option* file =
      command.add_option("--config", config, "A KubeSchedulerConfiguration")->type_name("FILE");
  command
      .add_option_function<std::string>(
          "--profile",
          [&config](const std::string& name) {
            config = std::string(session::kShippedPrefix) + name;
          },
          "A configuration that comes with Tutti: pack-gpus keeps whole nodes free for large gangs")
      ->check(CLI::IsMember(config::shipped_names()))
      ->type_name("NAME")
      ->excludes(file);
}

// `many`: -f takes all the words that follow it, which leaves none to a positional argument.
// Returns the option -f.
CLI::Option* add_session_options(
    CLI::App& command, session::SessionOptions& session, bool many,
    const char* until = "Stop at this virtual time (90s, 2h; default: when all is settled)") {
  CLI::Option* const manifests =
      command
          .add_option("-f,--filename", session.manifests.paths,
                      "Manifests: files, folders, or - for standard input")
          ->allow_extra_args(many)
          ->type_name("PATH");
  command.add_flag("-R,--recursive", session.manifests.recursive,
                   "Read the folders below a folder, too");
  command.add_flag("--lenient", session.manifests.lenient,
                   "Keep fields and kinds that the API does not have, instead of refusing them");
  const auto set_until = [&session](const std::string& text) {
    session.until = *parse_duration(text);
  };
  command.add_option_function<std::string>("--until", set_until, until)
      ->check(duration_problem)
      ->type_name("DURATION");
  const auto set_seed = [&session](const std::string& text) { session.seed = *parse_seed(text); };
  command
      .add_option_function<std::string>("--seed", set_seed,
                                        "Another number makes up other uids and names (default: 0)")
      ->check(seed_problem)
      ->type_name("N");
  add_config_options(command, session.config);
  command.add_option("--plugin-dir", session.plugin_dir, "Load the plugins (*.so) in this folder")
      ->type_name("DIR");
  return manifests;
}

void add_cluster_options(CLI::App& command, ClusterOptions& options) {
  command
      .add_option("--kubeconfig", options.kubeconfig,
                  "How to reach the cluster (default: $KUBECONFIG, the pod's service account, "
                  "~/.kube/config)")
      ->type_name("FILE");
  command.add_option("--context", options.context, "The kubeconfig's context to use")
      ->type_name("NAME");
}

void add_reading_options(CLI::App& command, bool& live, ClusterOptions& access) {
  command.add_flag("--live", live, "Read the cluster itself, through its API server");
  add_cluster_options(command, access);
}

void add_run(CLI::App& app, RunOptions& options, std::string& kinds) {
  CLI::App& command =
      *app.add_subcommand("run", "Schedule manifests in virtual time, and show what happens");
  add_session_options(command, options.session, true)->required();
  add_format_option(command, options.format);
  command.add_option("--kinds", kinds, "Print only these kinds, e.g. pods,podgroups (json, yaml)")
      ->type_name("KINDS");
  command.add_option("--expect", options.expect, "Check the expectations in these files")
      ->type_name("FILE");
  CLI::Option* expect = command.get_option("--expect");
  command.add_option("--junit", options.junit, "Write what became of them as JUnit XML, for CI")
      ->needs(expect)
      ->type_name("FILE");
  command
      .add_option_function<std::string>(
          "--compare",
          [&options](const std::string& word) { options.compare = shipped_or_path(word); },
          "Run once more with this configuration, and show who stands otherwise")
      ->type_name("FILE|PROFILE");
  command.add_option("--timeline", options.timeline, "Write every decision as a line of JSON")
      ->type_name("FILE");
  command.add_flag("--pods", options.pods, "Show a line for every pod, those of workloads too");
  command.add_flag("--check", options.session.check,
                   "Watch Tutti itself for mistakes; exits 1 on one (slower)");
  command.footer(kRunExample);
}

void add_capacity(CLI::App& app, CapacityOptions& options) {
  CLI::App& command =
      *app.add_subcommand("capacity", "Report what still fits, what is idle and why, what waits");
  add_session_options(command, options.session, true);
  add_reading_options(command, options.live, options.access);
  add_format_option(command, options.format);
  command
      .add_option("--shape", options.shapes,
                  "A pod to measure in, e.g. cpu=8,memory=64Gi,nvidia.com/gpu=8 (repeatable)")
      ->allow_extra_args(false)
      ->type_name("REQUESTS");
  command
      .add_option("--level", options.levels,
                  "A node label to report by, beyond those found (repeatable)")
      ->allow_extra_args(false)
      ->type_name("KEY");
  command
      .add_option("--by", options.by,
                  "A node label that tells devices apart, e.g. nvidia.com/gpu.product")
      ->type_name("LABEL");
  command.add_option("--html", options.html, "Write a page with pictures, too")->type_name("FILE");
  command.footer(kCapacityExample);
}

void add_plan(CLI::App& app, PlanCommandOptions& options) {
  CLI::App& command = *app.add_subcommand(
      "plan", "Say whether work would run, where, evicting whom, and when; changes nothing");
  add_session_options(command, options.plan.session, true,
                      "When the work comes, in the cluster's virtual time (default: 0s)")
      ->required();
  command
      .add_option("--cluster", options.plan.cluster.paths,
                  "Manifests of the cluster: files, folders, or - for standard input")
      ->type_name("PATH");
  add_reading_options(command, options.live, options.access);
  command
      .add_option("--add-nodes", options.plan.nodes.add,
                  "As if the cluster had so many more nodes, of its kind or like one (8, 8:NODE)")
      ->check(session::added_nodes_problem)
      ->allow_extra_args(false)
      ->type_name("N[:NODE]");
  command
      .add_option("--drain", options.plan.nodes.drain,
                  "As if this node, or the nodes with this label, were drained (repeatable)")
      ->allow_extra_args(false)
      ->type_name("NODE|KEY=VALUE");
  command
      .add_option("--queue", options.plan.queue,
                  "As if the work were submitted to this LocalQueue of its namespace")
      ->type_name("NAME");
  command.add_flag("--count", options.plan.count, "Say how many copies of the work fit at once")
      ->disable_flag_override();
  command.add_flag("--pods", options.pods, "Show a line for every pod, and its node");
  add_format_option(command, options.format);
  command.footer(kPlanExample);
}

void add_queues(CLI::App& app, QueuesOptions& options) {
  CLI::App& command = *app.add_subcommand(
      "queues", "Show the quota tree: what is used, borrowed and lent, and who waits");
  command.add_option("queue", options.name, "Only this queue, and who waits there")
      ->option_text("[NAME]");
  add_session_options(command, options.session, false);
  add_reading_options(command, options.live, options.access);
  add_format_option(command, options.format);
  command.footer(kQueuesExample);
}

std::string side_problem(const std::string& text) {
  return expect::parse_queue_priority(text) ? "" : "must be QUEUE or QUEUE:PRIORITY";
}

void add_policy(CLI::App& app, PolicyOptions& options) {
  CLI::App& command =
      *app.add_subcommand("policy", "Say who may evict whom for quota, and by which rule");
  add_session_options(command, options.session, true,
                      "Look at the queues of this virtual time (default: when all is settled)");
  add_reading_options(command, options.live, options.access);
  CLI::Option* const from =
      command.add_option("--from", options.from, "Explain one cell: who would evict")
          ->check(side_problem)
          ->type_name("QUEUE[:PRIORITY]");
  CLI::Option* const to = command.add_option("--to", options.to, "Explain one cell: who would go")
                              ->check(side_problem)
                              ->type_name("QUEUE[:PRIORITY]");
  from->needs(to);
  to->needs(from);
  command.add_option("--expect", options.expect, "Check the expectations in these files")
      ->type_name("FILE");
  add_format_option(command, options.format);
  command.footer(kPolicyExample);
}

void add_doctor(CLI::App& app, DoctorOptions& options) {
  CLI::App& command =
      *app.add_subcommand("doctor", "Find what in a configuration cannot work, or is not used");
  add_session_options(command, options.session, true,
                      "Look at this virtual time (default: when all is settled)");
  add_reading_options(command, options.live, options.access);
  command
      .add_option("--fail-on", options.fail_on,
                  "Exit 3 if there is a finding that is so bad, or worse")
      ->check(CLI::IsMember({"error", "warning", "info"}))
      ->type_name("error|warning|info");
  add_format_option(command, options.format);
  command.footer(kDoctorExample);
}

void add_why(CLI::App& app, WhyOptions& options) {
  CLI::App& command =
      *app.add_subcommand("why", "Say what was decided: why it runs, was overtaken or evicted");
  command.add_option("object", options.object, "A request, what it was made for, a pod or group")
      ->option_text("[KIND/]NAME")
      ->required();
  command.add_option("--not", options.other, "Compare: why not this one")->type_name("[KIND/]NAME");
  command.add_option("-n,--namespace", options.ns, "Their namespace (default: default)")
      ->type_name("NS");
  add_session_options(command, options.session, false);
  add_reading_options(command, options.live, options.access);
  add_format_option(command, options.format);
  command.footer(kWhyExample);
}

// Adds the options of a scheduler that runs. Any of them stands instead of manifests.
void add_live_options(CLI::App& command, ExplainOptions& options) {
  command
      .add_option("--server", options.server,
                  "Ask the scheduler at this address (default: http://127.0.0.1:10259)")
      ->check(url_problem)
      ->type_name("URL");
  add_reading_options(command, options.live, options.cluster);
  command
      .add_option("--scheduler-pod", options.scheduler_pod,
                  "Its pod in the cluster (default: whoever holds the Lease kube-system/tutti, in "
                  "tutti-system)")
      ->type_name("NS/NAME[:PORT]");
}

void add_explain(CLI::App& app, ExplainOptions& options, std::vector<std::string>& words) {
  CLI::App& command = *app.add_subcommand("explain", "Say why a pod or group runs or waits");
  command
      .add_option("object", words,
                  "What to explain: a pod, a group, a claim, or what they are made of (Job, "
                  "Deployment, JobSet, LeaderWorkerSet ...); without a kind whatever has the name")
      ->option_text("[KIND/]NAME");
  command.add_flag("-A,--all", options.all, "Everything that waits, worst first");
  command
      .add_option("-n,--namespace", options.ns,
                  "Its namespace (default: default, or the kubeconfig's)")
      ->type_name("NS");
  add_session_options(command, options.session, false);
  add_live_options(command, options);
  add_format_option(command, options.format);
  command.footer(kExplainExample);
}

void add_snapshot(CLI::App& app, SnapshotOptions& options) {
  CLI::App& command =
      *app.add_subcommand("snapshot", "Write a live cluster as manifests for run and explain");
  add_cluster_options(command, options.cluster);
  const auto choose = [&options](const std::string& word) {
    options.format = word == "json" ? session::Format::json : session::Format::yaml;
  };
  command.add_option_function<std::string>("-o,--output", choose, "yaml or json (default: yaml)")
      ->check(CLI::IsMember({"json", "yaml"}))
      ->type_name("FORMAT");
  command.add_flag("--hash-names", options.hash_names,
                   "Numbers for the names of objects and images; no messages, commands or env");
  command.footer(kSnapshotExample);
}

void add_log_options(CLI::App& command, std::string& format, bool& verbose, const char* of_what) {
  command.add_option("--log-format", format, "text or json (default: text)")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT");
  command.add_flag("-v,--verbose", verbose, of_what);
}

void add_scheduler(CLI::App& app, SchedulerCommandOptions& options, std::string& log_format) {
  CLI::App& command = *app.add_subcommand("scheduler", "Schedule the pods of a real cluster");
  add_cluster_options(command, options.cluster);
  add_config_options(command, options.config);
  command.add_option("--plugin-dir", options.plugin_dir, "Load the plugins (*.so) in this folder")
      ->type_name("DIR");
  command
      .add_option("--scheduler-name", options.scheduler_name,
                  "Schedule pods that name this scheduler (default: tutti)")
      ->type_name("NAME");
  command
      .add_option_function<bool>(
          "--leader-elect", [&options](bool wanted) { options.leader_elect = wanted; },
          "Act only while holding a Lease, for several replicas (default: true)")
      ->type_name("BOOL");
  command
      .add_option("--bind-address", options.bind_address,
                  "Where to serve health and metrics (default: 127.0.0.1)")
      ->type_name("ADDRESS");
  command.add_option("--port", options.port, "Its port, 0 for any (default: 10259)")
      ->type_name("PORT");
  command
      .add_option_function<std::string>(
          "--explain-to",
          [&options](const std::string& whom) { options.explain_to_all = whom == "all"; },
          "Who may ask /explain there: loopback (default), or all where a NetworkPolicy guards it")
      ->check(CLI::IsMember({"loopback", "all"}))
      ->type_name("WHOM");
  command
      .add_option("--group-in-memory", options.group_in_memory,
                  "Gangs of Jobs, JobSets, Kueue's pod groups and others without PodGroups: auto "
                  "(default) where the cluster makes none, always, or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
  add_log_options(command, log_format, options.verbose, "Log every decision");
  command.footer(kSchedulerExample);
}

void add_controllers(CLI::App& app, ControllersOptions& options, std::string& log_format) {
  CLI::App& command =
      *app.add_subcommand("controllers", "Do for workloads what a cluster's controllers do not");
  add_cluster_options(command, options.cluster);
  command
      .add_option("--parts", options.parts,
                  "Only these: stamping, protection, queues (default: all)")
      ->check(CLI::IsMember({"stamping", "protection", "queues"}))
      ->delimiter(',')
      ->type_name("PARTS");
  command
      .add_option("--leader-elect", options.leader_elect,
                  "Act only while holding the Lease tutti-controllers (default: true)")
      ->type_name("BOOL");
  command
      .add_option("--lease-namespace", options.lease_namespace,
                  "Where that Lease is (default: kube-system)")
      ->type_name("NS");
  command
      .add_option("--bind-address", options.bind_address,
                  "Where to serve health and metrics (default: 127.0.0.1)")
      ->type_name("ADDRESS");
  command.add_option("--port", options.port, "Its port, 0 for any (default: 10260)")
      ->type_name("PORT");
  add_log_options(command, log_format, options.verbose, "Log every watch");
  command.footer(kControllersExample);
}

void add_small_commands(CLI::App& app, std::string& topic, std::string& shell) {
  CLI::App& completion = *app.add_subcommand(
      "completion", "Print a script with which a shell completes tutti's words");
  completion.add_option("shell", shell, "bash, zsh or fish")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->required();
  completion.footer(kCompletionExample);
  CLI::App& help = *app.add_subcommand("help", "Show this help, or that of a command");
  help.add_option("command", topic, "The command to explain")->option_text("COMMAND");
  help.footer(kHelpExample);
  app.add_subcommand("version", "Print the version")->footer(kVersionExample);
}

// The words of `explain` that belong to no option are its object and more paths after -f, in any
// order. A path may look like an object, so the first that does is it.
void sort_out(std::vector<std::string> words, ExplainOptions& options) {
  const auto is_object = [](const std::string& word) {
    return word.find('/') != std::string::npos && names_a_kind(word.substr(0, word.find('/')));
  };
  const auto is_path = [](const std::string& word) {
    return word.find('/') != std::string::npos || word == "-" || word.ends_with(".yaml") ||
           word.ends_with(".yml") || word.ends_with(".json");
  };
  if (!options.all && !words.empty()) {
    auto object = std::ranges::find_if(words, is_object);
    if (object == words.end()) object = std::ranges::find_if_not(words, is_path);
    if (object == words.end()) object = words.begin();
    options.object = *object;
    object = words.erase(object);
    // "job train", as kubectl takes it.
    if (names_a_kind(options.object) && object != words.end() && !is_path(*object)) {
      options.object += "/" + *object;
      words.erase(object);
    }
  }
  auto& paths = options.session.manifests.paths;
  paths.insert(paths.end(), words.begin(), words.end());
}

// The innermost command that was named: its help and its name in messages.
const CLI::App& named_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : *chosen.front();
}

ExitCode report_misuse(const CLI::App& app, std::string_view problem, terminal::Streams& streams) {
  const CLI::App& command = named_command(app);
  const std::string name = &command == &app ? "tutti" : "tutti " + command.get_name();
  streams.err << name << ": " << brief_line(problem) << "\nTry '" << name << " --help'.\n";
  return ExitCode::bad_input;
}

// Whether the first word is meant to be a command and is none.
bool names_no_command(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front().starts_with('-')) return false;
  const auto is_named = [&](const CLI::App* command) {
    return command->get_name() == arguments.front();
  };
  return app.get_subcommands(is_named).empty();
}

// "; did you mean 'run'?", or nothing.
std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  const std::vector<std::string_view> names(known.begin(), known.end());
  const std::string_view meant = nearest_word(word, names);
  return meant.empty() ? std::string() : fmt::format("; did you mean '{}'?", meant);
}

std::string no_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return fmt::format("there is no command '{}'{}", word, suggestion(word, names));
}

// What is wrong with words that no option takes: the first that looks like an option, or else all.
std::string extra_words(const CLI::App& command, const std::vector<std::string>& words) {
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  const auto is_option = [](const std::string& word) { return word.starts_with("--"); };
  const auto option = std::ranges::find_if(words, is_option);
  if (option == words.end()) return fmt::format("unexpected: {}", fmt::join(words, " "));
  const std::string name = option->substr(0, option->find('='));
  return fmt::format("there is no option '{}'{}", name, suggestion(name, known));
}

// What parsing fills in.
struct Arguments {
  RunOptions run;
  std::string kinds;  // of run
  ExplainOptions explain;
  std::vector<std::string> words;  // of explain
  CapacityOptions capacity;
  PlanCommandOptions plan;
  QueuesOptions queues;
  PolicyOptions policy;
  WhyOptions why;
  DoctorOptions doctor;
  SnapshotOptions snapshot;
  SimulateOptions simulate;
  SchedulerCommandOptions scheduler;
  ControllersOptions controllers;
  std::string log_format;  // of scheduler and controllers
  std::string topic;       // of help
  std::string shell;       // of completion
};

// By what an option is for: people look for one among twenty.
void group_options(CLI::App& app) {
  const std::map<std::string, std::vector<std::string>> groups = {
      {"Input", {"filename", "recursive", "lenient", "cluster", "namespace", "all"}},
      {"A running cluster", {"live", "server", "kubeconfig", "context", "scheduler-pod"}},
      {"Time, configuration, what if",
       {"until", "seed", "config", "profile", "plugin-dir", "add-nodes", "drain", "shape", "level",
        "by", "count", "compare", "from", "to", "not", "queue"}},
      {"Output and checks",
       {"output", "kinds", "pods", "html", "timeline", "expect", "fail-on", "junit", "check"}}};
  for (const char* name :
       {"run", "explain", "capacity", "plan", "queues", "policy", "why", "doctor"}) {
    CLI::App* const command = app.get_subcommand(name);
    for (const auto& [group, options] : groups) {
      for (const std::string& option : options) {
        if (CLI::Option* const found = command->get_option_no_throw("--" + option)) {
          found->group(group);
        }
      }
    }
  }
}

void describe_commands(CLI::App& app, Arguments& into) {
  app.set_version_flag("--version", version_text());
  app.require_subcommand(0, 1);
  app.footer("'tutti COMMAND --help' explains a command, with an example.");
  add_run(app, into.run, into.kinds);
  add_explain(app, into.explain, into.words);
  add_capacity(app, into.capacity);
  add_plan(app, into.plan);
  add_queues(app, into.queues);
  add_policy(app, into.policy);
  add_why(app, into.why);
  add_doctor(app, into.doctor);
  add_snapshot(app, into.snapshot);
  add_simulate(app, into.simulate);
  add_scheduler(app, into.scheduler, into.log_format);
  add_controllers(app, into.controllers, into.log_format);
  add_small_commands(app, into.topic, into.shell);
  group_options(app);
}

std::vector<CommandWords> words_of(const CLI::App& app) {
  std::vector<CommandWords> all;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    CommandWords words{{command->get_name(), command->get_description()}, {}};
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        words.options.push_back({"--" + name, option->get_description()});
      }
    }
    all.push_back(std::move(words));
  }
  return all;
}

ExitCode do_run(const CLI::App& app, Arguments& given, terminal::Streams& streams) {
  const bool table = given.run.format == session::Format::table;
  if (!given.kinds.empty() && table) {
    return report_misuse(app, "--kinds: needs -o json or -o yaml", streams);
  }
  if (!given.run.compare.empty() && !given.kinds.empty()) {
    return report_misuse(app, "--kinds: with --compare no objects are printed", streams);
  }
  given.run.kinds = KindFilter::parse(given.kinds);
  return run_command(given.run, streams);
}

// The first of the options that was given; empty: none.
std::string first_given(const CLI::App& command, std::initializer_list<const char*> names) {
  const auto given = [&](const char* name) { return command.count(name) > 0; };
  const auto* const found = std::ranges::find_if(names, given);
  return found == names.end() ? "" : *found;
}

// What cannot be said together: an explanation is of manifests, of a scheduler that runs, or of a
// cluster that is read.
std::string explain_problem(const CLI::App& command, const std::vector<std::string>& words) {
  const std::string live =
      first_given(command, {"--live", "--server", "--kubeconfig", "--context", "--scheduler-pod"});
  const std::string virtual_time = first_given(
      command, {"-R", "--lenient", "--until", "--seed", "--config", "--profile", "--plugin-dir"});
  const std::string cluster =
      first_given(command, {"--kubeconfig", "--context", "--scheduler-pod"});
  if (command.count("-f") > 0) {
    return live.empty() ? "" : fmt::format("{}: a running cluster has no manifests (-f)", live);
  }
  const std::size_t own = words.size() > 1 && names_a_kind(words.front()) ? 2 : 1;
  if (words.size() > own) return fmt::format("'{}': manifests follow -f", words[own]);
  if (command.count("--live") > 0) {
    const std::string asks = first_given(command, {"--server", "--scheduler-pod"});
    return asks.empty() ? "" : fmt::format("{}: with --live no scheduler is asked", asks);
  }
  if (!virtual_time.empty()) return fmt::format("{}: needs manifests (-f) or --live", virtual_time);
  const bool both = command.count("--server") > 0 && !cluster.empty();
  return both ? fmt::format("{}: --server is asked without a cluster", cluster) : "";
}

ExitCode do_explain(const CLI::App& app, Arguments& given,
                    const terminal::ProcessEnvironment& surroundings, terminal::Streams& streams) {
  std::string problem = explain_problem(*app.get_subcommand("explain"), given.words);
  if (given.words.empty() && !given.explain.all) problem = "what? KIND/NAME, NAME, or -A for all";
  if (!problem.empty()) return report_misuse(app, problem, streams);
  sort_out(std::move(given.words), given.explain);
  return explain_command(given.explain, surroundings, streams);
}

// Whether the cluster is to be read; an error when `files` (-f, --cluster) name it, too.
Result<bool> reads_cluster(const CLI::App& command, const char* files,
                           const terminal::ProcessEnvironment& surroundings) {
  const std::string live = first_given(command, {"--live", "--kubeconfig", "--context"});
  const bool from_files = command.count(files) > 0;
  if (from_files && !live.empty()) {
    return Error{Error::Code::invalid,
                 fmt::format("{}: the cluster is read from manifests ({})", live, files)};
  }
  return !live.empty() || (surroundings.kubectl_plugin && !from_files);
}

ExitCode do_capacity(const CLI::App& app, Arguments& given,
                     const terminal::ProcessEnvironment& surroundings, terminal::Streams& streams) {
  const CLI::App& command = *app.get_subcommand("capacity");
  const Result<bool> live = reads_cluster(command, "-f", surroundings);
  if (!live.ok()) return report_misuse(app, live.error().message, streams);
  given.capacity.live = *live;
  if (!*live && command.count("-f") == 0) {
    return report_misuse(app, "needs manifests (-f), or --live", streams);
  }
  return capacity_command(given.capacity, surroundings, streams);
}

// Where the queues come from: manifests, or a cluster that is read.
template <typename Options, typename Command>
ExitCode on_queues(const CLI::App& app, const char* name, Options& options,
                   const terminal::ProcessEnvironment& surroundings, terminal::Streams& streams,
                   const Command& command) {
  const CLI::App& given = *app.get_subcommand(name);
  const Result<bool> live = reads_cluster(given, "-f", surroundings);
  if (!live.ok()) return report_misuse(app, live.error().message, streams);
  options.live = *live;
  if (!*live && given.count("-f") == 0) {
    return report_misuse(app, "needs manifests (-f), or --live", streams);
  }
  return command(options, surroundings, streams);
}

ExitCode do_plan(const CLI::App& app, Arguments& given,
                 const terminal::ProcessEnvironment& surroundings, terminal::Streams& streams) {
  const Result<bool> live = reads_cluster(*app.get_subcommand("plan"), "--cluster", surroundings);
  if (!live.ok()) return report_misuse(app, live.error().message, streams);
  given.plan.live = *live;
  given.plan.plan.cluster.recursive = given.plan.plan.session.manifests.recursive;
  given.plan.plan.cluster.lenient = given.plan.plan.session.manifests.lenient;
  return plan_command(given.plan, surroundings, streams);
}

ExitCode do_controllers(Arguments& given, const terminal::ProcessEnvironment& surroundings,
                        terminal::Streams& streams) {
  given.controllers.json_log = given.log_format == "json";
  return controllers_command(given.controllers, surroundings, streams);
}

ExitCode do_scheduler(Arguments& given, const terminal::ProcessEnvironment& surroundings,
                      terminal::Streams& streams) {
  given.scheduler.json_log = given.log_format == "json";
  return scheduler_command(given.scheduler, surroundings, streams);
}

}  // namespace

ExitCode execute(const std::vector<std::string>& arguments, terminal::Streams& streams,
                 const terminal::ProcessEnvironment& surroundings) {
  CLI::App app(kAbout, "tutti");
  Arguments given;
  describe_commands(app, given);
  if (names_no_command(app, arguments)) {
    return report_misuse(app, no_command(app, arguments.front()), streams);
  }
  const std::string overview = app.help();  // once parsed, it would be the subcommand's
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    streams.out << help_text(app.help(), streams.layout.columns);
    return ExitCode::done;
  } catch (const CLI::CallForVersion&) {
    streams.out << version_text() << '\n';
    return ExitCode::done;
  } catch (const CLI::ExtrasError&) {
    const std::vector<std::string> words = app.remaining(true);
    return report_misuse(app, extra_words(named_command(app), words), streams);
  } catch (const CLI::ParseError& error) {
    return report_misuse(app, error.what(), streams);
  }
  if (app.got_subcommand("run")) return do_run(app, given, streams);
  if (app.got_subcommand("explain")) return do_explain(app, given, surroundings, streams);
  if (app.got_subcommand("capacity")) return do_capacity(app, given, surroundings, streams);
  if (app.got_subcommand("plan")) return do_plan(app, given, surroundings, streams);
  if (app.got_subcommand("queues")) {
    return on_queues(app, "queues", given.queues, surroundings, streams, queues_command);
  }
  if (app.got_subcommand("policy")) {
    return on_queues(app, "policy", given.policy, surroundings, streams, policy_command);
  }
  if (app.got_subcommand("why")) {
    return on_queues(app, "why", given.why, surroundings, streams, why_command);
  }
  if (app.got_subcommand("doctor")) {
    return on_queues(app, "doctor", given.doctor, surroundings, streams, doctor_command);
  }
  if (app.got_subcommand("snapshot")) {
    return snapshot_command(given.snapshot, surroundings, streams);
  }
  if (app.got_subcommand("simulate")) {
    given.simulate.policies_given = app.get_subcommand("simulate")->count("--policy") > 0;
    return simulate_command(given.simulate, streams);
  }
  if (app.got_subcommand("scheduler")) return do_scheduler(given, surroundings, streams);
  if (app.got_subcommand("controllers")) return do_controllers(given, surroundings, streams);
  if (app.got_subcommand("completion")) {
    streams.out << completion_script(given.shell, words_of(app));
    return ExitCode::done;
  }
  if (app.got_subcommand("version")) {
    streams.out << version_text() << '\n';
    return ExitCode::done;
  }
  if (!given.topic.empty()) return execute({given.topic, "--help"}, streams);
  streams.out << help_text(overview, streams.layout.columns);
  return arguments.empty() ? ExitCode::bad_input : ExitCode::done;
}

}  // namespace tutti::cli
