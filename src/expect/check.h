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

// The cluster at one instant.
struct Scene {
  const store::Store& objects;
  std::function<Standing(const model::ObjectKey&)> standing;
  // The domains of the topology key that a pod with a node is in, as the scheduler sees it.
  using DomainsOf =
      std::function<std::vector<std::string>(const std::string& key, const model::Pod& pod)>;
  DomainsOf domains_of = {};  // none: labels alone say
};

// The domain of the key that those of the pods share that have a node, by the labels of nodes or
// else by the scheduler's word; where they share none, all that any of them is in. An empty name
// stands for a pod that is in none.
std::set<std::string> domains_of(const Scene& scene, const std::string& key,
                                 std::span<const model::Pod* const> pods);

// Every difference, in the order in which the expectation lists its parts; empty when it holds.
std::vector<Failure> check(const Expectation& expectation, const Scene& scene);

}  // namespace tutti::expect
