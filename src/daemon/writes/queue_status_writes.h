// QueueStatusWrites: statuses of queues, cohorts and checks on their way to the API server. Each
// object is written once a second at most; of what was wanted meanwhile the last counts, and what
// says what the server was told just before is not written at all.
#pragma once

#include <functional>
#include <map>

#include "base/std.h"
#include "base/time.h"
#include "daemon/writes/call_queue.h"
#include "kube/client/api_client.h"
#include "model/object.h"

namespace tutti::daemon {

class QueueStatusWrites {
 public:
  struct Outside {
    std::function<void(kube::Call, kube::AnswerHandler)> call;
    std::function<net::Timer(Millis, std::function<void()>)> after;
    std::function<void(const std::string& what, const kube::Answer&)> complain;
  };
  explicit QueueStatusWrites(Outside outside, Millis pause = std::chrono::seconds(1));

  void write(const model::ObjectPtr& queue);
  bool idle() const { return lane_.idle(); }

 private:
  struct Entry {
    model::ObjectPtr wanted;  // null: all is written
    std::string told;         // the last body
    net::Timer pause;
  };
  void send(const model::ObjectKey& key);
  void rested(const model::ObjectKey& key);

  Outside outside_;
  Millis pause_;
  CallQueue lane_;
  std::map<model::ObjectKey, Entry> entries_;  // written within the last second
};

}  // namespace tutti::daemon
