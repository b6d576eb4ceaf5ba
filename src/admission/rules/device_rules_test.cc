#include <gtest/gtest.h>

#include <functional>

#include "admission/defaults.h"
#include "admission/validate.h"
#include "admission/validate_update.h"
#include "model/device.h"
#include "support/build.h"
#include "support/problems.h"

namespace tutti::admission {
namespace {

using model::DeviceReach;
using model::ResourceClaim;
using model::ResourceSlice;
using test::Lines;
using test::lines;

ResourceClaim good_claim() {
  ResourceClaim claim;
  claim.api_version = model::kResourceV1;
  claim.meta.name = "c";
  claim.meta.ns = "t";
  model::DeviceWish wish;
  wish.device_class = "gpu.example.com";
  wish.mode = "ExactCount";
  wish.count = 1;
  claim.spec.requests.push_back({"gpu", false, {wish}});
  return claim;
}

TEST(ClaimRules, nameTheFieldThatIsWrong) {
  struct Case {
    const char* sentence;
    std::function<void(ResourceClaim&)> edit;
    Lines problems;
  };
  const std::vector<Case> cases = {
      {"one device", [](auto&) {}, {}},
      {"no class",
       [](auto& claim) { claim.spec.requests[0].wishes[0].device_class.clear(); },
       {"spec.devices.requests[0].exactly.deviceClassName: is required"}},
      {"no type",
       [](auto& claim) { claim.spec.requests[0].wishes.clear(); },
       {"spec.devices.requests[0]: must have exactly one of exactly and firstAvailable, has "
        "none"}},
      {"an unknown mode",
       [](auto& claim) { claim.spec.requests[0].wishes[0].mode = "Some"; },
       {"spec.devices.requests[0].exactly.allocationMode: must be one of ExactCount, All, is "
        "'Some'"}},
      {"too many devices",
       [](auto& claim) { claim.spec.requests[0].wishes[0].count = 33; },
       {"spec.devices.requests[0].exactly.count: must be between 1 and 32, is 33"}},
      {"a count beside All",
       [](auto& claim) { claim.spec.requests[0].wishes[0].mode = "All"; },
       {"spec.devices.requests[0].exactly.count: must be absent with All, is 1"}},
      {"a constraint on nothing",
       [](auto& claim) {
         claim.spec.constraints.push_back(
             {model::DeviceConstraint::Kind::match, "example.com/numa", {"cpu"}});
       },
       {"spec.devices.constraints[0].requests[0]: must name a request of the claim, is 'cpu'"}},
      {"a constraint without a domain",
       [](auto& claim) {
         claim.spec.constraints.push_back({model::DeviceConstraint::Kind::match, "numa", {}});
       },
       {"spec.devices.constraints[0].matchAttribute: must be a full name with a domain, is "
        "'numa'"}},
      {"users without devices",
       [](auto& claim) {
         claim.reserved_for.push_back({"", "pods", "p", "u"});
       },
       {"status.reservedFor: must be empty while there is no allocation"}},
  };
  for (const auto& [sentence, edit, problems] : cases) {
    SCOPED_TRACE(sentence);
    ResourceClaim claim = good_claim();
    edit(claim);
    EXPECT_EQ(lines(validate(claim)), problems);
  }
}

TEST(ClaimRules, fillInModeAndCount) {
  ResourceClaim claim = good_claim();
  claim.spec.requests[0].wishes[0].mode.clear();
  claim.spec.requests[0].wishes[0].count = 0;
  SpecRewrites rewrites;
  apply_defaults(claim, rewrites);
  EXPECT_EQ(claim.spec.requests[0].wishes[0].mode, "ExactCount");
  EXPECT_EQ(claim.spec.requests[0].wishes[0].count, 1);
}

TEST(ClaimRules, theSpecDoesNotChange) {
  const ResourceClaim before = good_claim();
  ResourceClaim after = before;
  after.spec.requests[0].wishes[0].count = 2;
  EXPECT_EQ(lines(validate_update(before, after)), Lines{"spec: is immutable"});
}

ResourceSlice good_slice() {
  ResourceSlice slice;
  slice.api_version = model::kResourceV1;
  slice.meta.name = "s";
  slice.driver = "gpu.example.com";
  slice.pool = "p";
  slice.reach.kind = DeviceReach::Kind::node;
  slice.reach.node = "n1";
  slice.devices.resize(1);
  slice.devices[0].name = "g0";
  return slice;
}

TEST(SliceRules, nameTheFieldThatIsWrong) {
  struct Case {
    const char* sentence;
    std::function<void(ResourceSlice&)> edit;
    Lines problems;
  };
  const std::vector<Case> cases = {
      {"a device", [](auto&) {}, {}},
      {"usable from nowhere",
       [](auto& slice) { slice.reach = {}; },
       {"spec: must have exactly one of nodeName, nodeSelector, allNodes, perDeviceNodeSelection"}},
      {"a device of no node of its own",
       [](auto& slice) {
         slice.reach = {DeviceReach::Kind::per_device, {}, {}};
       },
       {"spec.devices[0]: must have exactly one of nodeName, nodeSelector, allNodes"}},
      {"devices beside counters",
       [](auto& slice) {
         slice.shared_counters.push_back({"set", {{"x", Quantity::from_units(1)}}});
       },
       {"spec.sharedCounters: must be in a slice of its own, beside 1 devices"}},
      {"129 devices",
       [](auto& slice) {
         slice.devices.resize(129);
         for (std::size_t i = 0; i < 129; ++i) slice.devices[i].name = "g" + std::to_string(i);
       },
       {"spec.devices: must have at most 128 entries, has 129"}},
      {"a policy for a device that is not shared",
       [](auto& slice) {
         slice.devices[0].capacity.push_back(
             {"memory", Quantity::from_units(1), model::CapacityPolicy{}});
       },
       {"spec.devices[0].capacity[memory].requestPolicy: needs allowMultipleAllocations: true"}},
      {"an attribute without a value",
       [](auto& slice) {
         slice.devices[0].attributes.push_back({"a", {}});
       },
       {"spec.devices[0].attributes[a]: must have exactly one value: int, bool, string, version or "
        "a "
        "list of one"}},
      {"a version that is none",
       [](auto& slice) {
         slice.devices[0].attributes = {{"a", model::VersionText{"1.2.3-rc.1+x"}},
                                        {"b", model::VersionText{"12"}},
                                        {"c", model::VersionText{"1.02.3"}}};
       },
       {"spec.devices[0].attributes[b].version: must be a semantic version such as 1.2.3, is '12'",
        "spec.devices[0].attributes[c].version: must be a semantic version such as 1.2.3, is "
        "'1.02.3'"}},
  };
  for (const auto& [sentence, edit, problems] : cases) {
    SCOPED_TRACE(sentence);
    ResourceSlice slice = good_slice();
    edit(slice);
    EXPECT_EQ(lines(validate(slice)), problems);
  }
}

}  // namespace
}  // namespace tutti::admission
