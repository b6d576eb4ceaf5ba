// The whole command: YAML in, decisions, table out.
#include <fmt/format.h>
#include <fmt/os.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/check.h"
#include "harness.h"
#include "scenes.h"

namespace tutti::bench {
namespace {

constexpr int kNodes = 5'000;
constexpr int kPods = 50'000;

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

void write_manifests(const std::filesystem::path& path) {
  auto out = fmt::output_file(path.string());
  for (int i = 0; i < kNodes; ++i) out.print(kNode, i, i, i / 40);
  for (int i = 0; i < kPods; ++i) out.print(kPod, i, i % 20, i);
}

}  // namespace

void command() {
  const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const auto binary = here.parent_path() / "tutti";
  const auto folder =
      std::filesystem::temp_directory_path() / fmt::format("tutti-bench-{}", getpid());
  std::filesystem::create_directory(folder);
  write_manifests(folder / "cluster.yaml");
  const std::string line =
      fmt::format("'{}' run -f '{}' > '{}'", binary.string(), (folder / "cluster.yaml").string(),
                  (folder / "out.txt").string());
  int code = 1;
  const double seconds = seconds_of([&] { code = std::system(line.c_str()); });
  std::filesystem::remove_all(folder);
  TUTTI_CHECK(code == 0, "tutti run failed");
  print({"command", "tutti run", seconds, "s", Figure::Bound::at_most, 10});
}

}  // namespace tutti::bench
