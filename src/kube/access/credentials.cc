#include "kube/access/credentials.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/text.h"
#include "kube/access/child_process.h"
#include "kube/access/exec_credential.h"
#include "kube/access/small_file.h"

namespace tutti::kube {
namespace {

// How long a token from a file is used before the file is looked at again. Kubelets renew a token
// long before it expires.
constexpr Millis kTokenFileAge{60'000};
constexpr Millis kPluginTimeMax{60'000};

std::string trimmed(std::string text) {
  constexpr std::string_view kSpace = " \t\r\n";
  text.erase(text.find_last_not_of(kSpace) + 1);
  text.erase(0, text.find_first_not_of(kSpace));
  return text;
}

// The header is one line; what a token never has would split or end it.
bool fits_header(std::string_view token) {
  return token.find_first_of(std::string_view("\r\n\0 ", 4)) == std::string_view::npos;
}

Result<std::string> read_token(const std::string& file) {
  TUTTI_ASSIGN(std::string text, read_small_file(file));
  std::string token = trimmed(std::move(text));
  if (token.empty() || !fits_header(token)) {
    return Error{Error::Code::io, fmt::format("{}: does not hold a token", brief_line(file))};
  }
  return token;
}

}  // namespace

struct Credentials::Impl {
  Impl(net::Loop& on, Access to) : loop(on), access(std::move(to)) {}

  net::Loop& loop;
  Access access;
  std::uint64_t revision = 0;

  // The bearer token from a file.
  std::string file_token;
  std::optional<Instant> file_read;  // empty: before the first time, or rejected

  // What a plugin said. `credential` is empty before the first success and when it was rejected.
  std::optional<ExecCredential> credential;
  std::optional<Instant> ran;
  std::optional<Error> failure;  // of the last run
  std::unique_ptr<ChildProcess> child;
  std::vector<HeaderHandler> waiting;  // not empty: a run is under way

  Result<std::string> header_from_file();
  void header_from_plugin(HeaderHandler handler);
  std::optional<Result<std::string>> plugin_answer() const;
  Status run_plugin();
  void plugin_ended(Result<ProgramEnd> end);
  Result<ExecCredential> judge(const ProgramEnd& end) const;
  void take(ExecCredential given);
  void answer_waiting();
  Error about_plugin(const Error& error) const;
};

// A file that cannot be read just now does not make the last token wrong.
Result<std::string> Credentials::Impl::header_from_file() {
  const Instant now = loop.now();
  // A clock set back must not keep an old token in use.
  const bool due = !file_read || now >= *file_read + kTokenFileAge || now < *file_read;
  if (due) {
    Result<std::string> token = read_token(access.token_file);
    if (!token.ok() && file_token.empty()) return std::move(token).error();
    if (token.ok()) file_token = *std::move(token);
    file_read = now;
  }
  return "Bearer " + file_token;
}

// What is known without running the plugin; nothing when it has to be run.
std::optional<Result<std::string>> Credentials::Impl::plugin_answer() const {
  const Instant now = loop.now();
  const bool just_ran = ran && now >= *ran && now < *ran + kExecMoment;
  if (failure && just_ran) return Result<std::string>(*failure);
  if (!credential || has_worn_out(*credential, ran.value_or(now), now)) return std::nullopt;
  return credential->token.empty() ? std::string() : "Bearer " + credential->token;
}

void Credentials::Impl::header_from_plugin(HeaderHandler handler) {
  if (waiting.empty()) {
    if (auto answer = plugin_answer()) return handler(*std::move(answer));
    if (Status started = run_plugin(); !started.ok()) {
      ran = loop.now();
      failure = about_plugin(started.error());
      return handler(*failure);
    }
  }
  waiting.push_back(std::move(handler));
}

Status Credentials::Impl::run_plugin() {
  TUTTI_ASSIGN(std::string info, exec_info(access.exec, access.endpoint));
  Program program;
  program.command = access.exec.command;
  program.args = access.exec.args;
  program.env = access.exec.env;
  program.env.emplace_back("KUBERNETES_EXEC_INFO", std::move(info));
  program.time_max = kPluginTimeMax;
  TUTTI_ASSIGN(child, ChildProcess::start(loop, program, [this](Result<ProgramEnd> end) {
                 plugin_ended(std::move(end));
               }));
  return ok_status();
}

void Credentials::Impl::plugin_ended(Result<ProgramEnd> end) {
  ran = loop.now();
  Result<ExecCredential> given =
      end.ok() ? judge(*end) : Result<ExecCredential>(std::move(end).error());
  if (given.ok()) {
    failure.reset();
    take(*std::move(given));
  } else {
    failure = about_plugin(given.error());
  }
  answer_waiting();
}

Result<ExecCredential> Credentials::Impl::judge(const ProgramEnd& end) const {
  if (end.exit_code != 0) {
    const std::string complaint = exec_complaint(end.err, access.exec);
    return Error{Error::Code::unavailable, fmt::format("ended with code {}{}{}", end.exit_code,
                                                       complaint.empty() ? "" : ": ", complaint)};
  }
  TUTTI_ASSIGN(ExecCredential given, parse_exec_credential(end.out, access.exec.api_version));
  if (!fits_header(given.token)) {
    return Error{Error::Code::malformed, "printed a token with spaces or line ends"};
  }
  return given;
}

void Credentials::Impl::take(ExecCredential given) {
  net::Endpoint& endpoint = access.endpoint;
  const bool changed =
      !given.client_cert_pem.empty() && (given.client_cert_pem != endpoint.client_cert_pem ||
                                         given.client_key_pem != endpoint.client_key_pem);
  if (changed) {
    endpoint.client_cert_pem = given.client_cert_pem;
    endpoint.client_key_pem = given.client_key_pem;
    ++revision;
  }
  credential = std::move(given);
}

// An answer may make its receiver ask again, which then does not join this run.
void Credentials::Impl::answer_waiting() {
  const Result<std::string> answer =
      failure ? Result<std::string>(*failure)
              : (credential->token.empty() ? std::string() : "Bearer " + credential->token);
  for (HeaderHandler& handler : std::exchange(waiting, {})) handler(answer);
}

Error Credentials::Impl::about_plugin(const Error& error) const {
  std::string message =
      fmt::format("credential plugin {}: {}", brief_line(access.exec.command), error.message);
  if (error.code == Error::Code::not_found && !access.exec.install_hint.empty()) {
    message += "; " + brief_line(access.exec.install_hint);
  }
  return {error.code, std::move(message)};
}

Credentials::Credentials(net::Loop& loop, Access access)
    : impl_(std::make_unique<Impl>(loop, std::move(access))) {}

Credentials::~Credentials() = default;

void Credentials::header(HeaderHandler handler) {
  const Access& access = impl_->access;
  if (!access.exec.command.empty()) return impl_->header_from_plugin(std::move(handler));
  if (!access.token_file.empty()) return handler(impl_->header_from_file());
  if (!access.token.empty()) return handler("Bearer " + access.token);
  if (!access.username.empty()) {
    return handler("Basic " + encode_base64(access.username + ":" + access.password));
  }
  handler(std::string());
}

void Credentials::rejected() {
  impl_->file_read.reset();
  const std::optional<Instant>& ran = impl_->ran;
  const Instant now = impl_->loop.now();
  if (ran && now >= *ran && now < *ran + kExecMoment) return;
  impl_->credential.reset();
}

const net::Endpoint& Credentials::endpoint() const { return impl_->access.endpoint; }
std::uint64_t Credentials::endpoint_revision() const { return impl_->revision; }

}  // namespace tutti::kube
