#include "devices/claims/claim_classes.h"

#include "base/check.h"

namespace tutti::devices {

std::uint32_t ClaimClasses::class_of(const PodClaims& claims) {
  std::vector<std::uint64_t> key;
  constexpr std::uint64_t kShared = std::uint64_t{1} << 32;
  for (const Wanted& wanted : claims.open) {
    TUTTI_CHECK(wanted.extended.valid() || wanted.plan.valid(), "something is asked for");
    key.push_back(wanted.extended.valid() ? 4 * kShared + wanted.extended.index
                  : wanted.claim.valid()  ? kShared + wanted.claim.index
                                          : wanted.plan.index);
  }
  for (const ClaimId id : claims.settled) key.push_back(2 * kShared + id.index);
  if (!claims.problem.empty()) key.push_back(3 * kShared + problems_.intern(claims.problem));
  if (claims.confinement.valid()) key.push_back(5 * kShared + claims.confinement.index);
  const auto [at, fresh] =
      classes_.try_emplace(std::move(key), static_cast<std::uint32_t>(classes_.size() + 1));
  return at->second;
}

}  // namespace tutti::devices
