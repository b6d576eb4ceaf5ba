// What people see of queues: the quota tree with what is used, borrowed and lent, who waits in it
// in order, and why.
#pragma once

#include "base/std.h"
#include "base/time.h"
#include "core/requests/request_table.h"
#include "explain/verdict/verdict.h"

namespace tutti::queues {

// Figures of one flavor and resource, in base units of the resource (milli for cpu, else whole).
struct FlavorFigures {
  std::string flavor;
  std::string resource;
  std::int64_t nominal = 0;        // of a cohort: its own and that of all below it
  std::int64_t used = 0;           // by all who hold quota, those about to leave too
  std::int64_t borrowed = 0;       // beyond the nominal quota
  std::int64_t lent = 0;           // of the nominal quota, what others use; see lending.h
  std::int64_t releasing = 0;      // of `used`: by those about to leave
  std::int64_t guaranteed = 0;     // of `used`: by replicas that keep it
  std::int64_t burst = 0;          // of `used`: by replicas that may leave at any time
  std::int64_t opportunistic = 0;  // in idle room, charged to nobody
};

// When a request that waits will begin.
struct Start {
  enum class Kind : std::uint8_t { certain, reserved, estimate, not_known, never };
  Kind kind = Kind::not_known;
  std::optional<Millis> at{};  // since the start of the run; absent: nobody knows, or never
};
std::string_view word(Start::Kind kind);  // "not known"
// "at 12m0s", "at 12m0s (estimate)", "not known", "never".
std::string text_of(const Start& start);
// "it starts at 12m0s", "it never starts".
std::string sentence_of(const Start& start);

// One pod set of a request.
struct SetLine {
  std::string name;
  std::int64_t count = 0;                        // that it asks for, or was promised
  std::map<std::string, std::int64_t> asks{};    // of all its pods, by resource
  std::map<std::string, std::string> flavors{};  // by resource; empty while it holds nothing
};

struct EvictionLine {
  std::string reason;  // "Preempted"
  std::string cause;   // "InCohortReclamation"; empty: none is told
  std::int64_t count = 0;
};

struct RequestLine {
  std::string name;           // "ns/name" of the Workload
  std::string object;         // what people wrote: "Job ml/train", "Workload ml/sweep"
  std::string local_queue;    // "ns/name"
  std::string cluster_queue;  // empty: its LocalQueue does not exist
  std::string state;          // "Pending", "Admitted", "Releasing", "Finished"
  std::string reason;         // why it is not admitted, in Kueue's words: "WaitingForQuota"
  std::string message;
  std::vector<core::Shortage> shortages{};  // the numbers behind the reason
  quota::Tenure tenure = quota::Tenure::ordinary;
  std::int64_t priority = 0;
  std::size_t position = 0;  // in its ClusterQueue, the next one is 1; 0: it does not wait
  std::vector<SetLine> sets{};
  Millis waited{0};  // since it joined the queue; 0: it does not wait
  std::vector<EvictionLine> evictions{};
  std::string evicted;  // what it was evicted for; empty: it runs, or never was
  std::optional<Start> start{};

  std::int64_t times_evicted() const;
};

// "needs 8 example.com/gpu of a100, 3 left": why it waits, in one sentence with numbers.
std::string wait_text(const RequestLine& request);
// The blocker in the words of `tutti explain`; empty unless it waits.
std::string_view blocker_of(const RequestLine& request);

struct QueueLine {
  enum class Kind : std::uint8_t { cohort, cluster_queue, local_queue, ns };
  Kind kind = Kind::cluster_queue;
  std::string name;    // of a LocalQueue "ns/name"
  std::string parent;  // a cohort, or the ClusterQueue of a LocalQueue; empty: none
  std::size_t depth = 0;
  std::vector<FlavorFigures> resources{};  // of a LocalQueue: what its own requests use
  std::size_t waiting = 0;
  std::size_t admitted = 0;
  std::string closed{};               // why nobody is admitted; empty: somebody may be
  std::optional<std::size_t> head{};  // the first who waits, in `requests`
};
std::string_view word(QueueLine::Kind kind);  // "ClusterQueue"

struct QueueReport {
  // Parents before children: cohorts, ClusterQueues, LocalQueues, each in order of their names.
  std::vector<QueueLine> queues;
  // Who waits comes first, by ClusterQueue and in order of its line; then the others by name.
  std::vector<RequestLine> requests;

  // A ClusterQueue or cohort by its name, a LocalQueue as "ns/name"; null: there is none. A
  // ClusterQueue goes before a cohort of its name.
  const QueueLine* find(std::string_view name) const;
  const RequestLine* find_request(std::string_view name) const;
};

QueueReport make_report(const core::RequestTable& table, Instant now);

// Only the queue, what is above and below it, and who waits in it; `name` as for find().
QueueReport part_of(const QueueReport& report, std::string_view name);

// As fields of the product's JSON form.
void walk(const QueueReport& report, explain::FieldSink& sink);

}  // namespace tutti::queues
