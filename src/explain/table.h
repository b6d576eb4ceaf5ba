// Table: the rows of `tutti run -o table`. Plain values; the caller aligns and colours them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "explain/explain.h"
#include "explain/verdict.h"

namespace tutti::explain {

struct GroupRow {
  std::string kind;  // PodGroup, CompositePodGroup
  std::string ns;
  std::string name;
  std::string policy;       // "gang 4", "basic"; empty while the group's object is missing
  std::size_t placed = 0;   // pods with a node
  std::size_t minimum = 0;  // pods it needs
  std::size_t total = 0;    // pods that name it
  std::string domain;       // "rack=r1" of a group bound to one that has placed pods
  State state = State::waiting;
  Blocker blocker = Blocker::none;
  std::string summary;
};

// A pod that is counted in no group.
struct PodRow {
  std::string ns;
  std::string name;
  std::string node;  // empty while it has none
  State state = State::waiting;
  Blocker blocker = Blocker::none;
  std::string summary;
};

struct Totals {
  std::size_t nodes = 0;
  std::size_t groups = 0;
  std::size_t groups_running = 0;
  std::size_t pods = 0;  // all, in groups or not
  std::size_t pods_placed = 0;
};

struct Table {
  std::vector<GroupRow> groups;  // by namespace, name, kind
  std::vector<PodRow> pods;      // by namespace, name
  Totals totals;
};

Table tabulate(const Sources& sources);

}  // namespace tutti::explain
