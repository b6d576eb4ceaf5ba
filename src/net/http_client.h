// HttpClient: many requests at once to one server, over few connections. HTTP/2 where the server
// offers it, HTTP/1.1 otherwise. No retries here; who asks knows what may be repeated. (curl
// repeats a request without a body by itself if a reused connection closes before a byte of the
// answer.)
#pragma once

#include <functional>

#include "base/result.h"
#include "base/std.h"
#include "base/time.h"
#include "net/loop.h"

namespace tutti::net {

// How to reach and trust the server. PEM texts win over files; files are read when a connection is
// made, so a certificate replaced on disk is used by the next one.
struct Endpoint {
  std::string url{};  // "https://10.0.0.1:6443", a path prefix allowed, no slash at the end
  std::string ca_pem{}, ca_file{};
  std::string client_cert_pem{}, client_cert_file{};
  std::string client_key_pem{}, client_key_file{};
  std::string tls_server_name{};  // for SNI and verification; empty: the host of `url`
  std::string proxy_url{};        // empty: the environment's, as curl reads it
  bool direct = false;            // no proxy, whatever the environment says
  bool insecure_skip_verify = false;
  bool http1_only = false;
};

struct Request {
  std::string method = "GET";
  std::string path{};  // with query, escaped: "/api/v1/pods?limit=500"
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string body{};
  // Bounds the whole request, from its turn on: beyond two hundred calls at once the rest wait. 0:
  // none (streams).
  Millis timeout{30'000};
};

struct Response {
  int status = 0;
  std::string body{};
  std::optional<Millis> retry_after{};
};

// A request's outcome: any HTTP answer is a Response; Error::unavailable says that none came, or
// one longer than 256 MiB, and why, in words that never contain headers, bodies or passwords.
using ResponseHandler = std::function<void(Result<Response>)>;

// A response taken piece by piece as it arrives (a watch). `ended` is called exactly once, last,
// unless the stream was cancelled. For a status other than 2xx the body comes with `ended` as
// Response::body (its first 64 KiB), not through `data`. `opened`, if given, is called once when a
// 2xx status has come, before any data: a stream may stay silent for long.
struct StreamHandler {
  std::function<void()> opened = {};
  std::function<void(std::string_view)> data;
  std::function<void(Result<Response>)> ended;
};

using RequestId = std::uint64_t;

class HttpClient {
 public:
  // A stream that brings no byte for this long is dead.
  HttpClient(Loop& loop, Endpoint endpoint, Millis stream_silence_max);
  // Cancels everything; no handler is called any more.
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Handlers run on the loop, never from inside the call, and may call the client again.
  RequestId send(Request request, ResponseHandler handler);
  RequestId stream(Request request, StreamHandler handler);
  // The handler will not be called. What the server has begun it may finish.
  void cancel(RequestId id);

  std::size_t in_flight() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tutti::net
