// CronView: how a CronJob stands: which of its Jobs are under way, and when the next one comes.
#pragma once

#include "base/std.h"
#include "base/time.h"
#include "model/job.h"
#include "session/work/work_verdict.h"
#include "store/store.h"

namespace tutti::session {

bool is_cron_job(const model::Object& object);

// The CronJob that made the Job, if it is there; null: none did.
model::ObjectPtr cron_job_above(const store::Store& objects, const model::Object& job);

// Jobs of the CronJob that have not ended, the oldest first.
std::vector<std::shared_ptr<const model::Job>> live_jobs_of(const store::Store& objects,
                                                            const model::Object& cron);
// The first of them of which a pod waits or that has none; else the first; null: there is none.
std::shared_ptr<const model::Job> telling_job_of(const store::Store& objects,
                                                 const model::Object& cron);

// That of the telling Job; without any, Held while the CronJob is suspended or names no time, and
// Running while it waits for its time. Requires a CronJob.
explain::Verdict cron_verdict(const model::Object& cron, const store::Store& objects, Instant now,
                              const VerdictOf& verdict_of);

// "its next Job in 5m0s, at 40m0s"; empty: there will be none.
std::string next_job_text(const model::Object& cron, Instant start, Instant now);

}  // namespace tutti::session
