// ApiClient: requests to one Kubernetes API server with its credentials, errors as the server words
// them, and bounded repetition of what may be repeated.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/random.h"
#include "base/result.h"
#include "kube/access.h"
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
  std::string path;
  std::string body;
  std::string content_type = "application/json";  // of the body
  Millis timeout{30'000};
  // How often a transient failure is repeated, with jittered exponential backoff that honours
  // Retry-After. 0: the first answer counts.
  int retries_max = 0;
};

class ApiClient {
 public:
  struct Options {
    std::string user_agent;
    std::uint64_t seed = 0;  // of the jitter
  };
  ApiClient(net::Loop& loop, Access access, Options options);
  ~ApiClient();
  ApiClient(const ApiClient&) = delete;
  ApiClient& operator=(const ApiClient&) = delete;

  // A 401 makes the credentials be renewed and the call be repeated once. The handler runs on the
  // loop, never from inside the call. Calls can be cancelled until then.
  net::RequestId call(Call call, AnswerHandler handler);
  // A watch: `data` gets the bytes as they come; `ended` as for call, with status 200 for a stream
  // that the server closed in order.
  net::RequestId watch(std::string path, std::function<void(std::string_view)> data,
                       AnswerHandler ended);
  void cancel(net::RequestId id);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tutti::kube
