// Verdicts over HTTP, for `tutti explain --server` and anyone who can GET.
//
//   /explain                    what waits: {"total": 3, "items": [{object, state, blocker,
//   summary}]} /explain?namespace=ml       of one namespace; &limit=N: so many items (100), total
//   counts all /explain/KIND/NS/NAME       one verdict, in the form of `tutti explain -o json`;
//   KIND `any`: of whatever has the name
//   …?output=table              the same for people
//
// Failures are metav1.Status objects, which kubectl and API clients know how to show.
#pragma once

#include <functional>

#include "base/std.h"
#include "daemon/job_inquiry.h"
#include "explain/explain.h"
#include "explain/verdict/way.h"
#include "net/http_server.h"
#include "whatif/rehearsal.h"

namespace tutti::daemon {

// Verdicts name pods and nodes of the whole cluster, and nobody who asks says who he is.
struct VerdictGate {
  bool loopback_only = true;  // answers peers on this machine, or in this pod, and no others
  std::string closed{};       // why no verdict can be given now; empty: one can
};

// What answers are made from.
struct Knowledge {
  explain::Sources sources;
  // What would let it run. Empty: nobody knows.
  std::function<std::vector<explain::Way>(const whatif::Asker&)> ways = {};
  std::function<explain::Preemption(const whatif::Asker&)> evictions = {};
  // Requests in queues; null: none are known.
  const core::Broker* broker = nullptr;
};

// Whether the path is one of the above, or below.
bool asks_for_verdicts(const net::ServerRequest& request);

// Requires such a request. `knowledge` is asked only if the gate lets it through.
net::ServerResponse answer_verdicts(const net::ServerRequest& request, const VerdictGate& gate,
                                    const std::function<Knowledge()>& knowledge);

// A Job that such a request asks about and the scheduler knows nothing of: the API server may.
struct UnknownJob {
  std::string ns;
  std::string name;
  std::string output;  // as in the request
};
// `response` is what answer_verdicts() made of the request.
std::optional<UnknownJob> unknown_job(const net::ServerRequest& request,
                                      const net::ServerResponse& response);
// With what the API server said of it. `response` as above.
net::ServerResponse answer_unknown_job(const UnknownJob& job, const JobFinding& finding,
                                       net::ServerResponse response);

}  // namespace tutti::daemon
