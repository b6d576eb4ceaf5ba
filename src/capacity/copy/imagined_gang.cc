#include "capacity/copy/imagined_gang.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/cluster/confinement_scope.h"
#include "core/evaluation/counting.h"
#include "core/placement/group_solver.h"
#include "devices/device_state.h"

namespace tutti::capacity {
// No object of a cluster has a name with a question mark.
ImaginedGang::ImaginedGang(ClusterCopy& twin, const Shape& shape, std::size_t number)
    : twin_(twin),
      shape_(shape),
      profile_(twin.profile(shape.spec->scheduler_name)),
      group_name_(fmt::format("capacity?{}", number)) {
  auto spec = std::make_shared<model::PodSpec>(*shape.spec);
  spec->scheduling_group = group_name_;
  spec_ = std::move(spec);
  set_minimum(1);
  const model::OwnerReference owner{.api_version = std::string(model::kSchedulingV1Beta1),
                                    .kind = "PodGroup",
                                    .name = group_name_,
                                    .uid = group_name_,
                                    .controller = true};
  for (const ShapeClaim& claim : shape_.claims) {
    if (claim.of_group) make_claim(claim, group_name_ + "-" + claim.entry, owner);
  }
  grow(1);
}

ImaginedGang::~ImaginedGang() {
  for (const core::PodId pod : pods_) {
    twin_.groups().remove_pod(group_, pod);
    twin_.cluster().remove_pod(pod);
  }
  for (const std::string& claim : claims_) {
    twin_.cluster().remove_object({model::Kind::resource_claim, shape_.ns, claim, {}});
  }
  twin_.groups().remove_object(group_);
  twin_.cluster().devices().groups().remove(shape_.ns, group_name_);
}

bool ImaginedGang::counts() const {
  return core::only_counts(twin_.cluster(), profile_, pod_shape());
}

void ImaginedGang::set_minimum(std::size_t size) {
  auto group = std::make_shared<model::PodGroup>();
  group->api_version = model::kSchedulingV1Beta1;
  group->meta.ns = shape_.ns;
  group->meta.name = group_name_;
  group->meta.uid = group_name_;
  group->spec.policy = {true, static_cast<std::int32_t>(size)};
  for (const ShapeClaim& claim : shape_.claims) {
    if (!claim.of_group) continue;
    const auto entry =
        std::ranges::find(spec_->resource_claims, claim.entry, &model::ClaimReference::name);
    if (entry != spec_->resource_claims.end()) group->spec.resource_claims.push_back(*entry);
  }
  twin_.cluster().devices().groups().set(*group);
  group_ = twin_.groups().set(std::move(group));
}

void ImaginedGang::grow(std::size_t size) {
  while (pods_.size() < size) pods_.push_back(make_pod(pods_.size()));
}

core::PodId ImaginedGang::make_pod(std::size_t number) {
  auto pod = std::make_shared<model::Pod>();
  pod->meta.ns = shape_.ns;
  pod->meta.name = fmt::format("{}-{:06}", group_name_, number);
  pod->meta.uid = pod->meta.name;
  pod->meta.labels = shape_.labels;
  pod->spec = spec_;
  const model::OwnerReference owner{.api_version = "v1",
                                    .kind = "Pod",
                                    .name = pod->meta.name,
                                    .uid = pod->meta.uid,
                                    .controller = true};
  for (const ShapeClaim& claim : shape_.claims) {
    const std::string& above = claim.of_group ? group_name_ : pod->meta.name;
    std::string name = above + "-" + claim.entry;
    if (!claim.of_group) make_claim(claim, name, owner);
    pod->status.claim_statuses.push_back({claim.entry, std::move(name)});
  }
  const core::PodId id = twin_.cluster().set_pod(std::move(pod));
  twin_.groups().add_pod(group_, id, core::GroupTable::Membership::pending);
  return id;
}

void ImaginedGang::make_claim(const ShapeClaim& claim, const std::string& name,
                              const model::OwnerReference& owner) {
  auto made = std::make_shared<model::ResourceClaim>();
  made->api_version = model::kResourceV1;
  made->meta.ns = shape_.ns;
  made->meta.name = name;
  made->meta.uid = name;
  made->meta.owners.push_back(owner);
  made->spec = claim.spec;
  twin_.cluster().set_object(std::move(made));
  claims_.push_back(name);
}

ImaginedGang::Trial ImaginedGang::try_gang(std::size_t size, const Bitset* within,
                                           devices::ConfinementId confinement) {
  core::Transaction transaction(twin_.cluster());
  return try_gang(transaction, size, within, confinement);
}

ImaginedGang::Trial ImaginedGang::try_gang(core::Transaction& transaction, std::size_t size,
                                           const Bitset* within,
                                           devices::ConfinementId confinement) {
  grow(size);
  set_minimum(size);
  const core::Subtree tree{
      group_, {pods_.begin(), pods_.begin() + static_cast<std::ptrdiff_t>(size)}, {}};
  const core::ConfinementScope scope(twin_.cluster(), tree.members, confinement);
  core::GroupSolver solver(twin_.cluster(), twin_.groups(), twin_.evaluations(), profile_,
                           kTrialBudget);
  const core::Solution solution = solver.solve(transaction, tree, within);
  Trial trial{.placed = solution.success()};
  for (const core::LeafResult& leaf : solution.leaves) {
    trial.fitted += leaf.attempt.placed;
    trial.proven = trial.proven && leaf.attempt.search != core::Search::exhausted;
  }
  return trial;
}

}  // namespace tutti::capacity
