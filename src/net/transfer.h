// Transfer: one request and its answer on a curl easy handle that serves many in turn. What
// concerns the server is set once, what concerns the request before each.
#pragma once

#include <curl/curl.h>

#include <array>
#include <chrono>

#include "base/result.h"
#include "base/std.h"
#include "net/curl_multi.h"
#include "net/http_client.h"

namespace tutti::net {

// An Endpoint in the form that curl wants it, made once per client.
struct Target {
  explicit Target(Endpoint given);

  Endpoint endpoint;
  std::string url;         // what request paths are appended to; its host is the one TLS verifies
  std::string connect_to;  // non-empty: where to connect instead, curl's CONNECT_TO syntax
  std::string host;        // non-empty: the Host header, because that of `url` is another
  std::string shown;       // scheme, host and port for messages; never a password
};

// One node of a header list in curl's layout and the text it points to.
class HeaderList {
 public:
  void clear() { lines_.clear(); }
  void add(std::string_view name, std::string_view value);
  // An empty value: curl leaves out the header that it would add by itself.
  void suppress(std::string_view name);
  bool contains(std::string_view name) const;
  // Valid until the list changes.
  curl_slist* nodes();

 private:
  std::vector<std::string> lines_;
  std::vector<curl_slist> nodes_;
};

class Transfer {
 public:
  enum class Kind { call, stream };

  // What is given must outlive the transfer; `multi` is what will drive it.
  Transfer(const Target& target, Kind kind, CurlMulti& multi);
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  // Readies the handle; nothing is sent before curl's multi handle drives it.
  void prepare(Request request);
  // What came of it, once curl has finished with `code`. Call once per prepare().
  Result<Response> outcome(CURLcode code);
  // Whether the answer came over HTTP/1; call before clear().
  bool spoke_http1() const;
  // Lets go of the request and its handlers.
  void clear();

  CURL* easy() const { return easy_; }
  static Transfer& of(CURL* easy);

  // The pool's part.
  static constexpr std::uint64_t kNone = 0;
  enum class State { idle, waiting_for_curl, running, cancelled };
  State state = State::idle;
  std::uint64_t serial = kNone;  // of the request that will be answered
  StreamHandler handlers;
  std::chrono::steady_clock::time_point last_byte;  // or start

 private:
  static std::size_t read_body(char* buffer, std::size_t size, std::size_t count, void* self);
  static int seek_body(void* self, curl_off_t offset, int origin);
  static std::size_t take(char* bytes, std::size_t size, std::size_t count, void* self);
  static std::size_t take_header(char* bytes, std::size_t size, std::size_t count, void* self);
  bool take_bytes(std::string_view bytes);
  bool collect(std::string_view bytes, std::size_t size_max);
  void set_method();
  void set_headers();
  int status() const;

  const Target& target_;
  Kind kind_;
  CurlMulti& multi_;
  CURL* easy_;
  curl_slist connect_to_{};
  Request request_;
  std::string url_;
  HeaderList headers_;
  std::size_t body_sent_ = 0;
  int status_ = 0;  // once a byte of the body came
  std::string body_;
  bool too_long_ = false;
  std::array<char, CURL_ERROR_SIZE> error_text_{};
};

}  // namespace tutti::net
