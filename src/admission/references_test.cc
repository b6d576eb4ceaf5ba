#include "admission/references.h"

#include <gtest/gtest.h>

#include <map>

#include "model/cluster.h"
#include "model/device.h"
#include "support/build.h"
#include "support/problems.h"

namespace tutti::admission {
namespace {

using model::CompositePodGroup;
using model::PodGroup;
using model::Workload;
using test::Lines;
using test::lines;

class MapWorld : public World {
 public:
  template <typename T>
  MapWorld& add(T object) {
    const model::ObjectKey key = model::key_of(object);
    objects_[key] = std::make_shared<T>(std::move(object));
    return *this;
  }
  const model::Object* find(const model::ObjectKey& key) const override {
    const auto at = objects_.find(key);
    return at != objects_.end() ? at->second.get() : nullptr;
  }

 private:
  std::map<model::ObjectKey, model::ObjectPtr> objects_;
};

CompositePodGroup composite_group(std::string name, std::string parent, std::string ns = "t") {
  CompositePodGroup made;
  made.meta.name = std::move(name);
  made.meta.ns = std::move(ns);
  made.parent = std::move(parent);
  return made;
}

PodGroup child_group(std::string parent) {
  return *test::pod_group("g").parent(std::move(parent)).build();
}

TEST(References, doNotWantTheNodeOfABoundPod) {
  MapWorld world;
  EXPECT_EQ(lines(check_references(*test::pod("a").on("n2").build(), world)), Lines{})
      << "real clusters have pods of nodes that are gone";
}

model::ResourceClaim claim_with_admin_access() {
  model::ResourceClaim claim;
  claim.meta.name = "c";
  claim.meta.ns = "t";
  model::DeviceWish wish;
  wish.admin_access = true;
  claim.spec.requests = {{"gpu", false, {{}}}, {"all", false, {wish}}};
  return claim;
}

model::Namespace namespace_with(std::string_view value) {
  model::Namespace ns;
  ns.meta.name = "t";
  ns.meta.labels = {{std::string(kAdminAccess), std::string(value)}};
  return ns;
}

TEST(Creation, ofAClaimWithAdminAccessNeedsALabelOfItsNamespace) {
  const model::ResourceClaim claim = claim_with_admin_access();
  const std::string problem =
      "spec.devices.requests[1].exactly.adminAccess: needs the label "
      "resource.kubernetes.io/admin-access: \"true\" on Namespace 't'";
  EXPECT_EQ(lines(check_creation(claim, MapWorld().add(namespace_with("true")))), Lines{});
  EXPECT_EQ(lines(check_creation(claim, MapWorld().add(namespace_with("no")))), Lines{problem});
  EXPECT_EQ(lines(check_creation(claim, MapWorld())), Lines{}) << "nobody says what labels it has";
}

TEST(Creation, ofATemplateWithAdminAccessNeedsTheSame) {
  model::ResourceClaimTemplate made;
  made.meta.ns = "t";
  made.spec = claim_with_admin_access().spec;
  EXPECT_EQ(lines(check_creation(made, MapWorld().add(namespace_with("true")))), Lines{});
  EXPECT_EQ(lines(check_creation(made, MapWorld().add(namespace_with("false")))),
            Lines{"spec.spec.devices.requests[1].exactly.adminAccess: needs the label "
                  "resource.kubernetes.io/admin-access: \"true\" on Namespace 't'"});
}

TEST(Creation, wasSomebodyElsesMatterWhereTheObjectCameToBeElsewhere) {
  model::ResourceClaim claim = claim_with_admin_access();
  claim.meta.created = Instant{};
  EXPECT_EQ(lines(check_creation(claim, MapWorld().add(namespace_with("no")))), Lines{});
}

TEST(References, letAPodWaitForItsGroup) {
  EXPECT_EQ(lines(check_references(*test::pod("a").group("later").build(), MapWorld())), Lines{});
}

TEST(References, wantTheTemplateOfAV1alpha2Group) {
  Workload workload;
  workload.meta.name = "w";
  workload.meta.ns = "t";
  workload.pod_groups.resize(1);
  workload.pod_groups[0].name = "workers";
  const auto group = [](std::string_view version, std::string name) {
    PodGroup made = *test::pod_group("g").api(version).build();
    made.workload = model::WorkloadReference{"w", std::move(name)};
    return made;
  };
  const auto alpha2 = model::kSchedulingV1Alpha2;

  MapWorld world;
  EXPECT_EQ(lines(check_references(group(alpha2, "workers"), world)),
            Lines{"spec.podGroupTemplateRef.workload.workloadName: no Workload named 'w' in "
                  "namespace 't'"});
  world.add(workload);
  EXPECT_EQ(lines(check_references(group(alpha2, "workers"), world)), Lines{});
  EXPECT_EQ(lines(check_references(group(alpha2, "driver"), world)),
            Lines{"spec.podGroupTemplateRef.workload.podGroupTemplateName: Workload 'w' has no "
                  "template named 'driver'"});
  workload.meta.deletion = Instant();
  world.add(workload);
  EXPECT_EQ(lines(check_references(group(alpha2, "workers"), world)),
            Lines{"spec.podGroupTemplateRef.workload.workloadName: Workload 'w' is being deleted"});
  EXPECT_EQ(lines(check_references(group(model::kSchedulingV1Beta1, "driver"), MapWorld())),
            Lines{})
      << "later versions accept any name";
  PodGroup stored = group(alpha2, "workers");
  stored.meta.created = Instant();
  EXPECT_EQ(lines(check_references(stored, MapWorld())), Lines{}) << "it may be gone by now";
}

TEST(References, showACycleOfParents) {
  const std::string at = "spec.parentCompositePodGroupName: must not lead back to itself: ";
  MapWorld world;
  world.add(composite_group("a", "b"))
      .add(composite_group("b", "a"))
      .add(composite_group("s", "s"));
  EXPECT_EQ(lines(check_references(composite_group("a", "b"), world)), Lines{at + "a → b → a"});
  EXPECT_EQ(lines(check_references(composite_group("b", "a"), world)), Lines{at + "b → a → b"});
  EXPECT_EQ(lines(check_references(composite_group("s", "s"), world)), Lines{at + "s → s"});
  EXPECT_EQ(lines(check_references(child_group("a"), world)), Lines{at + "a → b → a"});
  EXPECT_EQ(lines(check_references(composite_group("c", "a"), world)), Lines{at + "a → b → a"})
      << "below a cycle, not part of it";
}

TEST(References, seeTheCycleThatANewObjectWouldClose) {
  MapWorld world;
  world.add(composite_group("b", "a"));
  EXPECT_EQ(lines(check_references(composite_group("a", "b"), world)),
            Lines{"spec.parentCompositePodGroupName: must not lead back to itself: a → b → a"});
}

TEST(References, letAGroupWaitForItsParent) {
  MapWorld world;
  world.add(composite_group("b", "later"));
  EXPECT_EQ(lines(check_references(child_group("later"), world)), Lines{});
  EXPECT_EQ(lines(check_references(child_group("b"), world)), Lines{});
  EXPECT_EQ(lines(check_references(composite_group("b", "later"), world)), Lines{});
}

TEST(References, allowFourLevelsOfGroups) {
  MapWorld world;
  world.add(composite_group("c1", ""))
      .add(composite_group("c2", "c1"))
      .add(composite_group("c3", "c2"));
  world.add(composite_group("c4", "c3"));
  EXPECT_EQ(lines(check_references(composite_group("c3", "c2"), world)), Lines{});
  EXPECT_EQ(lines(check_references(child_group("c3"), world)), Lines{});
  const Lines too_deep = {
      "spec.parentCompositePodGroupName: must give a tree of at most 4 levels, gives 5"};
  EXPECT_EQ(lines(check_references(composite_group("c4", "c3"), world)), too_deep);
  EXPECT_EQ(lines(check_references(child_group("c4"), world)), too_deep);
}

TEST(References, stayInTheNamespace) {
  MapWorld world;
  world.add(composite_group("a", "b", "other")).add(composite_group("b", "a", "other"));
  EXPECT_EQ(lines(check_references(child_group("a"), world)), Lines{});
}

}  // namespace
}  // namespace tutti::admission
