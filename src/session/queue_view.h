// A session's queues: what `run`, `queues` and `policy` show of them, and what expectations ask.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "expect/check.h"
#include "queues/queue_report.h"
#include "queues/rights.h"
#include "session/session.h"

namespace tutti::session {

// The queues of the present; without quota objects a line for each namespace that has pods.
queues::QueueReport queue_report(const Session& session);
// Fills in when those who wait will begin. The session's time has moved on afterwards.
Status foresee_starts(Session& session, queues::QueueReport& report);

// The queues of a store as they are before anybody uses them.
void add_quota_objects(const store::Store& objects, core::QuotaObjects& into);
// Priorities that requests of the store have or may have, in order: those of classes and of
// requests, and 0.
std::vector<std::int64_t> priorities_of(const store::Store& objects);

// For expectations; see expect::Scene.
std::optional<expect::QueueStanding> queue_standing(const Session& session,
                                                    const std::string& name);
std::optional<expect::RequestStanding> request_standing(const Session& session,
                                                        const expect::ObjectName& name);
expect::EvictionRight eviction_right(const Session& session, const expect::EvictExpectation& asked);

}  // namespace tutti::session
