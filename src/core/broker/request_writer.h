// RequestWriter: tells the cluster, and the diary, what became of requests. Nothing is written
// twice.
#pragma once

#include "base/std.h"
#include "base/time.h"
#include "core/cycle/decision_log.h"
#include "core/framework/ports.h"
#include "core/requests/request.h"
#include "core/requests/request_status.h"

namespace tutti::core {

class RequestWriter {
 public:
  RequestWriter(DecisionLog& decisions, ClusterPort& port) : decisions_(decisions), port_(port) {}

  // Writes the status if it says something new; the request has it from then on.
  void write(Request& request, RequestStatus status);
  void deactivate(Request& request, RequestStatus status);
  void event(const Request& request, std::string_view type, std::string_view reason,
             std::string message);
  // About an object of quota.
  void warn(const model::ObjectPtr& about, std::string_view reason, std::string message);
  void decided(const Request& request, Decision::Kind kind, std::string message, Instant now,
               std::vector<std::pair<std::string, std::string>> bindings = {});
  // Notes in the diary alone that the request leaves, by which rule and for whom.
  void evicted(const Request& request, const EvictionWords& words, Instant now);

 private:
  DecisionLog& decisions_;
  ClusterPort& port_;
};

}  // namespace tutti::core
