// Do the expectations hold?
#pragma once

#include <cstdint>
#include <functional>
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
};

// Every difference, in the order in which the expectation lists its parts; empty when it holds.
std::vector<Failure> check(const Expectation& expectation, const Scene& scene);

}  // namespace tutti::expect
