// For this folder's tests: the command line as a function, and servers that it may ask.
#pragma once

#include <fmt/format.h>

#include <mutex>
#include <sstream>
#include <thread>

#include "base/std.h"
#include "cli/command_line.h"
#include "net/http_server.h"
#include "support/temp_folder.h"

namespace tutti::cli {

// A server on a thread of its own, for as long as the object lives.
class StubServer {
 public:
  explicit StubServer(net::HttpServer::Handler handler)
      : handler_(std::move(handler)),
        server_(*net::HttpServer::listen(loop_, "127.0.0.1", 0,
                                         [this](const net::ServerRequest& request) {
                                           const std::lock_guard lock(mutex_);
                                           asked_.push_back(request.target);
                                           return handler_(request);
                                         })),
        thread_([this] { loop_.run(); }) {}
  ~StubServer() {
    loop_.post([this] { loop_.stop(); });
    thread_.join();
  }
  StubServer(const StubServer&) = delete;
  StubServer& operator=(const StubServer&) = delete;

  std::string url() const { return fmt::format("http://127.0.0.1:{}", server_->port()); }
  std::vector<std::string> asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  std::mutex mutex_;  // of asked_
  std::vector<std::string> asked_;
  net::HttpServer::Handler handler_;
  net::Loop loop_;
  std::unique_ptr<net::HttpServer> server_;
  std::thread thread_;
};

struct Outcome {
  ExitCode code;
  std::string out;
  std::string err;
};

inline Outcome tutti(const std::vector<std::string>& arguments,
                     const terminal::ProcessEnvironment& surroundings = {}) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  terminal::Streams streams{in, out, err};
  const ExitCode code = execute(arguments, streams, surroundings);
  return {code, out.str(), err.str()};
}

inline net::ServerResponse failure(int status, const std::string& message) {
  return {status, "application/json",
          fmt::format(R"({{"kind":"Status","status":"Failure","message":"{}"}})", message)};
}

// A context "x" of the namespace ml.
inline std::string write_kubeconfig(const test::TempFolder& folder, const StubServer& server) {
  return folder.write("kubeconfig", fmt::format(R"(
apiVersion: v1
kind: Config
clusters: [{{name: c, cluster: {{server: "{}"}}}}]
users: [{{name: u, user: {{token: secret}}}}]
contexts: [{{name: x, context: {{cluster: c, user: u, namespace: ml}}}}]
current-context: x
)",
                                                server.url()));
}

}  // namespace tutti::cli
