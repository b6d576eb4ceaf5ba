#include "devices/plan/extended.h"

#include <gtest/gtest.h>

#include "support/device_build.h"

namespace tutti::devices {
namespace {

constexpr const char* kGpu = "example.com/gpu";

model::Container container(std::string name, std::vector<std::pair<std::string, int>> requests,
                           bool sidecar = false) {
  model::Container made;
  made.name = std::move(name);
  for (const auto& [resource, amount] : requests) {
    made.requests.emplace_back(resource, Quantity::from_units(amount));
  }
  std::ranges::sort(made.requests, {}, [](const auto& each) { return each.first; });
  made.restart_always = sidecar;
  return made;
}

std::shared_ptr<model::DeviceClass> named_class(std::string name, std::string resource,
                                                int created = 0) {
  auto made = test::device_class(std::move(name));
  made->extended_resource_name = std::move(resource);
  made->meta.created = Instant{} + std::chrono::seconds(created);
  return made;
}

// "container-0-request-1=2" for every request, "main->container-0-request-1" for every use.
std::vector<std::string> said(const ExtendedNeed& need) {
  std::vector<std::string> all;
  for (const auto& request : need.requests) {
    all.push_back(request.name + "=" + std::to_string(request.wishes.front().count));
  }
  for (const auto& use : need.uses) all.push_back(use.container + "->" + use.request);
  return all;
}

class ExtendedNeedsTest : public ::testing::Test {
 protected:
  ExtendedNeedsTest() { plans_.set_class(named_class("gpu", kGpu)); }

  SelectorTable selectors_;
  PlanTable plans_{selectors_};
};

TEST_F(ExtendedNeedsTest, areOneRequestPerContainerNumberedAmongAllItAsksFor) {
  model::PodSpec spec;
  spec.containers = {container("a", {{"cpu", 1}, {kGpu, 2}}), container("b", {{kGpu, 1}}),
                     container("c", {{"cpu", 1}})};
  const auto needs = extended_needs(spec, plans_);
  ASSERT_EQ(needs.size(), 1U);
  EXPECT_EQ(needs[0].device_class, "gpu");
  EXPECT_EQ(said(needs[0]),
            (std::vector<std::string>{"container-0-request-1=2", "container-1-request-0=1",
                                      "a->container-0-request-1", "b->container-1-request-0"}));
}

TEST_F(ExtendedNeedsTest, ofInitContainersAreMetByThoseThatStartLater) {
  struct Case {
    std::string what;
    std::vector<model::Container> init;
    std::vector<model::Container> main;
    std::vector<std::string> said;
  };
  const Case cases[] = {
      {"one that needs no more than the others uses theirs",
       {container("init", {{kGpu, 2}})},
       {container("main", {{kGpu, 2}})},
       {"container-1-request-0=2", "main->container-1-request-0", "init->container-1-request-0"}},
      {"what is missing is asked for beside",
       {container("init", {{kGpu, 3}})},
       {container("main", {{kGpu, 2}})},
       {"container-0-request-0=1", "container-1-request-0=2", "main->container-1-request-0",
        "init->container-1-request-0", "init->container-0-request-0"}},
      {"only the largest of them asks",
       {container("small", {{kGpu, 1}}), container("large", {{kGpu, 3}})},
       {container("main", {{"cpu", 1}})},
       {"container-1-request-0=3", "small->container-1-request-0", "large->container-1-request-0"}},
      {"a sidecar that has started keeps its own",
       {container("side", {{kGpu, 1}}, true), container("init", {{kGpu, 1}})},
       {container("main", {{"cpu", 1}})},
       {"container-1-request-0=1", "container-0-request-0=1", "side->container-0-request-0",
        "init->container-1-request-0"}},
      {"a sidecar that starts later lends",
       {container("init", {{kGpu, 1}}), container("side", {{kGpu, 1}}, true)},
       {container("main", {{"cpu", 1}})},
       {"container-1-request-0=1", "side->container-1-request-0", "init->container-1-request-0"}},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.what);
    model::PodSpec spec;
    spec.init_containers = each.init;
    spec.containers = each.main;
    const auto needs = extended_needs(spec, plans_);
    ASSERT_EQ(needs.size(), 1U);
    EXPECT_EQ(said(needs[0]), each.said);
  }
}

TEST_F(ExtendedNeedsTest, areOnlyThoseThatAClassStandsFor) {
  model::PodSpec spec;
  spec.containers = {container("a", {{"other.com/fpga", 1}, {kGpu, 0}})};
  EXPECT_TRUE(extended_needs(spec, plans_).empty());
  spec.containers = {container("a", {{"deviceclass.resource.kubernetes.io/gpu", 1}})};
  EXPECT_EQ(extended_needs(spec, plans_).size(), 1U);
  plans_.remove_class("gpu");
  EXPECT_TRUE(extended_needs(spec, plans_).empty());
}

TEST_F(ExtendedNeedsTest, goToTheNewestClassOfANameAndThenToTheFirst) {
  EXPECT_EQ(plans_.class_for(kGpu)->meta.name, "gpu");
  plans_.set_class(named_class("zeta", kGpu, 5));
  EXPECT_EQ(plans_.class_for(kGpu)->meta.name, "zeta");
  plans_.set_class(named_class("eta", kGpu, 5));
  EXPECT_EQ(plans_.class_for(kGpu)->meta.name, "eta");
  plans_.set_class(named_class("old", kGpu, 1));
  EXPECT_EQ(plans_.class_for(kGpu)->meta.name, "eta");
  plans_.remove_class("eta");
  EXPECT_EQ(plans_.class_for(kGpu)->meta.name, "zeta");
}

TEST_F(ExtendedNeedsTest, becomeAPlanOfWhatTheNodeDoesNotAdvertise) {
  plans_.set_class(named_class("net", "example.com/nic"));
  auto spec = std::make_shared<model::PodSpec>();
  spec->containers = {container("a", {{kGpu, 2}, {"example.com/nic", 1}})};
  ExtendedTable table(plans_);
  const ExtendedId id = table.find(spec);
  ASSERT_TRUE(id.valid());
  const auto classes = [&](const std::vector<std::string>& advertised) {
    const PlanId plan = table.plan(id, [&](const std::string& resource) {
      return std::ranges::find(advertised, resource) != advertised.end();
    });
    std::vector<std::string> names;
    if (!plan.valid()) return names;
    for (const auto& request : plans_.plan(plan).requests) {
      names.push_back(request.wishes.front().device_class);
    }
    return names;
  };
  EXPECT_EQ(classes({}), (std::vector<std::string>{"gpu", "net"}));
  EXPECT_EQ(classes({kGpu}), (std::vector<std::string>{"net"}));
  EXPECT_EQ(classes({kGpu, "example.com/nic"}), (std::vector<std::string>{}));
}

// --- in the picture ------------------------------------------------------------------------------

class ExtendedClaimTest : public ::testing::Test {
 protected:
  ExtendedClaimTest() {
    nodes_.look_at(device_state_.inventory());
    device_state_.set(test::slice("s0", "p0", "n0", {test::device("g0"), test::device("g1")}));
    device_state_.set(test::slice("s1", "p1", "n1", {test::device("g0")}));
    device_state_.set(named_class("gpu", kGpu));
    spec_ = std::make_shared<model::PodSpec>();
    spec_->containers = {container("main", {{kGpu, 2}})};
  }

  model::Pod pod(const std::string& name) const {
    model::Pod made;
    made.meta.ns = "t";
    made.meta.name = name;
    made.meta.uid = "uid-" + name;
    made.spec = spec_;
    return made;
  }
  // As it comes back from an API server.
  std::shared_ptr<model::ResourceClaim> made_for(const model::Pod& owner) {
    const auto id = device_state_.questions().extended_claim_of(owner);
    auto claim =
        extended_claim(owner, device_state_.plans().plan(device_state_.claim(id).plan).spec);
    claim->meta.uid = "claim-uid";
    claim->meta.resource_version = 7;
    return claim;
  }

  test::NumberedNodes nodes_;
  DeviceState device_state_{nodes_};
  std::shared_ptr<model::PodSpec> spec_;
};

TEST_F(ExtendedClaimTest, isGrantedWhereThereAreDevicesAndGivenBackExactly) {
  const model::Pod first = pod("a");
  const model::Pod second = pod("b");
  const auto wanted = device_state_.claims_of(first).open;
  ASSERT_EQ(wanted.size(), 1U);
  EXPECT_EQ(device_state_.search().fits(0, wanted, nullptr), Solution::Outcome::found);
  EXPECT_EQ(device_state_.search().fits(1, wanted, nullptr), Solution::Outcome::impossible);
  EXPECT_TRUE(device_state_.decisions().reserve(1, 0, first).found());
  EXPECT_EQ(device_state_.search().fits(0, wanted, nullptr), Solution::Outcome::impossible);
  EXPECT_FALSE(device_state_.decisions().reserve(2, 0, second).found());
  EXPECT_FALSE(device_state_.questions().extended_claim_of(second).valid());
  EXPECT_EQ(device_state_.check(), "");
  device_state_.decisions().unreserve(1, first);
  EXPECT_FALSE(device_state_.questions().extended_claim_of(first).valid());
  EXPECT_TRUE(device_state_.take_releases().empty());
  EXPECT_EQ(device_state_.search().fits(0, wanted, nullptr), Solution::Outcome::found);
  EXPECT_EQ(device_state_.check(), "");
}

TEST_F(ExtendedClaimTest, isNotNeededWhereTheNodeAdvertisesTheResource) {
  nodes_.advertise(1, kGpu);
  const model::Pod asker = pod("a");
  EXPECT_EQ(device_state_.search().fits(1, device_state_.claims_of(asker).open, nullptr),
            Solution::Outcome::found);
  EXPECT_TRUE(device_state_.decisions().reserve(1, 1, asker).found());
  EXPECT_FALSE(device_state_.questions().extended_claim_of(asker).valid());
}

TEST_F(ExtendedClaimTest, keepsItsDevicesWhenItComesIntoBeing) {
  const model::Pod asker = pod("a");
  ASSERT_TRUE(device_state_.decisions().reserve(1, 0, asker).found());
  const auto granted = device_state_.questions().extended_claim_of(asker);
  const std::uint32_t before = device_state_.class_of(asker);
  device_state_.set(made_for(asker));
  EXPECT_EQ(device_state_.questions().extended_claim_of(asker), granted);
  EXPECT_TRUE(device_state_.claim(granted).granted);
  EXPECT_EQ(device_state_.find_claim("t", made_for(asker)->meta.name), granted);
  EXPECT_EQ(device_state_.class_of(asker), before);
  EXPECT_EQ(device_state_.questions().uses_of(granted),
            (std::vector<model::ExtendedRequest>{{"main", kGpu, "container-0-request-0"}}));
  EXPECT_EQ(device_state_.check(), "");
}

TEST_F(ExtendedClaimTest, isToBeRemovedWithTheDecisionItWasMadeFor) {
  const model::Pod asker = pod("a");
  ASSERT_TRUE(device_state_.decisions().reserve(1, 0, asker).found());
  device_state_.set(made_for(asker));
  device_state_.decisions().unreserve(1, asker);
  const auto releases = device_state_.take_releases();
  ASSERT_EQ(releases.size(), 1U);
  EXPECT_TRUE(releases[0].remove);
  EXPECT_EQ(releases[0].consumer_uid, "uid-a");
  const auto claims = device_state_.claims_of(asker);
  EXPECT_NE(claims.problem.find("is left from an earlier attempt"), std::string::npos);
  device_state_.remove(*device_state_.claim(releases[0].claim).object);
  EXPECT_TRUE(device_state_.claims_of(asker).problem.empty());
  EXPECT_EQ(device_state_.check(), "");
}

TEST_F(ExtendedClaimTest, ofAPodImaginedGoneGivesItsDevicesBack) {
  model::Pod holder = pod("a");
  ASSERT_TRUE(device_state_.decisions().reserve(1, 0, holder).found());
  auto made = made_for(holder);
  device_state_.set(made);
  auto allocated = std::make_shared<model::ResourceClaim>(*made);
  allocated->allocation = device_state_.decisions().allocation(
      device_state_.questions().extended_claim_of(holder), "n0");
  allocated->reserved_for = {{{}, "pods", "a", "uid-a"}};
  device_state_.set(allocated);
  device_state_.decisions().settle(1);
  const auto wanted = device_state_.claims_of(pod("b")).open;
  EXPECT_EQ(device_state_.search().fits(0, wanted, nullptr), Solution::Outcome::impossible);
  device_state_.imagined_absence().begin(holder);
  EXPECT_EQ(device_state_.search().fits(0, wanted, nullptr), Solution::Outcome::found);
  device_state_.imagined_absence().end(holder);
  EXPECT_EQ(device_state_.search().fits(0, wanted, nullptr), Solution::Outcome::impossible);
  EXPECT_EQ(device_state_.check(), "");
}

TEST(ExtendedClaim, isNamedAfterItsPodAndTheSameEveryTime) {
  model::Pod owner;
  owner.meta.ns = "t";
  owner.meta.name = std::string(80, 'x');
  owner.meta.uid = "u";
  const auto claim = extended_claim(owner, {});
  EXPECT_EQ(claim->meta.name.size(), 63U);
  EXPECT_EQ(claim->meta.name, extended_claim(owner, {})->meta.name);
  ASSERT_NE(model::extended_owner(*claim), nullptr);
  EXPECT_EQ(model::extended_owner(*claim)->uid, "u");
}

}  // namespace
}  // namespace tutti::devices
