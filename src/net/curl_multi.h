// CurlMulti: a curl multi handle driven by the loop. curl says which sockets and what time it waits
// for; the loop waits and tells curl.
//
// curl must not be called from inside its own callbacks. Handles added or removed from there are
// remembered and dealt with once curl returns, and so is the end of the whole.
#pragma once

#include <curl/curl.h>

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "net/loop.h"

namespace tutti::net {

class CurlMulti : public std::enable_shared_from_this<CurlMulti> {
 public:
  static constexpr long kNoLimit = 0;
  // What curl has finished, already removed. Never called from inside curl or from add().
  using Finished = std::function<void(CURL*, CURLcode)>;

  CurlMulti(Loop& loop, long connections_max, Finished finished);
  ~CurlMulti();
  CurlMulti(const CurlMulti&) = delete;
  CurlMulti& operator=(const CurlMulti&) = delete;

  bool inside_curl() const { return inside_curl_; }
  // All three only while not inside curl.
  void set_connections_max(long connections_max);
  void add(CURL* easy);
  void remove(CURL* easy);
  // Runs `task` as soon as curl may be called: now, or when it returns.
  void outside_curl(Task task);
  // `finished` is not called any more. All handles must have been removed.
  void close();

 private:
  struct Socket;
  struct Wait;

  static int on_socket(CURL* easy, curl_socket_t fd, int what, void* self, void* socket);
  static int on_timer(CURLM* multi, long delay_ms, void* self);
  void want(curl_socket_t fd, int what);
  void set_timer(long delay_ms);
  void alarm();
  void kick();
  void drive(curl_socket_t fd, int events);
  void report_finished();

  Loop& loop_;
  CURLM* multi_;
  Finished finished_;
  bool inside_curl_ = false;
  bool kicked_ = false;
  bool closed_ = false;
  std::vector<Task> postponed_;
  std::unordered_map<curl_socket_t, std::shared_ptr<Socket>> sockets_;
  std::unique_ptr<Wait> wait_;
};

}  // namespace tutti::net
