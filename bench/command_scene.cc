// The whole command: YAML in, decisions, table out.
#include <fmt/format.h>
#include <fmt/os.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>

#include "base/check.h"
#include "harness.h"
#include "scenes.h"

namespace tutti::bench {
namespace {

constexpr int kNodes = 5'000;

constexpr std::string_view kNode = R"(apiVersion: v1
kind: Node
metadata:
  name: node-{:05}
  labels: {{kubernetes.io/hostname: node-{:05}, example.com/rack: rack-{}}}
status:
  allocatable: {{cpu: "64", memory: 256Gi, pods: "110"}}
---
)";
constexpr std::string_view kPod = R"(apiVersion: v1
kind: Pod
metadata:
  name: pod-{:06}
  namespace: team-{}
  labels:
    app: trainer
    index: "{}"
spec:
  restartPolicy: Never
  containers:
  - name: main
    image: registry.example.com/trainer:v1
    command: ["/bin/train", "--steps=1000"]
    env:
    - {{name: MODE, value: fast}}
    resources:
      requests: {{cpu: "1", memory: 2Gi}}
      limits: {{memory: 4Gi}}
---
)";

constexpr std::string_view kJob = R"(apiVersion: batch/v1
kind: Job
metadata: {{name: train-{:04}, namespace: team-{}}}
spec:
  parallelism: {}
  completions: {}
  completionMode: Indexed
  template:
    metadata:
      annotations: {{tutti.dev/runs-for: 10m}}
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: registry.example.com/trainer:v1
        resources:
          requests: {{cpu: "1", memory: 2Gi}}
---
)";

using Writer = std::function<void(fmt::ostream&)>;

Writer nodes_and_pods(int pods) {
  return [pods](fmt::ostream& out) {
    for (int i = 0; i < kNodes; ++i) out.print(kNode, i, i, i / 40);
    for (int i = 0; i < pods; ++i) out.print(kPod, i, i % 20, i);
  };
}

// A quarter of the Jobs have room at a time.
Writer nodes_and_jobs(int jobs, int pods_each) {
  return [=](fmt::ostream& out) {
    for (int i = 0; i < jobs * pods_each / 256; ++i) out.print(kNode, i, i, i / 40);
    for (int i = 0; i < jobs; ++i) out.print(kJob, i, i % 20, pods_each, pods_each);
  };
}

// Seconds of one `tutti run` on these manifests.
double run_command(const Writer& write) {
  const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const auto binary = here.parent_path() / "tutti";
  const auto folder =
      std::filesystem::temp_directory_path() / fmt::format("tutti-bench-{}", getpid());
  std::filesystem::create_directory(folder);
  {
    auto out = fmt::output_file((folder / "cluster.yaml").string());
    write(out);
  }
  const std::string line =
      fmt::format("'{}' run -f '{}' > '{}'", binary.string(), (folder / "cluster.yaml").string(),
                  (folder / "out.txt").string());
  int code = 1;
  const double seconds = seconds_of([&] { code = std::system(line.c_str()); });
  std::filesystem::remove_all(folder);
  TUTTI_CHECK(code == 0, "tutti run failed");
  return seconds;
}

// The most memory that any command run so far had resident. Linux counts in KiB.
double peak_mib_of_children() {
  rusage usage{};
  TUTTI_CHECK(getrusage(RUSAGE_CHILDREN, &usage) == 0);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

}  // namespace

void command() {
  print({"command", "tutti run", run_command(nodes_and_pods(50'000)), "s", Figure::Bound::at_most,
         10});
}

void command_memory() {
  run_command(nodes_and_pods(150'000));
  print({"command-memory", "peak resident of tutti run", peak_mib_of_children(), "MiB",
         Figure::Bound::at_most, 600});
}

void jobs() {
  print({"jobs", "tutti run of 1,000 Jobs of 64 pods, to their end",
         run_command(nodes_and_jobs(1'000, 64)), "s", Figure::Bound::at_most, 5});
}

}  // namespace tutti::bench
