// QueueStatusWriter: the status of ClusterQueues, LocalQueues and Cohorts, written when it changed.
#pragma once

#include <map>

#include "base/std.h"
#include "base/time.h"
#include "core/framework/ports.h"
#include "core/requests/request_table.h"

namespace tutti::core {

class QueueStatusWriter {
 public:
  QueueStatusWriter(RequestTable& table, ClusterPort& port) : table_(table), port_(port) {}

  // Writes every status that is no longer true. Whether there was any.
  bool write(Instant now);

 private:
  bool write_all(Instant now);
  bool write_touched(const std::string& queue, Instant now);
  bool write_queue(const QuotaQueue& queue, Instant now);
  bool write_local(const std::shared_ptr<const model::LocalQueue>& local, Instant now);
  bool write_cohort(const std::shared_ptr<const model::Cohort>& cohort);

  RequestTable& table_;
  ClusterPort& port_;
  std::uint64_t seen_ = 0;  // version of the objects
  // Names of LocalQueues by their ClusterQueue, as of that version.
  std::multimap<std::string, std::pair<std::string, std::string>, std::less<>> locals_;
};

}  // namespace tutti::core
