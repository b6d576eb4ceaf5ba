// ClaimTable: all claims, by id, by name, and by the pod whose extended resources they are for.
//
// A slot is of one claim from the first mention of its name until neither an object nor a holder
// remembers it, and of another afterwards.
#pragma once

#include <map>
#include <unordered_map>

#include "base/check.h"
#include "base/std.h"
#include "devices/claims/claim.h"

namespace tutti::devices {

class ClaimTable {
 public:
  static constexpr std::size_t kUsersMax = 256;  // of one claim

  Claim& operator[](ClaimId id) {
    TUTTI_CHECK(id.index < claims_.size(), "a claim that nobody named");
    return claims_[id.index];
  }
  const Claim& operator[](ClaimId id) const {
    TUTTI_CHECK(id.index < claims_.size(), "a claim that nobody named");
    return claims_[id.index];
  }
  // By id; vacant slots are among them.
  std::span<const Claim> slots() const { return claims_; }
  // Whether no claim was ever heard of.
  bool empty() const { return claims_.empty(); }

  // Invalid: none.
  ClaimId find(std::string_view ns, std::string_view name) const;
  // The claim for the extended resources of the pod.
  ClaimId find_extended(const std::string& pod_uid) const;

  // The claim of that name, from now on if there was none.
  ClaimId open(std::string_view ns, std::string_view name);
  void rename(ClaimId id, std::string_view ns, std::string_view name);
  void set_extended(const std::string& pod_uid, ClaimId id) { extended_[pod_uid] = id; }
  // Gives the slot up if nobody remembers the claim.
  void release(ClaimId id);
  // Counts who uses the claim or will, each once where that matters.
  void count_users(Claim& claim);

  // Rises whenever claims may come to something else for a pod.
  std::uint64_t version() const { return version_; }
  void note_change() { ++version_; }

 private:
  std::vector<Claim> claims_;
  std::map<std::pair<std::string, std::string>, ClaimId, std::less<>> ids_;
  std::unordered_map<std::string, ClaimId> extended_;  // by uid of the pod
  std::vector<ClaimId> vacant_;
  std::uint64_t version_ = 1;
};

}  // namespace tutti::devices
