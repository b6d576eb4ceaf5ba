// ChildProcess: a program run beside the loop, with what it prints. Bounded in time and output, and
// ended together with all it started when this object goes.
#pragma once

#include <functional>

#include "base/result.h"
#include "base/std.h"
#include "base/time.h"
#include "net/loop.h"

namespace tutti::kube {

struct Program {
  std::string command;  // a name to be found in PATH, or a path
  std::vector<std::string> args{};
  std::vector<std::pair<std::string, std::string>> env{};  // on top of our own environment
  Millis time_max{60'000};
  std::size_t output_max = std::size_t{1} << 20;  // bytes, each of the two outputs
};

struct ProgramEnd {
  int exit_code = 0;  // 128 + the signal for one that a signal ended
  std::string out, err;
};

class ChildProcess {
 public:
  // Called once, on the loop, when the program has ended. Error::unavailable when it took too long
  // or printed too much; the message is the rest of a sentence about the program.
  using Handler = std::function<void(Result<ProgramEnd>)>;

  // Standard input is empty. not_found when there is no such command, else io.
  static Result<std::unique_ptr<ChildProcess>> start(net::Loop& loop, const Program& program,
                                                     Handler handler);
  // Ends the program if it still runs; the handler is not called any more.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

 private:
  struct State;
  explicit ChildProcess(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace tutti::kube
