// Jobs of batch/v1 in queues.
#pragma once

#include "base/std.h"
#include "controllers/queues/work/queued_work.h"
#include "model/job.h"

namespace tutti::controllers {

class QueuedJob final : public QueuedWork {
 public:
  QueuedJob(std::shared_ptr<const model::Job> job, const Cluster& cluster)
      : job_(std::move(job)), cluster_(cluster) {}

  bool suspended() const override { return job_->suspend; }
  Result<std::vector<AskedSet>> asked_sets() override;
  bool outgrows(const model::AdmissionRequest& request) const override;
  bool is_started_by(const model::AdmissionRequest& request) const override;
  bool is_sized_by(const model::AdmissionRequest& request) const override;
  std::shared_ptr<model::Object> started(const model::AdmissionRequest& request) const override;
  std::shared_ptr<model::Object> stopped(const model::AdmissionRequest* request) const override;
  std::optional<WorkEnding> ending() const override;
  bool is_ready(const model::AdmissionRequest& request) const override;
  std::vector<model::ReclaimablePods> reclaimable(
      const model::AdmissionRequest& request) const override;

 private:
  std::shared_ptr<const model::Job> job_;
  const Cluster& cluster_;
};

}  // namespace tutti::controllers
