#include "explain/untracked_members.h"

#include <optional>

namespace tutti::explain {
namespace {

// What the pod adds to its group's absent members; empty when it is none.
std::optional<Absent> absence_of(const model::Pod& pod, const UntrackedMembers::Foreign& foreign) {
  if (pod.spec->scheduling_group.empty()) return std::nullopt;
  Absent absent;
  if (pod.terminal()) {
    ++(pod.status.phase == model::PodPhase::succeeded ? absent.succeeded : absent.failed);
  } else if (foreign(pod)) {
    absent.foreign = 1;
    absent.scheduler = pod.spec->scheduler_name;
  } else {
    return std::nullopt;
  }
  return absent;
}

}  // namespace

void UntrackedMembers::observe(const model::Pod& pod) {
  forget(pod);
  const auto absent = absence_of(pod, foreign_);
  if (!absent) return;
  GroupName name{pod.meta.ns, pod.spec->scheduling_group};
  Absent& total = by_group_[name];
  total.succeeded += absent->succeeded;
  total.failed += absent->failed;
  total.foreign += absent->foreign;
  if (total.scheduler.empty()) total.scheduler = absent->scheduler;
  by_uid_.insert_or_assign(pod.meta.uid, Absentee{std::move(name), *absent});
}

void UntrackedMembers::forget(const model::Pod& pod) {
  const auto known = by_uid_.find(pod.meta.uid);
  if (known == by_uid_.end()) return;
  const auto& [group, counts] = known->second;
  const auto total = by_group_.find(group);
  total->second.succeeded -= counts.succeeded;
  total->second.failed -= counts.failed;
  total->second.foreign -= counts.foreign;
  if (total->second.ended() + total->second.foreign == 0) by_group_.erase(total);
  by_uid_.erase(known);
}

Absent UntrackedMembers::of(std::string_view ns, std::string_view group) const {
  const auto known = by_group_.find({std::string(ns), std::string(group)});
  return known == by_group_.end() ? Absent{} : known->second;
}

}  // namespace tutti::explain
