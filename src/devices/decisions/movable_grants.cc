#include "devices/decisions/movable_grants.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/digest.h"

namespace tutti::devices {
namespace {

// Says what the choice of devices for it depends on.
std::uint64_t digest_of(const Holder& holder) {
  Digest digest;
  digest.add(std::uint64_t{holder.node});
  digest.add(std::uint64_t{holder.confinement.index});
  return digest.value();
}

}  // namespace

std::span<const ClaimId> MovableGrants::at(NodeIndex node) const {
  const auto here = movable_at_.find(node);
  if (here == movable_at_.end()) return {};
  return here->second;
}

void MovableGrants::add(ClaimId id) {
  TUTTI_CHECK(!claims_[id].granted, "its devices are decided already");
  movable_.push_back(id);
  for (const Holder& holder : claims_[id].holders) join(holder.node, id);
}

void MovableGrants::remove(ClaimId id) {
  if (std::erase(movable_, id) == 0) return;
  for (const Holder& holder : claims_[id].holders) leave(holder.node, id);
}

void MovableGrants::add_holder(ClaimId id, Holder holder) {
  Claim& claim = claims_[id];
  claim.holders_state += digest_of(holder);
  if (claim.movable()) join(holder.node, id);
  claim.holders.push_back(std::move(holder));
}

bool MovableGrants::remove_holder(ClaimId id, PodIndex pod) {
  Claim& claim = claims_[id];
  const auto at = std::ranges::find(claim.holders, pod, &Holder::pod);
  if (at == claim.holders.end()) return false;
  const Holder gone = std::move(*at);
  claim.holders.erase(at);
  claim.holders_state -= digest_of(gone);
  if (std::ranges::find(claim.holders, gone.node, &Holder::node) == claim.holders.end()) {
    leave(gone.node, id);
  }
  return true;
}

void MovableGrants::join(NodeIndex node, ClaimId id) {
  auto& here = movable_at_[node];
  if (std::ranges::find(here, id) == here.end()) here.push_back(id);
}

void MovableGrants::leave(NodeIndex node, ClaimId id) {
  const auto here = movable_at_.find(node);
  if (here == movable_at_.end()) return;
  std::erase(here->second, id);
  if (here->second.empty()) movable_at_.erase(here);
}

}  // namespace tutti::devices
