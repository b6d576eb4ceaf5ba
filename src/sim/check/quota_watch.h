// Nobody is admitted beyond what the tree of the queue owns, or keeps an admission without quota.
//
// Seen from the outside: quota and limits of ClusterQueues and Cohorts, and what the statuses of
// Workloads say that they hold. When a Workload gets quota, its queue must have had room for all of
// it. What was admitted before a quota was cut stays.
#pragma once

#include <map>
#include <set>

#include "base/std.h"
#include "model/admission_request.h"
#include "model/quota.h"
#include "store/watch.h"

namespace tutti::sim {

class QuotaWatch {
 public:
  // What broke; empty: nothing.
  std::string observe(const store::WatchEvent& event);

 private:
  using FlavorResource = std::pair<std::string, std::string>;
  using Amounts = std::map<FlavorResource, Quantity>;
  struct Limits {
    Quantity nominal;
    std::optional<Quantity> borrowing;
    std::optional<Quantity> lending;
  };
  // A queue or a cohort; a cohort that is only named has no limits.
  struct Node {
    std::string parent;
    std::map<FlavorResource, Limits> limits;
    Amounts usage;  // of a queue
    std::set<std::string> children;
  };

  template <typename T>
  void observe_node(const store::WatchEvent& event, const std::string& name,
                    const std::string& parent);
  std::string observe_request(const store::WatchEvent& event);
  void count(const model::AdmissionRequest& request, bool more);
  std::string check_admission(const model::AdmissionRequest& request) const;
  bool on_a_cycle(const std::string& node) const;

  // The figures of the quota tree, worked out anew by what they mean.
  const Limits* limits(const std::string& node, const FlavorResource& of) const;
  Quantity subtree(const std::string& node, const FlavorResource& of) const;
  Quantity kept_back(const std::string& node, const FlavorResource& of) const;
  Quantity usage(const std::string& node, const FlavorResource& of) const;
  Quantity shown(const std::string& node, const FlavorResource& of) const;
  Quantity available(const std::string& node, const FlavorResource& of) const;

  std::map<std::string, Node> nodes_;  // "ClusterQueue a", "Cohort b"
};

}  // namespace tutti::sim
