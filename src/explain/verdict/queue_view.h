// QueueView: where a request stands in its queue, what each flavor of the queue would give it, and
// who has what it lacks. A plain value, part of a Verdict.
#pragma once

#include "base/std.h"

namespace tutti::explain {

class FieldSink;

struct QueueView {
  // Amounts as quantity text.
  struct Resource {
    std::string resource;
    std::string need;
    std::string nominal;   // the queue's own
    std::string used;      // by the queue
    std::string borrowed;  // of that, from its cohort
    std::string free;      // for the queue, its own and the cohort's
    bool lacks = false;    // less is free than is needed
  };
  struct Flavor {
    std::string name;
    // fit; waits: others use it; never: not even without them; unusable: labels, taints, topology
    std::string mode;
    std::uint32_t borrow_level = 0;  // how far up quota would be borrowed; 0: it is the queue's own
    std::string why;                 // it is unusable
    std::vector<Resource> resources;
  };
  // Work that uses what a flavor lacks.
  struct Holder {
    std::string name;   // "Job ml/train"
    std::string queue;  // its ClusterQueue
    std::string flavor;
    std::string resource;
    std::string amount;
  };

  std::string cluster_queue;  // empty: no queue has the request
  std::string local_queue;
  std::string reason;              // Kueue's word: "WaitingForQuota"; empty: it does not wait
  std::size_t position = 0;        // from 1; 0: it does not wait
  std::vector<std::string> ahead;  // those before it in its queue, in order
  std::vector<Flavor> flavors;
  std::vector<Holder> competitors;  // most first
};

// As the fields `queue`, `flavors` and `competitors` of the object that is open.
void walk(const QueueView& view, FieldSink& sink);
// Appends its lines to a page for people.
void append_text(const QueueView& view, std::string& page);

}  // namespace tutti::explain
