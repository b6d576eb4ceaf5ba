// ApiClient: requests to one Kubernetes API server with its credentials, errors as the server words
// them, and bounded repetition of what may be repeated.
#pragma once

#include <functional>

#include "base/random.h"
#include "base/result.h"
#include "base/std.h"
#include "kube/access/access.h"
#include "kube/client/rate_limit.h"
#include "net/http_client.h"

namespace tutti::kube {

// What the server said, or that it said nothing.
struct Answer {
  int status = 0;       // HTTP; 0: no answer came
  std::string body;     // of a success: the object; of a failure: as received
  std::string reason;   // of a failure: metav1.Status reason ("Conflict", "Expired"), may be empty
  std::string message;  // of a failure, for people; never contains credentials
  std::optional<Millis> retry_after;

  bool ok() const { return status >= 200 && status < 300; }
  // Nothing came, or the server is overloaded or broken for now: worth asking again later.
  bool transient() const { return status == 0 || status == 429 || status >= 500; }
};
using AnswerHandler = std::function<void(Answer)>;

struct Call {
  std::string method = "GET";
  std::string path = {};
  std::string body = {};
  std::string content_type = "application/json";  // of the body
  Millis timeout{30'000};
  // How often a transient failure is repeated, with jittered exponential backoff that honours
  // Retry-After. 0: the first answer counts. A request that got no answer may have been obeyed: who
  // asks for repetition must be content with it happening twice.
  int retries_max = 0;
  // Does not wait for its turn among the calls in flight: a lease must be renewed in time.
  bool urgent = false;
};

// Calls that are with the server at one time: as many as an API server takes on one HTTP/2
// connection; with more than that, curl spends twice the time on each. Further calls wait their
// turn, in order and without a limit of their own: who makes calls bounds how many it has open. A
// timeout counts from when a call is sent.
inline constexpr std::size_t kCallsInFlightMax = 100;

class ApiClient {
 public:
  struct Options {
    std::string user_agent;
    std::uint64_t seed = 0;  // of the jitter
    // The pace of calls that are not urgent; watches do not count.
    RateLimit pace = {};
    // Told of every request that ended, repeated ones one by one; may be empty. Status 0: no answer
    // came. Of a watch, `took` is the time until it ended.
    std::function<void(std::string_view method, int status, Millis took)> request_ended = {};
  };
  ApiClient(net::Loop& loop, Access access, Options options);
  ~ApiClient();
  ApiClient(const ApiClient&) = delete;
  ApiClient& operator=(const ApiClient&) = delete;

  // A 401 makes the credentials be renewed and the call be repeated once. The handler runs on the
  // loop, never from inside the call. Calls can be cancelled until then.
  net::RequestId call(Call call, AnswerHandler handler);
  // A watch: `opened` is called when the server has accepted it, `data` gets the bytes as they
  // come; `ended` as for call, with status 200 for a stream that the server closed in order.
  // Watches do not count among the calls in flight and are never repeated but for a 401.
  struct WatchHandlers {
    std::function<void()> opened = {};
    std::function<void(std::string_view)> data;
    AnswerHandler ended;
  };
  net::RequestId watch(std::string path, WatchHandlers handlers);
  void cancel(net::RequestId id);

  // Calls and watches not yet answered, those that wait to be sent or repeated included.
  std::size_t open_calls() const;
  // The source of all jitter towards this server.
  Random& random();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tutti::kube
