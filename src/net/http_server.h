// HttpServer: answers small requests (health, metrics, verdicts) on the loop. HTTP/1.1, bounded
// request size and number of connections, no TLS: it binds where only the node or the cluster's own
// proxy reaches it.
#pragma once

#include <functional>

#include "base/result.h"
#include "base/std.h"
#include "net/loop.h"

namespace tutti::net {

struct ServerRequest {
  std::string method{};
  std::string target{};        // path and query as sent
  bool from_loopback = false;  // the peer is on this machine, or in this pod
};

struct ServerResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body{};
};

class HttpServer {
 public:
  using Handler = std::function<ServerResponse(const ServerRequest&)>;
  // May reply later, on the loop; once. A reply to a client that has gone, or after the server's
  // end, goes nowhere.
  using Reply = std::function<void(ServerResponse)>;
  using PatientHandler = std::function<void(const ServerRequest&, Reply)>;

  // Listens at "127.0.0.1" and the port, 0: one that is free.
  static Result<std::unique_ptr<HttpServer>> listen(Loop& loop, const std::string& address,
                                                    std::uint16_t port, Handler handler);
  static Result<std::unique_ptr<HttpServer>> listen_patiently(Loop& loop,
                                                              const std::string& address,
                                                              std::uint16_t port,
                                                              PatientHandler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tutti::net
