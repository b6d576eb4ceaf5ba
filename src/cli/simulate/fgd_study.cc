#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/input/exit_code.h"
#include "cli/output/write_value.h"
#include "cli/simulate/simulate.h"
#include "cli/simulate/simulation_report.h"
#include "replay/workers.h"
#include "session/manifests/file_text.h"
#include "trace/gzip.h"
#include "trace/read.h"

namespace tutti::cli {
namespace {

constexpr std::string_view kWhereFrom =
    "the study fgd reads alibaba-openb-2023/openb_pod_list_*.csv and openb_node_list_gpu_node.csv "
    "(github alibaba/clusterdata, cluster-trace-gpu-v2023/csv) and fgd-expected-results/"
    "analysis_allo_discrete.csv (github hkust-adsl/kubernetes-scheduler-simulator, "
    "experiments/analysis/expected_results) in the folder that --traces names, plain or with .gz";

// The file of that name, plain or packed.
Result<trace::File> find_input(const std::string& folder, const std::string& name,
                               terminal::Streams& streams) {
  const std::string path = fmt::format("{}/{}.csv", folder, name);
  for (const std::string& candidate : {path, path + ".gz"}) {
    Result<std::string> bytes = session::read_input(candidate, streams.in);
    if (bytes.ok()) return trace::File{candidate, *std::move(bytes)};
    if (bytes.error().code != Error::Code::not_found) return std::move(bytes).error();
  }
  return misuse(fmt::format("{}: no such file, nor .gz of it; {}", path, kWhereFrom));
}

struct Inputs {
  std::vector<trace::Node> nodes;
  replay::FgdPublished published;
};

Result<Inputs> read_inputs(const std::string& folder, terminal::Streams& streams) {
  Inputs inputs;
  TUTTI_ASSIGN(trace::File nodes,
               find_input(folder, "alibaba-openb-2023/openb_node_list_gpu_node", streams));
  TUTTI_ASSIGN(trace::NodeList list, trace::read_nodes({std::move(nodes)}, {}));
  inputs.nodes = std::move(list.nodes);
  std::ranges::sort(inputs.nodes, {}, &trace::Node::name);
  TUTTI_ASSIGN(trace::File expected,
               find_input(folder, "fgd-expected-results/analysis_allo_discrete", streams));
  TUTTI_ASSIGN(std::string csv, trace::unpacked(std::move(expected.bytes)));
  TUTTI_ASSIGN(inputs.published, replay::FgdPublished::read(expected.path, std::move(csv)));
  return inputs;
}

Result<std::vector<trace::Job>> read_list(const std::string& folder, const std::string& list,
                                          terminal::Streams& streams) {
  TUTTI_ASSIGN(trace::File file,
               find_input(folder, "alibaba-openb-2023/openb_pod_list_" + list, streams));
  trace::ReadOptions openb;
  openb.format = "openb";
  TUTTI_ASSIGN(trace::Trace trace, trace::read_trace({std::move(file)}, openb));
  std::ranges::sort(trace.jobs, {}, &trace::Job::id);
  return std::move(trace.jobs);
}

Result<std::vector<std::string>> lists_of(const SimulateOptions& options) {
  const auto known = replay::fgd_lists();
  if (options.lists.empty()) return std::vector<std::string>{"default"};
  if (options.lists == std::vector<std::string>{"all"}) {
    return std::vector<std::string>(known.begin(), known.end());
  }
  for (const std::string& list : options.lists) {
    if (std::ranges::find(known, list) != known.end()) continue;
    return misuse(fmt::format("--lists: there is no list '{}'; there are all, {}", list,
                              fmt::join(known, ", ")));
  }
  return options.lists;
}

Result<std::vector<replay::Policy>> policies_of(const SimulateOptions& options) {
  if (options.policies_given) return replay::parse_policies(options.policies);
  return replay::parse_policies(fmt::format("{}", fmt::join(replay::fgd_policies(), ",")));
}

}  // namespace

Status fgd_study(const SimulateOptions& options, terminal::Streams& streams) {
  if (options.data.empty()) return misuse(fmt::format("needs --traces; {}", kWhereFrom));
  TUTTI_ASSIGN(const std::vector<std::string> lists, lists_of(options));
  TUTTI_ASSIGN(const std::vector<replay::Policy> policies, policies_of(options));
  std::vector<std::int64_t> seeds = options.seeds;
  if (seeds.empty()) {
    for (std::int64_t seed = 42; seed <= 51; ++seed) seeds.push_back(seed);
  }
  TUTTI_ASSIGN(const Inputs inputs, read_inputs(options.data, streams));
  std::vector<std::vector<trace::Job>> pods;
  for (const std::string& list : lists) {
    TUTTI_ASSIGN(std::vector<trace::Job> of_list, read_list(options.data, list, streams));
    pods.push_back(std::move(of_list));
  }
  const std::size_t of_a_list = policies.size() * seeds.size();
  std::vector<replay::FgdRun> runs(lists.size() * of_a_list);
  const std::size_t workers = options.workers > 0 ? options.workers : replay::default_workers();
  replay::run_all(runs.size(), workers, [&](std::size_t i) {
    const std::size_t list = i / of_a_list;
    const replay::Policy& policy = policies[i % of_a_list / seeds.size()];
    runs[i] =
        replay::run_fgd(lists[list], pods[list], inputs.nodes, policy, seeds[i % seeds.size()]);
  });
  for (replay::FgdRun& run : runs) {
    if (!run.problem.empty()) {
      return Error{Error::Code::io,
                   fmt::format("list {}, policy {}, seed {}: Tutti's books do not agree: {}",
                               run.list, run.policy, run.seed, run.problem)};
    }
    run.published = inputs.published.ratio(run.list, run.policy, run.seed);
  }
  if (options.format == session::Format::table) {
    streams.out << fgd_text(runs, streams.layout);
  } else {
    const wire::Document document = fgd_document(runs);
    write_value(document.root(), options.format, streams.out);
  }
  return ok_status();
}

}  // namespace tutti::cli
