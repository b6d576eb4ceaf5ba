// FakeLease: what an API server does with one Lease, for this folder's tests.
#pragma once

#include "base/std.h"
#include "kube/client/api_client.h"
#include "kube/lease/lease_text.h"
#include "model/cluster.h"

namespace tutti::kube {

class FakeLease {
 public:
  Answer apply(const std::string& method, const std::string& body) {
    if (method == "GET") return lease_ ? ok() : status(404);
    auto written = std::make_shared<model::Lease>(*read_lease(body).value());
    if (method == "POST" && lease_) return status(409);
    if (method == "PUT" && !lease_) return status(404);
    if (method == "PUT" && written->meta.resource_version != version_) return status(409);
    written->meta.resource_version = ++version_;
    lease_ = *read_lease(write_lease(*written));
    return ok();
  }

  const model::Lease* lease() const { return lease_.get(); }

 private:
  Answer ok() const {
    Answer answer = status(200);
    answer.body = write_lease(*lease_);
    return answer;
  }
  static Answer status(int code) {
    Answer answer;
    answer.status = code;
    return answer;
  }

  std::shared_ptr<const model::Lease> lease_;
  std::uint64_t version_ = 100;
};

}  // namespace tutti::kube
