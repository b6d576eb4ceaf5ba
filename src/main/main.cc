// The composition root: gives the command line the process's streams and its only clock, and tells
// it what the process knows of itself.
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "cli/command_line.h"

namespace {

// Whether what is written there reaches a terminal that understands more than plain text: one that
// can erase a line and change colours.
bool is_able_terminal(int descriptor) {
  const char* terminal = std::getenv("TERM");
  return isatty(descriptor) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

tutti::terminal::Stopwatch started_stopwatch() {
  using Clock = std::chrono::steady_clock;
  return [start = Clock::now()] {
    return std::chrono::duration_cast<tutti::Millis>(Clock::now() - start);
  };
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// kubectl runs `kubectl tutti …` as a program of this name.
bool is_kubectl_plugin(std::string_view program) {
  const std::size_t slash = program.rfind('/');
  return program.substr(slash == std::string_view::npos ? 0 : slash + 1) == "kubectl-tutti";
}

tutti::terminal::ProcessEnvironment look_around(std::string_view program) {
  std::random_device device;
  char host[256] = "localhost";
  // A host without a name is called localhost.
  (void)gethostname(host, sizeof host - 1);
  return {.kubeconfig = environment("KUBECONFIG"),
          .home = environment("HOME"),
          .service_host = environment("KUBERNETES_SERVICE_HOST"),
          .service_port = environment("KUBERNETES_SERVICE_PORT"),
          .host = host,
          .entropy = (static_cast<std::uint64_t>(device()) << 32U) | device(),
          .kubectl_plugin = is_kubectl_plugin(program)};
}

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

// COLUMNS is obeyed without a terminal too: whoever sets it means it.
std::size_t columns_of_output() {
  const std::string asked = environment("COLUMNS");
  if (!asked.empty() && asked.size() < 5 && std::ranges::all_of(asked, tutti::is_digit)) {
    return static_cast<std::size_t>(std::stoul(asked));
  }
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return known ? size.ws_col : 0;
}

tutti::terminal::Layout layout_of_output() {
  const bool colour = is_able_terminal(STDOUT_FILENO) && !is_set("NO_COLOR");
  return {.colour = colour, .columns = columns_of_output()};
}

volatile std::sig_atomic_t interrupted = 0;

// A second one ends the process, as ever.
void note_interrupt(int) {
  interrupted = 1;
  std::signal(SIGINT, SIG_DFL);
}

tutti::terminal::Interrupts interrupts_of_process() {
  return {.listen = [] { std::signal(SIGINT, note_interrupt); },
          .came = [] { return interrupted != 0; }};
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  tutti::terminal::Streams streams{std::cin,           std::cout, std::cerr,
                                   layout_of_output(), {},        interrupts_of_process()};
  if (is_able_terminal(STDERR_FILENO)) streams.stopwatch = started_stopwatch();
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  tutti::cli::ExitCode code =
      tutti::cli::execute(arguments, streams, look_around(argc > 0 ? argv[0] : ""));
  if (!std::cout.flush() && code == tutti::cli::ExitCode::done) {
    std::cerr << "tutti: writing to standard output failed\n";
    code = tutti::cli::ExitCode::failed;
  }
  return static_cast<int>(code);
}
