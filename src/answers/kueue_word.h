// What Kueue says of a workload that it holds back: it suspends the Job, and tells in the
// conditions of a Workload of its own (kueue.x-k8s.io) what it waits for.
#pragma once

#include "base/std.h"
#include "explain/verdict/verdict.h"
#include "model/job.h"
#include "model/object.h"
#include "wire/value.h"

namespace tutti::answers {

inline constexpr std::string_view kKueueGroup = "kueue.x-k8s.io";
inline constexpr std::string_view kKueueQueueLabel = "kueue.x-k8s.io/queue-name";

// The queue that the object is in; empty: Kueue has no part in it.
std::string kueue_queue_of(const model::ObjectMeta& meta);

struct KueueWord {
  std::string workload;   // name of Kueue's Workload
  std::string said;       // "QuotaReserved is False (Pending): …"
  bool of_quota = false;  // a quota is what it waits for
};

// Reads a document of Kueue's kind Workload; nothing when the given object does not own it.
std::optional<KueueWord> kueue_word(const wire::Value& workload, std::string_view owner_kind,
                                    std::string_view owner_name);

// What is known of work that Kueue may hold.
struct KueueView {
  std::optional<KueueWord> word{};
  std::string trouble{};  // why Kueue's Workload could not be read; empty: there is none
};

// Says that work is suspended and in a queue of Kueue's.
explain::Verdict kueue_verdict(const std::string& queue, const KueueView& kueue);
// Says that work is suspended, in such a queue or not.
explain::Verdict suspended_verdict(const std::string& queue, const KueueView& kueue);

// How a Job ended; nothing: it has not.
std::optional<std::string> job_ending(const model::Job& job);
// Explains a Job of which there is no pod. `reason`: why, where nothing of the Job tells.
explain::Verdict verdict_without_pods(const model::Job& job, const KueueView& kueue,
                                      std::string reason);

}  // namespace tutti::answers
