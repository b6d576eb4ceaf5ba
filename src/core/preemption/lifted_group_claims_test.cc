#include "core/preemption/lifted_group_claims.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "devices/device_state.h"
#include "support/build.h"
#include "support/device_build.h"

namespace tutti::core {
namespace {

// Groups and lone pods on nodes, with claims that are reserved for some of them, beside an obvious
// model of who is away.
class RandomAbsence {
 public:
  explicit RandomAbsence(std::uint64_t seed) : random_(seed), absence_(cluster_, groups_) {
    for (std::size_t i = 0; i < kNodes; ++i) make_node(i);
    for (std::size_t i = 0; i < kGroups; ++i) make_group(i);
    for (std::size_t i = 0; i < kLone; ++i) make_pod("lone" + std::to_string(i), kNoGroup);
    for (std::size_t i = 0; i < kClaims; ++i) make_claim(i);
  }

  void step() {
    Away& pod = pods_[random_.below(pods_.size())];
    if (pod.away) {
      absence_.put_back(pod.id, pod.evicted);
      cluster_.put_back(pod.id, pod.home);
    } else {
      pod.home = cluster_.pod(pod.id).node;
      pod.evicted = random_.below(2) == 0;
      absence_.lift(pod.id, pod.evicted);
      cluster_.lift(pod.id);
    }
    pod.away = !pod.away;
  }

  void expect_consistent() {
    EXPECT_EQ(cluster_.devices().check(), "");
    for (const Reserved& claim : claims_) {
      const bool held =
          std::ranges::any_of(claim.pods, [&](std::size_t pod) { return !pods_[pod].away; }) ||
          std::ranges::any_of(claim.groups, [&](std::size_t group) { return !vacated(group); });
      const auto id = cluster_.devices().find_claim("t", claim.name);
      const auto device = cluster_.devices().claim(id).observed.front().device;
      EXPECT_EQ(cluster_.devices().ledger().held(device), held) << claim.name;
    }
  }

 private:
  static constexpr std::size_t kNodes = 3;
  static constexpr std::size_t kGroups = 3;
  static constexpr std::size_t kLone = 3;
  static constexpr std::size_t kClaims = 6;
  static constexpr std::size_t kNoGroup = kGroups;

  struct Away {
    PodId id;
    std::size_t group;
    NodeId home;
    bool away = false;
    bool evicted = false;
  };
  struct Reserved {
    std::string name;
    std::vector<std::size_t> pods;
    std::vector<std::size_t> groups;
  };

  void make_node(std::size_t index) {
    const std::string name = "n" + std::to_string(index);
    cluster_.set_node(test::node(name).cpu("64").build());
    std::vector<model::Device> devices;
    for (std::size_t i = 0; i < kClaims; ++i) {
      devices.push_back(test::device("d" + std::to_string(i)));
    }
    cluster_.set_object(
        std::shared_ptr<const model::ResourceSlice>(test::slice(name, name, name, devices)));
  }
  void make_group(std::size_t index) {
    const std::string name = "g" + std::to_string(index);
    auto group = std::make_shared<model::PodGroup>(*test::pod_group(name).build());
    // Whichever claims are reserved for it, they are found by the group's uid.
    group->spec.resource_claims.push_back({.name = "any", .claim_name = "c0", .template_name = {}});
    cluster_.devices().groups().set(*group);
    const GroupId id = groups_.set(std::shared_ptr<const model::PodGroup>(std::move(group)));
    const std::size_t members = 1 + random_.below(3);
    for (std::size_t i = 0; i < members; ++i) {
      make_pod(name + "-" + std::to_string(i), index);
      groups_.add_pod(id, pods_.back().id,
                      random_.below(4) == 0 ? GroupTable::Membership::leaving
                                            : GroupTable::Membership::assigned);
    }
  }
  void make_pod(const std::string& name, std::size_t group) {
    auto made = test::pod(name);
    made.cpu("1").on("n" + std::to_string(random_.below(kNodes)));
    made.with([](model::PodSpec& spec) {
      for (std::size_t i = 0; i < kClaims; ++i) {
        const std::string claim = "c" + std::to_string(i);
        spec.resource_claims.push_back({.name = claim, .claim_name = claim, .template_name = {}});
      }
    });
    if (group != kNoGroup) made.group("g" + std::to_string(group));
    pods_.push_back({cluster_.set_pod(made.build()), group, {}});
  }
  void make_claim(std::size_t index) {
    Reserved reserved{"c" + std::to_string(index), {}, {}};
    auto claim = std::make_shared<model::ResourceClaim>(*test::claim(reserved.name).build());
    model::DeviceResult result;
    result.request = "r";
    result.driver = test::kDriver;
    result.pool = "n" + std::to_string(random_.below(kNodes));
    result.device = "d" + std::to_string(index);
    claim->allocation.emplace().results.push_back(std::move(result));
    for (std::size_t group = 0; group < kGroups; ++group) {
      if (random_.below(2) == 0) continue;
      const std::string name = "g" + std::to_string(group);
      claim->reserved_for.push_back({"scheduling.k8s.io", "podgroups", name, "group-" + name});
      reserved.groups.push_back(group);
    }
    for (std::size_t pod = 0; pod < pods_.size(); ++pod) {
      if (pods_[pod].group != kNoGroup || random_.below(2) == 0) continue;
      const auto& meta = cluster_.pod(pods_[pod].id).object->meta;
      claim->reserved_for.push_back({{}, "pods", meta.name, meta.uid});
      reserved.pods.push_back(pod);
    }
    // Reserved for nobody, it is nobody's to give back.
    if (claim->reserved_for.empty()) return;
    cluster_.set_object(std::shared_ptr<const model::ResourceClaim>(std::move(claim)));
    claims_.push_back(std::move(reserved));
  }
  bool vacated(std::size_t group) const {
    bool evicted = false;
    for (const Away& pod : pods_) {
      if (pod.group != group) continue;
      if (!pod.away) return false;
      evicted = evicted || pod.evicted;
    }
    return evicted;
  }

  Random random_;
  Cluster cluster_;
  GroupTable groups_;
  LiftedGroupClaims absence_;
  std::vector<Away> pods_;
  std::vector<Reserved> claims_;
};

TEST(LiftedGroupClaims, freesTheDevicesOfAGroupExactlyWhileNobodyOfItIsLeft) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    RandomAbsence scene(seed);
    for (int i = 0; i < 100; ++i) {
      scene.step();
      scene.expect_consistent();
    }
  }
}

}  // namespace
}  // namespace tutti::core
