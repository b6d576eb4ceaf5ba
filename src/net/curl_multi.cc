#include "net/curl_multi.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <utility>

#include "base/check.h"

namespace tutti::net {

namespace asio = boost::asio;
using SteadyClock = std::chrono::steady_clock;

namespace {

// The server's limit counts, not curl's own of 100.
constexpr long kStreamsMax = 1000;
constexpr long kIdleConnectionsMax = 16;
// curl's receive buffer and the most it hands over at once.
constexpr std::size_t kFullBuffer = CURL_MAX_WRITE_SIZE;

template <typename Value>
void set(CURLM* multi, CURLMoption option, Value value) {
  TUTTI_CHECK(curl_multi_setopt(multi, option, value) == CURLM_OK, "curl refuses an option");
}

}  // namespace

// One of curl's sockets while curl waits for it. The descriptor stays curl's: it is released, not
// closed.
struct CurlMulti::Socket : std::enable_shared_from_this<Socket> {
  Socket(CurlMulti& owner, curl_socket_t fd)
      : multi(owner.weak_from_this()), descriptor(owner.loop_.context(), fd) {}

  void forget() {
    wanted = 0;
    descriptor.release();
  }

  void rearm() {
    if ((wanted & CURL_POLL_IN) != 0 && !reading) {
      wait(asio::posix::descriptor_base::wait_read, reading, CURL_CSELECT_IN);
    }
    if ((wanted & CURL_POLL_OUT) != 0 && !writing) {
      wait(asio::posix::descriptor_base::wait_write, writing, CURL_CSELECT_OUT);
    }
  }

  void wait(asio::posix::descriptor_base::wait_type type, bool& waiting, int event) {
    waiting = true;
    descriptor.async_wait(
        type, [self = shared_from_this(), &waiting, event](const boost::system::error_code& error) {
          waiting = false;
          if (!error) self->ready(event);
        });
  }

  // curl may have lost interest since the wait began, in this event or in the socket.
  void ready(int event) {
    const auto owner = multi.lock();
    if (!owner || (wanted & event) == 0) return;
    owner->drive(descriptor.native_handle(), event);
    if (wanted != 0) rearm();
  }

  std::weak_ptr<CurlMulti> multi;
  asio::posix::stream_descriptor descriptor;
  int wanted = 0;  // CURL_POLL_IN, CURL_POLL_OUT or both; 0: forgotten
  bool reading = false;
  bool writing = false;
};

// The one time that curl waits for. It moves with almost every request, nearly always to later; the
// alarm is then left alone and looks again when it goes off.
struct CurlMulti::Wait {
  explicit Wait(Loop& loop) : alarm(loop.context()) {}

  void clear() {
    due = SteadyClock::time_point::max();
    if (alarm_at != due) alarm.cancel();
    alarm_at = due;
  }

  asio::steady_timer alarm;
  SteadyClock::time_point due = SteadyClock::time_point::max();
  SteadyClock::time_point alarm_at = SteadyClock::time_point::max();  // max: not set
};

CurlMulti::CurlMulti(Loop& loop, long connections_max, Finished finished)
    : loop_(loop),
      multi_(curl_multi_init()),
      finished_(std::move(finished)),
      wait_(std::make_unique<Wait>(loop)) {
  TUTTI_CHECK(multi_ != nullptr, "curl cannot make a multi handle");
  set(multi_, CURLMOPT_SOCKETFUNCTION, &CurlMulti::on_socket);
  set(multi_, CURLMOPT_SOCKETDATA, this);
  set(multi_, CURLMOPT_TIMERFUNCTION, &CurlMulti::on_timer);
  set(multi_, CURLMOPT_TIMERDATA, this);
  set(multi_, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
  set(multi_, CURLMOPT_MAX_CONCURRENT_STREAMS, kStreamsMax);
  set(multi_, CURLMOPT_MAXCONNECTS, kIdleConnectionsMax);
  set_connections_max(connections_max);
}

CurlMulti::~CurlMulti() { TUTTI_CHECK(closed_); }

void CurlMulti::close() {
  if (std::exchange(closed_, true)) return;
  wait_->clear();
  for (auto& [fd, socket] : sockets_) socket->forget();
  sockets_.clear();
  set(multi_, CURLMOPT_SOCKETFUNCTION, nullptr);
  set(multi_, CURLMOPT_TIMERFUNCTION, nullptr);
  curl_multi_cleanup(multi_);
}

void CurlMulti::set_connections_max(long connections_max) {
  set(multi_, CURLMOPT_MAX_HOST_CONNECTIONS, connections_max);
}

void CurlMulti::add(CURL* easy) {
  TUTTI_CHECK(!inside_curl_ && !closed_);
  TUTTI_CHECK(curl_multi_add_handle(multi_, easy) == CURLM_OK, "curl refuses a request");
}

void CurlMulti::remove(CURL* easy) {
  TUTTI_CHECK(!inside_curl_ && !closed_);
  TUTTI_CHECK(curl_multi_remove_handle(multi_, easy) == CURLM_OK, "curl does not know a request");
}

void CurlMulti::outside_curl(Task task) {
  if (inside_curl_) {
    postponed_.push_back(std::move(task));
  } else {
    task();
  }
}

int CurlMulti::on_socket(CURL*, curl_socket_t fd, int what, void* self, void*) {
  static_cast<CurlMulti*>(self)->want(fd, what);
  return 0;
}

void CurlMulti::want(curl_socket_t fd, int what) {
  auto& socket = sockets_[fd];
  if (what == CURL_POLL_REMOVE) {
    if (socket) socket->forget();
    sockets_.erase(fd);
    return;
  }
  if (!socket) socket = std::make_shared<Socket>(*this, fd);
  socket->wanted = what;
  socket->rearm();
}

int CurlMulti::on_timer(CURLM*, long delay_ms, void* self) {
  static_cast<CurlMulti*>(self)->set_timer(delay_ms);
  return 0;
}

void CurlMulti::set_timer(long delay_ms) {
  if (delay_ms < 0) return wait_->clear();
  if (delay_ms == 0) return kick();
  wait_->due = SteadyClock::now() + std::chrono::milliseconds(delay_ms);
  if (wait_->alarm_at <= wait_->due) return;
  wait_->alarm_at = wait_->due;
  wait_->alarm.expires_at(wait_->due);
  wait_->alarm.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (error || !self || self->closed_) return;
    self->alarm();
  });
}

void CurlMulti::alarm() {
  wait_->alarm_at = SteadyClock::time_point::max();
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(wait_->due - SteadyClock::now());
  if (wait_->due == SteadyClock::time_point::max()) return;
  if (left.count() > 0) return set_timer(static_cast<long>(left.count()));
  wait_->clear();
  drive(CURL_SOCKET_TIMEOUT, 0);
}

// curl wants to run now, which this callback of its own must not do. Many requests added in a row
// share one run.
void CurlMulti::kick() {
  if (std::exchange(kicked_, true)) return;
  asio::post(loop_.context(), [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self || self->closed_) return;
    self->kicked_ = false;
    self->drive(CURL_SOCKET_TIMEOUT, 0);
  });
}

void CurlMulti::drive(curl_socket_t fd, int events) {
  const auto self = shared_from_this();  // a handler may end the client
  int running = 0;
  inside_curl_ = true;
  const CURLMcode code = curl_multi_socket_action(multi_, fd, events, &running);
  inside_curl_ = false;
  TUTTI_CHECK(code == CURLM_OK, curl_multi_strerror(code));
  for (Task& task : std::exchange(postponed_, {})) task();
  report_finished();
  if (std::exchange(may_hold_more_, false)) look_again_soon();
}

void CurlMulti::delivered(std::size_t bytes) {
  if (bytes >= kFullBuffer || looking_again_) may_hold_more_ = true;
}

void CurlMulti::look_again_soon() {
  if (closed_ || std::exchange(look_posted_, true)) return;
  asio::post(loop_.context(), [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->look_again();
  });
}

void CurlMulti::look_again() {
  look_posted_ = false;
  std::vector<curl_socket_t> open;
  for (const auto& [fd, socket] : sockets_) open.push_back(fd);
  looking_again_ = true;
  for (const curl_socket_t fd : open) {
    if (!closed_) drive(fd, CURL_CSELECT_IN);
  }
  looking_again_ = false;
}

void CurlMulti::report_finished() {
  int left = 0;
  while (!closed_) {
    const CURLMsg* message = curl_multi_info_read(multi_, &left);
    if (message == nullptr) return;
    CURL* const easy = message->easy_handle;
    const CURLcode code = message->data.result;
    remove(easy);
    finished_(easy, code);
  }
}

}  // namespace tutti::net
