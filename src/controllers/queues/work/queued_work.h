// QueuedWork: one object of a kind that is suspended while it waits, as the controller of queues
// deals with it: what it asks for, how it is started and stopped, and how far it is.
//
// Started and stopped forms are copies to be written by the caller.
#pragma once

#include "base/std.h"
#include "controllers/cluster.h"
#include "controllers/queues/work/asked_set.h"
#include "model/admission_request.h"
#include "wire/decode/decode.h"

namespace tutti::controllers {

struct WorkEnding {
  bool succeeded = false;
  std::string message;
};

class QueuedWork {
 public:
  virtual ~QueuedWork() = default;

  virtual bool suspended() const = 0;
  // An error: what it would run cannot be known yet.
  virtual Result<std::vector<AskedSet>> asked_sets() = 0;
  // Whether it would run more pods than `request` was promised.
  virtual bool outgrows(const model::AdmissionRequest& request) const = 0;
  // Whether its pods are told what `request` was promised.
  virtual bool is_started_by(const model::AdmissionRequest& request) const = 0;
  // Whether it runs as many pods as `request` was promised. Work that is not elastic always does.
  virtual bool is_sized_by(const model::AdmissionRequest& /*request*/) const { return true; }
  virtual std::shared_ptr<model::Object> started(const model::AdmissionRequest& request) const = 0;
  // Suspended, and with its pods as `request` has them; null: there is none to restore them from.
  virtual std::shared_ptr<model::Object> stopped(const model::AdmissionRequest* request) const = 0;

  // Absent: it goes on.
  virtual std::optional<WorkEnding> ending() const = 0;
  // All pods of the request are ready, or have succeeded.
  virtual bool is_ready(const model::AdmissionRequest& request) const = 0;
  // Pods that have ended and whose places nobody will take.
  virtual std::vector<model::ReclaimablePods> reclaimable(
      const model::AdmissionRequest& request) const = 0;
};

// Null: it is of another kind. `cluster` and `decoder` must outlive the work.
std::unique_ptr<QueuedWork> queued_work(const model::ObjectPtr& object, const Cluster& cluster,
                                        wire::Decoder& decoder);

// How many pods of the set the request was promised.
std::int32_t promised_count(const model::AdmissionRequest& request, const model::PodSet& set);

}  // namespace tutti::controllers
