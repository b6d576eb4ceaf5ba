// CurlMulti: a curl multi handle driven by the loop. curl says which sockets and what time it waits
// for; the loop waits and tells curl.
//
// curl must not be called from inside its own callbacks. Handles added or removed from there are
// remembered and dealt with once curl returns, and so is the end of the whole.
//
// curl 7.88 loses wake-ups among the streams of an HTTP/2 connection: when one overflows its
// buffer, the others stop, and what curl had read for them stays where it is until the socket
// speaks again, which may be never. A full buffer is the sign; after it, curl is made to look again
// until nothing more comes out.
#pragma once

#include <curl/curl.h>

#include <functional>
#include <unordered_map>

#include "base/std.h"
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
  // From inside curl: a handle was given this many bytes at once.
  void delivered(std::size_t bytes);
  // Runs `task` as soon as curl may be called: now, or when it returns.
  void outside_curl(Task task);
  // To be called before the end. `finished` is not called any more. All handles must have been
  // removed.
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
  void look_again_soon();
  void look_again();
  void report_finished();

  Loop& loop_;
  CURLM* multi_;
  Finished finished_;
  bool inside_curl_ = false;
  bool kicked_ = false;
  bool may_hold_more_ = false;  // curl, of what it has read
  bool looking_again_ = false;
  bool look_posted_ = false;
  bool closed_ = false;
  std::vector<Task> postponed_;
  std::unordered_map<curl_socket_t, std::shared_ptr<Socket>> sockets_;
  std::unique_ptr<Wait> wait_;
};

}  // namespace tutti::net
