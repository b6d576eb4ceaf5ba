// RequestIndex: the requests in queues (Kueue's Workloads) by the objects that they were made for.
#pragma once

#include <map>

#include "base/std.h"
#include "core/broker/broker.h"
#include "model/object.h"

namespace tutti::session {

class RequestIndex {
 public:
  RequestIndex() = default;
  // Valid as long as no request comes or goes.
  explicit RequestIndex(const core::RequestTable& table);

  // The request of the work or pod; null: there is none. A pod names its own.
  const core::Request* of(const model::Object& object) const;

 private:
  const core::RequestTable* table_ = nullptr;
  std::map<std::string, const core::Request*, std::less<>> by_owner_;  // uid
};

// Whether the request, not its pods, is what there is to be said about: it has not got its quota and
// places, or it gives them back.
bool speaks_for_pods(const core::Request& request);

}  // namespace tutti::session
