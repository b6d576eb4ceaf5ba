// ClaimGroups: claims of PodGroups: whose they are, what is reserved for a group, and how a group
// gives it back.
//
// Only groups with claims of their own are known here.
#pragma once

#include <map>
#include <set>
#include <unordered_map>

#include "base/std.h"
#include "devices/claims/device_tables.h"
#include "model/group.h"
#include "model/pod.h"

namespace tutti::devices {

class ClaimGroups {
 public:
  // The tables must outlive it.
  explicit ClaimGroups(DeviceTables& tables) : tables_(tables) {}

  void set(const model::PodGroup& group);
  void remove(std::string_view ns, std::string_view name);
  bool any() const { return !groups_.empty(); }
  bool has(std::string_view ns, std::string_view name) const { return find(ns, name) != nullptr; }

  // Says who uses the claim on behalf of this pod: its group, if the group has the same entry, or
  // itself.
  model::ConsumerReference consumer_of(const model::Pod& pod,
                                       const model::ClaimReference& entry) const;
  // Keeps the list of what is reserved for which group; `before` is what the claim was, if
  // anything.
  void list_claim(ClaimId id, const model::ResourceClaim* before);
  // What is reserved for the group, in order of ids.
  std::vector<ClaimId> reserved_for(std::string_view ns, std::string_view name) const;

  // --- groups that are on their way out ----------------------------------------------------------
  // Nobody is placed by what is reserved for the group until it is free, or until this ends.
  void withhold(std::string_view ns, std::string_view name, bool withheld);
  // Whether the claim is reserved for the pod's group, which gives it back.
  bool is_withheld(const model::Pod& pod, const model::ClaimReference& entry,
                   const Claim& claim) const;
  // Whether something is reserved for the group that nobody was placed by since.
  bool holds_claims(std::string_view ns, std::string_view name) const;
  // Asks for it; see DeviceState::take_releases().
  void release(std::string_view ns, std::string_view name);

 private:
  struct Entry {
    std::string uid;
    std::vector<model::ClaimReference> claims;
    bool withheld = false;
  };

  const Entry* find(std::string_view ns, std::string_view name) const;
  const Entry* group_of(const model::Pod& pod) const;
  std::vector<ClaimId> reserved_for(const Entry& group) const;

  DeviceTables& tables_;
  std::map<std::pair<std::string, std::string>, Entry, std::less<>> groups_;
  std::unordered_map<std::string, std::set<ClaimId>> reserved_;  // by uid of the consumer
};

}  // namespace tutti::devices
