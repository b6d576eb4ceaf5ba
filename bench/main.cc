// Runs the scenes named on the command line, or all of them.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

#include "scenes.h"

namespace {

using Scene = std::pair<std::string_view, void (*)()>;
constexpr std::array kScenes = {
    Scene{"identical", tutti::bench::identical},
    Scene{"different", tutti::bench::different},
    Scene{"gang", tutti::bench::gang},
    Scene{"infeasible", tutti::bench::infeasible},
    Scene{"preemption", tutti::bench::preemption},
    Scene{"scale", tutti::bench::scale},
    Scene{"selectors", tutti::bench::selectors},
    Scene{"rack-gang", tutti::bench::rack_gang},
    Scene{"level-gang", tutti::bench::level_gang},
    Scene{"waiting-gangs", tutti::bench::waiting_gangs},
    Scene{"huge-gang", tutti::bench::huge_gang},
    Scene{"memory", tutti::bench::memory},
    Scene{"command", tutti::bench::command},
    Scene{"command-memory", tutti::bench::command_memory},
    Scene{"capacity", tutti::bench::capacity},
    Scene{"explain", tutti::bench::explain_ways},
    Scene{"verdicts", tutti::bench::verdicts},
    Scene{"claims", tutti::bench::claims},
    Scene{"claim-gang", tutti::bench::claim_gang},
    Scene{"jobs", tutti::bench::jobs},
    Scene{"queues", tutti::bench::queues},
    Scene{"backfill", tutti::bench::backfill},
};

bool wanted(std::string_view name, int argc, char** argv) {
  if (argc < 2) return true;
  for (int i = 1; i < argc; ++i) {
    if (name == argv[i]) return true;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  for (const auto& [name, run] : kScenes) {
    if (!wanted(name, argc, argv)) continue;
    // A process of its own, so that no scene pays for another's memory.
    if (const pid_t child = fork(); child == 0) {
      run();
      _exit(0);
    } else if (int status = 0; waitpid(child, &status, 0) < 0 || status != 0) {
      std::fprintf(stderr, "scene %s failed\n", name.data());
      return 1;
    }
  }
  return 0;
}
