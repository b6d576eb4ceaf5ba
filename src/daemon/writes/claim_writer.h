// ClaimWriter: changes of resource claims on their way to the API server.
//
//   read the claim ──> finalizer (metadata) ──> allocation and reservedFor (status) ──> done
//                                                                    (or deleted at last) ──^
//        ^── somebody else wrote it meanwhile ──┘
//
// What a patch asks for is judged on the claim as it is when it is written: a claim that was
// allocated by someone else, or is being deleted, is left alone, and the scheduler sees it so.
#pragma once

#include <functional>

#include "base/std.h"
#include "core/framework/ports.h"
#include "daemon/writes/call_queue.h"
#include "kube/client/api_client.h"

namespace tutti::daemon {

class ClaimWriter {
 public:
  struct Outside {
    std::function<void(kube::Call, kube::AnswerHandler)> call;
    std::function<Instant()> now;
    std::function<void(const std::string& what, const kube::Answer&)> complain;
  };

  explicit ClaimWriter(Outside outside) : outside_(std::move(outside)) {}

  // `version` is the served one: "resource.k8s.io/v1". Calls `done` once, whatever happens.
  void write(const core::ClaimPatch& patch, const std::string& version,
             const CallQueue::Done& done);

 private:
  struct Job;
  using JobPtr = std::shared_ptr<Job>;

  void read(const JobPtr& job);
  void decide(const JobPtr& job, const std::string& body);
  void write_metadata(const JobPtr& job);
  void write_status(const JobPtr& job);
  void finish(const JobPtr& job);
  void put(const JobPtr& job, std::string_view subresource,
           const std::function<void(const std::string& body)>& then);

  Outside outside_;
};

}  // namespace tutti::daemon
