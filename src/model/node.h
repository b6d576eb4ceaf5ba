// Node: allocatable, labels, taints, images.
#pragma once

#include "base/std.h"
#include "model/object.h"
#include "model/resources.h"

namespace tutti::model {

struct Taint {
  std::string key;
  std::string value;
  std::string effect;  // NoSchedule, PreferNoSchedule, NoExecute
  bool operator==(const Taint&) const = default;
  auto operator<=>(const Taint&) const = default;
};

struct NodeImage {
  std::vector<std::string> names;
  std::int64_t size_bytes = 0;
  bool operator==(const NodeImage&) const = default;
};

struct Node : Object {
  static constexpr Kind kKind = Kind::node;
  Node() : Object(kKind) {}

  bool unschedulable = false;
  std::vector<Taint> taints;
  ResourceList capacity;
  ResourceList allocatable;  // defaulted from capacity when absent
  Conditions conditions;
  std::vector<NodeImage> images;
  std::vector<std::string> declared_features;
};

}  // namespace tutti::model
