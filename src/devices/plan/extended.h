// Extended resources that device classes stand for.
//
//   container asks for example.com/gpu: 2 ──class for that name──> request for 2 devices of the
//   class
//
// A pod's requests of this kind become one claim of its own, which the scheduler makes. Which of
// them it holds depends on the node: what a node advertises itself is counted there, by whoever
// counts resources, and only the rest comes through the claim.
#pragma once

#include <functional>
#include <map>
#include <unordered_map>

#include "base/check.h"
#include "base/std.h"
#include "devices/inventory/ids.h"
#include "devices/plan/plans.h"
#include "model/device.h"
#include "model/pod.h"
#include "model/spec_memo.h"

namespace tutti::devices {

// What a pod asks of one such resource: a request per container, shared where containers do not run
// at the same time.
struct ExtendedNeed {
  std::string resource;
  std::string device_class;
  std::vector<model::DeviceRequest> requests;
  std::vector<model::ExtendedRequest> uses;  // which container uses which request
  bool operator==(const ExtendedNeed&) const = default;
};

// By name of resource. Empty: the pod asks for none.
using ExtendedNeeds = std::vector<ExtendedNeed>;
ExtendedNeeds extended_needs(const model::PodSpec& spec, const PlanTable& classes);

// The claim for a pod, not stored anywhere yet.
std::shared_ptr<model::ResourceClaim> extended_claim(const model::Pod& pod,
                                                     const model::ClaimSpec& spec);

// The needs of pods, interned, and the claim specs that they come to.
class ExtendedTable {
 public:
  // `plans` must outlive it.
  explicit ExtendedTable(PlanTable& plans) : plans_(plans) {}

  // Invalid: the pod asks for nothing of the kind.
  ExtendedId find(const std::shared_ptr<const model::PodSpec>& spec);
  const ExtendedNeeds& needs(ExtendedId id) const {
    TUTTI_CHECK(id.index < entries_.size(), "needs of another table");
    return entries_[id.index].needs;
  }
  // The plan of the claim where `advertised` says what is counted another way; invalid when that is
  // all.
  PlanId plan(ExtendedId id, const std::function<bool(const std::string& resource)>& advertised);
  // Names may stand for other classes now.
  void classes_changed() { known_.clear(); }

 private:
  struct Entry {
    ExtendedNeeds needs;
    std::map<std::vector<bool>, PlanId> plans;  // by what comes through the claim
  };

  ExtendedId intern(ExtendedNeeds needs);

  PlanTable& plans_;
  std::vector<Entry> entries_;
  std::unordered_multimap<std::uint64_t, ExtendedId> ids_;
  model::SpecMemo<ExtendedId> known_;
};

}  // namespace tutti::devices
