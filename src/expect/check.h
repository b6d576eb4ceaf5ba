// Do the expectations hold?
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "expect/expectation.h"
#include "store/store.h"

namespace tutti::expect {

struct Failure {
  std::uint32_t line = 0;
  std::string message;  // "podGroup t/g: expected bound 4, but 3 of 4 members have a node"
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
  // The domain of the topology key that the node of this name is in, as the scheduler sees it.
  using DomainAt =
      std::function<std::optional<std::string>(const std::string& key, const std::string& node)>;
  DomainAt domain_at = {};  // none: labels alone say
};

// The value of the node's label, or else the scheduler's word.
std::optional<std::string> domain_of(const Scene& scene, const std::string& key,
                                     const std::string& node);

// Every difference, in the order in which the expectation lists its parts; empty when it holds.
std::vector<Failure> check(const Expectation& expectation, const Scene& scene);

}  // namespace tutti::expect
