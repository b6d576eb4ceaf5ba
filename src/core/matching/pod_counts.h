// How many pods of a kind are on each node: the figure that spreading and pod affinity turn on.
//
// A kind of pods is a PodQuery, matched against label classes and never against single pods. One
// PodCounts answers one query for all nodes and follows the journal, so that many classes of
// pending pods that ask the same question (an indexed Job: one selector, every pod labelled
// differently) share one count and pay only for what happened since the last of them asked.
//
//   query ──> PodCountsCache ──> PodCounts: match by label class, count by node
//                                   │ copied and summed by domain
//                                   v
//                              an evaluator's own domain counts, kept by Evaluator::changed
#pragma once

#include <list>

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/shapes/ids.h"
#include "model/pod.h"
#include "model/selector.h"

namespace tutti::core {

// A selector and the namespaces it looks into: those listed and those whose labels the namespace
// selector accepts.
struct PodTerm {
  std::vector<std::string> namespaces;
  std::optional<model::LabelSelector> namespace_selector;
  model::LabelSelector selector;
  bool operator==(const PodTerm&) const = default;
};

// The term as the API means it, seen from a pod of namespace `ns`. Absent when it matches no pod.
std::optional<PodTerm> pod_term(const model::PodAffinityTerm& term, std::string_view ns);

// Pods that match every term. A query without terms matches none.
struct PodQuery {
  std::vector<PodTerm> all_of;
  bool terminating = true;  // whether pods being deleted count
  bool operator==(const PodQuery&) const = default;
};

bool matches(const Cluster& cluster, const PodTerm& term, const LabelClass& pods);
bool matches(const Cluster& cluster, const PodQuery& query, const LabelClass& pods);

class PodCounts {
 public:
  PodCounts(const Cluster& cluster, PodQuery query);

  const PodQuery& query() const { return query_; }
  // Brings by_node() up to what the cluster holds now.
  void catch_up();
  // By node index; vacant slots hold zero.
  std::span<const std::uint32_t> by_node() const { return by_node_; }
  // Whether pods of the class count. Requires a class of the structure version last caught up to.
  bool counts(LabelClassId labels) const;

 private:
  enum class Match : std::uint8_t { unknown, no, yes };
  void rebuild();

  const Cluster& cluster_;
  PodQuery query_;
  std::vector<std::uint32_t> by_node_;
  mutable std::vector<Match> match_of_;  // by label class, filled as classes are met
  std::uint64_t structure_version_ = 0;
  std::uint64_t sequence_ = 0;  // journal entries before this are counted
};

// The counts in use, most recently asked first. A plugin owns one; all calls must be about one
// cluster, and another cluster empties it.
class PodCountsCache {
 public:
  // Caught up with the cluster. The counts follow no further by themselves.
  std::shared_ptr<const PodCounts> get(const Cluster& cluster, const PodQuery& query);

 private:
  static constexpr std::size_t kLimit = 128;
  const Cluster* cluster_ = nullptr;
  std::list<std::shared_ptr<PodCounts>> counts_;
};

}  // namespace tutti::core
