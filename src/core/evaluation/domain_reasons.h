// DomainReasons: why the nodes of a domain take no more pods of one class once they hold all they
// can, counted per domain of the keys that were asked for. What each node says is kept; nodes the
// journal names are asked again when somebody wants to know.
#pragma once

#include <map>

#include "base/bitset.h"
#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/framework/attempt.h"

namespace tutti::core {

class Evaluation;

// Why the nodes take no more pods of the class: what their filters say, or what they run out of
// once they hold all they can.
std::vector<ReasonCount> reasons_when_full(const Cluster& cluster, Evaluation& evaluation,
                                           const PodShape& shape, const Bitset& nodes);

class DomainReasons {
 public:
  // Notes what changed. `evaluation` is that of the class, up to date.
  void refresh(const Cluster& cluster, const Evaluation& evaluation);
  // As reasons_when_full() of all nodes of the domain. Valid until the next call.
  const std::vector<ReasonCount>& of(const Cluster& cluster, Evaluation& evaluation,
                                     const PodShape& shape, const std::string& key,
                                     std::uint32_t domain);

 private:
  // What a node says: the number of its objection, or for one that accepts the class which requests
  // it runs out of.
  struct Saying {
    std::uint32_t objection = kNoIndex;
    std::vector<bool> runs_out = {};
    bool operator==(const Saying&) const = default;
  };
  struct Domain {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> nodes_saying;  // which saying, how many
    std::vector<ReasonCount> reasons;
    bool current = false;
  };
  static constexpr std::uint32_t kSilent = kNoIndex;  // not asked

  void forget();
  void ask_changed(const Cluster& cluster, Evaluation& evaluation, const PodShape& shape);
  std::uint32_t saying_of(const Cluster& cluster, Evaluation& evaluation, const PodShape& shape,
                          NodeId node);
  std::vector<Domain>& domains(const Cluster& cluster, Evaluation& evaluation,
                               const PodShape& shape, const std::string& key);
  static void count(Domain& domain, std::uint32_t saying, bool more);
  std::vector<ReasonCount> worded(const Cluster& cluster, const Evaluation& evaluation,
                                  const PodShape& shape, const Domain& domain) const;

  std::vector<Saying> sayings_;
  std::vector<std::uint32_t> said_;  // by node: index of a saying
  std::map<std::string, std::vector<Domain>> by_key_;
  std::vector<NodeId> changed_;
  std::uint64_t epoch_ = 0;
  std::uint64_t seen_journal_ = 0;
};

}  // namespace tutti::core
