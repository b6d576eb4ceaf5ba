// Finding Workloads by the Job they say they are for, and PodGroups by their Workload. Both name
// the other by name only, so what is found may belong to someone else.
#pragma once

#include <map>
#include <set>

#include "base/std.h"
#include "model/group.h"
#include "model/job.h"
#include "store/store.h"
#include "store/watch.h"

namespace tutti::controllers {

class GroupIndex {
 public:
  void observe(const store::WatchEvent& event);
  // Whoever creates one says so at once.
  void add(const model::Object& object);

  std::vector<std::shared_ptr<const model::Workload>> workloads_of(
      const model::Job& job, const store::Store& objects) const;
  std::vector<std::shared_ptr<const model::PodGroup>> groups_of(const model::Workload& workload,
                                                                const store::Store& objects) const;

 private:
  using Name = std::pair<std::string, std::string>;  // namespace, name
  using Names = std::map<Name, std::set<std::string>>;

  void remove(const model::Object& object);

  Names workloads_;  // by Job
  Names groups_;     // by Workload
};

}  // namespace tutti::controllers
