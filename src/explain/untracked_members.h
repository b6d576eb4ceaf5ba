// UntrackedMembers: members of groups that the scheduler does not keep, counted as pods come and
// go.
#pragma once

#include <functional>
#include <map>
#include <unordered_map>

#include "base/std.h"
#include "explain/held_reason.h"
#include "model/pod.h"

namespace tutti::explain {

class UntrackedMembers {
 public:
  // Whether an unassigned pod waits for another scheduler.
  using Foreign = std::function<bool(const model::Pod&)>;
  explicit UntrackedMembers(Foreign foreign) : foreign_(std::move(foreign)) {}

  // The pod as it is now.
  void observe(const model::Pod& pod);
  // The pod is gone.
  void forget(const model::Pod& pod);

  Absent of(std::string_view ns, std::string_view group) const;

 private:
  using GroupName = std::pair<std::string, std::string>;
  struct Absentee {
    GroupName group;
    Absent counts;  // of this one pod
  };

  Foreign foreign_;
  std::unordered_map<std::string, Absentee> by_uid_;
  std::map<GroupName, Absent> by_group_;
};

}  // namespace tutti::explain
