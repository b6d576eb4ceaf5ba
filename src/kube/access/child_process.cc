// The program runs in a process group of its own, so that what it starts ends with it. Its end is
// seen through a pidfd; then the pipes hold all it printed, and are drained without waiting for
// grandchildren that may keep them open.
#include "kube/access/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is POSIX
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <string_view>
#include <system_error>

namespace tutti::kube {
namespace {

using Descriptor = boost::asio::posix::stream_descriptor;

Error io_error(std::string_view what, int code) {
  return {Error::Code::io, fmt::format("{}: {}", what, std::generic_category().message(code))};
}

// "NAME=value" lines of our environment, with the additions in place of what they override.
std::vector<std::string> environment_with(const Program& program) {
  std::vector<std::string> lines;
  for (char** line = environ; *line != nullptr; ++line) {
    const std::string_view text = *line;
    const std::string_view name = text.substr(0, text.find('='));
    const bool overridden = std::ranges::any_of(
        program.env, [&](const auto& addition) { return addition.first == name; });
    if (!overridden) lines.emplace_back(text);
  }
  for (const auto& [name, value] : program.env) lines.push_back(fmt::format("{}={}", name, value));
  return lines;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

struct Pipe {
  int read_end = -1, write_end = -1;

  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    if (read_end >= 0) close(read_end);
    if (write_end >= 0) close(write_end);
  }

  bool open() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return fcntl(read_end, F_SETFL, O_NONBLOCK) == 0;
  }
  int release_read_end() { return std::exchange(read_end, -1); }
};

// How the child starts: nothing of ours open but the pipes, signals as if we had never touched
// them.
class SpawnPlan {
 public:
  SpawnPlan(int out, int err) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, err, STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    sigset_t signals;
    posix_spawnattr_init(&attributes_);
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigaddset(&signals, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  // An errno, 0 for success.
  int spawn(const Program& program, pid_t& pid) {
    std::vector<std::string> words = {program.command};
    words.insert(words.end(), program.args.begin(), program.args.end());
    std::vector<std::string> lines = environment_with(program);
    return posix_spawnp(&pid, program.command.c_str(), &actions_, &attributes_,
                        pointers_to(words).data(), pointers_to(lines).data());
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// The C library's own declaration of this call does not link from C++ on Debian 12.
int open_pidfd(pid_t pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }

int exit_code_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// Appends what is there to read. Whether more may come.
bool drain(Descriptor& pipe, std::string& text, std::size_t most) {
  std::array<char, 4096> buffer{};
  while (text.size() <= most) {
    const ssize_t count = read(pipe.native_handle(), buffer.data(), buffer.size());
    if (count > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
      return false;
    } else if (errno == EAGAIN) {
      return true;
    }
  }
  return false;
}

}  // namespace

struct ChildProcess::State : std::enable_shared_from_this<State> {
  State(net::Loop& loop, const Program& program, Handler on_end)
      : out(loop.context()),
        err(loop.context()),
        end(loop.context()),
        handler(std::move(on_end)),
        time_max(program.time_max),
        output_max(program.output_max) {}

  Descriptor out, err, end;
  Handler handler;  // empty once called, or when nobody waits any more
  Millis time_max;
  std::size_t output_max;
  pid_t pid = -1;
  net::Timer deadline;
  ProgramEnd result;

  void listen(Descriptor& pipe, std::string& text) {
    pipe.async_wait(Descriptor::wait_read,
                    [self = shared_from_this(), &pipe, &text](const auto& error) {
                      if (error || !self->handler) return;
                      const bool more = drain(pipe, text, self->output_max);
                      if (text.size() > self->output_max) return self->give_up_on_output();
                      if (more) self->listen(pipe, text);
                    });
  }

  void listen_for_end() {
    end.async_wait(Descriptor::wait_read, [self = shared_from_this()](const auto& error) {
      if (!error && self->handler) self->finish();
    });
  }

  void finish() {
    drain(out, result.out, output_max);
    drain(err, result.err, output_max);
    result.exit_code = exit_code_of(reap());
    if (std::max(result.out.size(), result.err.size()) > output_max) return give_up_on_output();
    tell(std::move(result));
  }

  void give_up_on_output() { give_up(fmt::format("printed more than {} KiB", output_max >> 10U)); }
  void give_up_on_time() {
    give_up(fmt::format("did not end within {}", format_duration(time_max)));
  }
  void give_up(std::string why) {
    kill_all();
    tell(Error{Error::Code::unavailable, std::move(why)});
  }

  void tell(Result<ProgramEnd> answer) {
    close_all();
    std::exchange(handler, nullptr)(std::move(answer));
  }

  void close_all() {
    deadline.cancel();
    boost::system::error_code ignored;
    for (Descriptor* descriptor : {&out, &err, &end}) descriptor->close(ignored);
  }

  // The wait status. Requires that the program has ended or is about to.
  int reap() {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    pid = -1;
    return status;
  }

  void kill_all() {
    if (pid < 0) return;
    kill(-pid, SIGKILL);
    reap();
  }
};

ChildProcess::ChildProcess(std::shared_ptr<State> state) : state_(std::move(state)) {}

ChildProcess::~ChildProcess() {
  state_->handler = nullptr;
  state_->kill_all();
  state_->close_all();
}

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(net::Loop& loop, const Program& program,
                                                          Handler handler) {
  Pipe out;
  Pipe err;
  if (!out.open() || !err.open()) return io_error("no pipe", errno);
  pid_t pid = -1;
  if (const int code = SpawnPlan(out.write_end, err.write_end).spawn(program, pid); code != 0) {
    if (code == ENOENT) return Error{Error::Code::not_found, "no such command"};
    return io_error("cannot be started", code);
  }
  auto state = std::make_shared<State>(loop, program, std::move(handler));
  state->pid = pid;
  std::unique_ptr<ChildProcess> child(new ChildProcess(state));
  const int end = open_pidfd(pid);
  if (end < 0) return io_error("cannot be watched", errno);
  state->end.assign(end);
  state->out.assign(out.release_read_end());
  state->err.assign(err.release_read_end());
  state->deadline = loop.after(program.time_max, [weak = std::weak_ptr(state)] {
    if (const auto strong = weak.lock()) strong->give_up_on_time();
  });
  state->listen(state->out, state->result.out);
  state->listen(state->err, state->result.err);
  state->listen_for_end();
  return child;
}

}  // namespace tutti::kube
