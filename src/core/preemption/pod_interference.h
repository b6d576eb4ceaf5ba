// Company: whether pods that are placed somewhere may mind others beyond the resources they take.
// Asked before every filter is asked again about every one of them.
#pragma once

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/framework/profile.h"
#include "model/selector.h"

namespace tutti::core {

class PodInterference {
 public:
  // The pods must stay known to the cluster, which must outlive it.
  PodInterference(const Cluster& cluster, const Profile& profile, std::span<const PodId> pods);

  // False is a proof: wherever `other` is, the pods are welcome where they are if resources allow.
  bool may_interfere(PodId other);

 private:
  bool selects(LabelClassId labels);

  const Cluster& cluster_;
  bool anyone_;  // some filter may look at everything about others
  bool has_volumes_ = false;
  bool has_ports_ = false;
  std::vector<const model::LabelSelector*> selectors_;  // of spread and of affinity to pods
  enum class Answer : std::uint8_t { unknown, no, yes };
  std::vector<Answer> selected_;  // by label class
};

}  // namespace tutti::core
