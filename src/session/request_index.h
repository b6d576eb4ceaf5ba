// RequestIndex: the requests in queues (Kueue's Workloads) by the objects that they were made for.
#pragma once

#include <map>

#include "base/std.h"
#include "core/broker/broker.h"
#include "model/object.h"

namespace tutti::session {

class RequestIndex {
 public:
  // Returns the request that the Workload is, that the pod names, or that the work owns; null:
  // there is none. `version` rises with every change of an object.
  const core::Request* find(const core::RequestTable& table, const model::Object& object,
                            std::uint64_t version);

 private:
  std::optional<std::uint64_t> version_{};
  std::map<std::string, const core::Request*, std::less<>> by_owner_{};  // uid
};

// Whether the request, not its pods, is what there is to be said about: it has not got its quota
// and places, or it gives them back.
bool speaks_for_pods(const core::Request& request);

}  // namespace tutti::session
