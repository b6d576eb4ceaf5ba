#include "core/cluster/populations.h"

#include "base/check.h"

namespace tutti::core {
namespace {

std::string claim_key(std::string_view ns, std::string_view claim) {
  return std::string(ns).append("/").append(claim);
}

LabelClassId id_of(const LabelCount& entry) { return entry.labels; }
ShapeId id_of(const ShapeCount& entry) { return entry.shape; }

// Works on LabelCount and ShapeCount: an id, then its count.
template <typename Counts, typename IdType>
void adjust(Counts& counts, IdType id, std::int32_t sign) {
  for (auto& entry : counts) {
    if (id_of(entry) != id) continue;
    entry.count += static_cast<std::uint32_t>(sign);
    if (entry.count == 0) {
      entry = counts.back();
      counts.pop_back();
    }
    return;
  }
  TUTTI_CHECK(sign > 0, "counting off what was never counted on");
  counts.push_back({id, 1});
}

}  // namespace

std::uint32_t Populations::claim_users(std::string_view ns, std::string_view claim) const {
  const auto at = claim_users_.find(claim_key(ns, claim));
  return at == claim_users_.end() ? 0 : at->second;
}

void Populations::make_room(std::size_t node_slots) {
  labels_.resize(node_slots);
  special_.resize(node_slots);
}

void Populations::tally(ShapeId id, const PodShape& shape, LabelClassId labels, NodeId node,
                        std::int32_t sign) {
  adjust(labels_[node.index], labels, sign);
  if (!shape.special()) return;
  adjust(special_[node.index], id, sign);
  adjust(special_total_, id, sign);
  tally_claims(shape, sign);
}

void Populations::tally_claims(const PodShape& shape, std::int32_t sign) {
  for (const auto& volume : shape.spec->volumes) {
    if (volume.source != model::Volume::Source::claim) continue;
    auto key = claim_key(shape.ns, volume.id);
    std::uint32_t& users = claim_users_[key];
    TUTTI_CHECK(sign > 0 || users > 0, "a claim loses a user that it never had");
    users += static_cast<std::uint32_t>(sign);
    if (users == 0) claim_users_.erase(key);
  }
}

}  // namespace tutti::core
