// Makes the Jobs of CronJobs when their time comes, in virtual time.
//
// A schedule never ends, but a run should: one that was given no end sees the next Job of each
// CronJob and no more.
//
// CronJobs are not decoded: their document says all that is needed.
#pragma once

#include <map>

#include "base/std.h"
#include "controllers/controller.h"
#include "model/job.h"
#include "sim/controllers/cron_schedule.h"
#include "wire/decode/decode.h"
#include "wire/document.h"

namespace tutti::sim {

bool is_cron_job(const model::Object& object);

class CronJobs : public controllers::Controller {
 public:
  // `keeps_documents`: Jobs can be written out in full. `until`: Jobs are made until then; absent:
  // one of each CronJob.
  CronJobs(controllers::Cluster& cluster, bool keeps_documents, std::optional<Instant> until);

  void observe(const store::WatchEvent& event) override;

 protected:
  void reconcile(const model::ObjectKey& key) override;

 private:
  struct Plan {
    std::optional<Instant> next;  // absent: not known yet, or never
    bool done = false;            // the one Job that is to be seen was made
  };

  void make_job(const model::Object& cron, const wire::Value& document, Instant when);
  bool may_start(const model::Object& cron, const wire::Value& document);
  void forget_old_jobs(const model::Object& cron, const wire::Value& document);
  std::vector<std::shared_ptr<const model::Job>> jobs_of(const model::Object& cron) const;
  void warn(const model::Object& cron, std::string reason, std::string message);

  wire::Decoder decoder_;
  std::optional<Instant> until_;
  std::map<model::ObjectKey, Plan> plans_;
};

}  // namespace tutti::sim
