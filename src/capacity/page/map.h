// Map: every node with what it has, who holds how much of it, and what is left: the picture behind
// the page. Nodes are measured in devices where they have any, in cpu otherwise.
#pragma once

#include "base/std.h"
#include "capacity/report.h"
#include "core/scheduler/scheduler.h"

namespace tutti::capacity {

struct MapNode {
  struct Part {
    std::size_t holder = 0;  // of Map::holders
    std::int64_t amount = 0;
  };
  std::string name;
  std::int64_t total = 0;  // devices, or thousandths of a cpu
  bool in_devices = false;
  std::vector<Part> parts;    // largest first
  std::int64_t unusable = 0;  // of what nobody holds
  std::string why;            // it is: "their node is cordoned"
};

struct MapHolder {
  std::string name;  // "Job ml/train", "pods of web"
  std::int64_t devices = 0;
  std::size_t pods = 0;
};

// Nodes that share a value of one key, and of one below it.
struct MapDomain {
  std::string value;  // empty: nodes without the label
  std::vector<MapDomain> inside;
  std::vector<MapNode> nodes;  // of an innermost one, by name
};

struct Map {
  std::vector<std::string> keys;  // of the nesting: none, one or two
  MapDomain whole;
  std::vector<MapHolder> holders;  // most devices first, then most pods, then by name
};

// `name_in_use` says how the holders are called; without it groups are called by their own names.
Map make_map(const core::Scheduler& scheduler, const Report& report,
             const NameInUse& name_in_use = {});

}  // namespace tutti::capacity
