// Do the expectations hold?
#pragma once

#include <functional>
#include <set>

#include "base/std.h"
#include "expect/expectation.h"
#include "model/pod.h"
#include "store/store.h"

namespace tutti::expect {

struct Failure {
  std::uint32_t line = 0;
  std::string message;     // "podGroup t/g: expected bound 4, but 3 of 4 members have a node"
  std::uint32_t file = 0;  // of the expectation
};

// How an object stands: the words of `tutti explain`.
struct Standing {
  std::string state;
  std::string blocker;
  std::string summary;
};

// How a queue stands; amounts that it does not list are 0.
struct QueueStanding {
  std::vector<FlavorAmount> used;
  std::vector<FlavorAmount> borrowed;
  std::int64_t admitted = 0;
  std::int64_t pending = 0;
  std::string head;  // of who waits; empty: nobody does
};

struct RequestStanding {
  std::string state;
  std::string reason;
  std::string summary;
  std::string queue;
  std::vector<std::pair<std::string, std::string>> flavors;  // by resource, of every pod set
  std::int64_t position = 0;                                 // 0: it does not wait
};

// Whether, and by which rule, somebody may evict somebody.
struct EvictionRight {
  std::string problem;  // why the question makes no sense; empty: it does
  std::string rule;     // "never"
};

// The cluster at one instant.
struct Scene {
  const store::Store& objects;
  std::function<Standing(const model::ObjectKey&)> standing;
  // The domains of the topology key that a pod with a node is in, as the scheduler sees it.
  using DomainsOf =
      std::function<std::vector<std::string>(const std::string& key, const model::Pod& pod)>;
  DomainsOf domains_of = {};  // none: labels alone say
  // What the broker knows; absent where there is no such queue or request.
  std::function<std::optional<QueueStanding>(const std::string&)> queue = {};
  std::function<std::optional<RequestStanding>(const ObjectName&)> request = {};
  std::function<EvictionRight(const EvictExpectation&)> right = {};
};

// The domain of the key that those of the pods share that have a node, by the labels of nodes or
// else by the scheduler's word; where they share none, all that any of them is in. An empty name
// stands for a pod that is in none.
std::set<std::string> domains_of(const Scene& scene, const std::string& key,
                                 std::span<const model::Pod* const> pods);

// Every difference, in the order in which the expectation lists its parts; empty when it holds.
std::vector<Failure> check(const Expectation& expectation, const Scene& scene);

}  // namespace tutti::expect
