// Asking the API server about a Job that the scheduler knows nothing of, because it has no pods.
//
//   Job ──suspended, in a queue of Kueue's──> versions of kueue.x-k8s.io ──> Workload of the Job
//
// Whatever the server refuses is said in the verdict, not hidden.
#pragma once

#include <functional>

#include "base/std.h"
#include "explain/verdict/verdict.h"
#include "kube/client/api_client.h"
#include "model/job.h"

namespace tutti::daemon {

struct JobFinding {
  std::optional<explain::Verdict> verdict{};  // nothing: there is no such Job,
  std::string trouble{};                      // or this is why nobody knows
};

using GetFromServer = std::function<void(std::string path, kube::AnswerHandler handler)>;

// `done` is called once, and not from inside the call if `get` does not call its handler so.
void inquire_job(const GetFromServer& get, const std::string& ns, const std::string& name,
                 std::function<void(JobFinding)> done);

}  // namespace tutti::daemon
