// What a run came to, as lines for people: one per group, one per pod without a group, totals.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "cli/table.h"
#include "expect/check.h"
#include "store/store.h"

namespace tutti::cli {

struct GroupLine {
  std::string name;    // "ns/name", indented below its parent
  std::string policy;  // "gang 4", "basic", "gang 2 groups"; "missing" when only pods name it
  std::size_t placed = 0;
  std::optional<std::size_t> minimum;  // of a group that exists
  std::size_t total = 0;
  std::size_t waiting = 0;  // members without a node
  std::string domain;       // "rack=r2" when the group keeps together by a key
  expect::Standing standing;
};

struct PodLine {
  std::string name;
  std::string node;
  expect::Standing standing;
};

// Lone pods can be very many: their lines are kept as the rows that they will be.
class PodLines {
 public:
  void add(const PodLine& line);
  const Table& table() const { return table_; }
  // How many pods stand how.
  const std::map<std::string, std::size_t>& states() const { return states_; }

 private:
  Table table_{{"POD", "NODE", "STATE", "BLOCKER"}};
  std::map<std::string, std::size_t> states_;
};

struct Report {
  std::vector<GroupLine> groups;
  PodLines pods;
  Table claims{{"CLAIM", "USED BY", "DEVICES"}};
  std::size_t nodes = 0;
  std::size_t all_pods = 0;
  std::size_t placed_pods = 0;
};

// The scene is asked about all groups, those that only pods name too, and all pods without one.
Report make_report(const expect::Scene& scene);

// The table. `elapsed` is the virtual time at the end.
std::string report_text(const Report& report, Millis elapsed, bool colour);

}  // namespace tutti::cli
