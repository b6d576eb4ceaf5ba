#include <gtest/gtest.h>

#include "admission/validate.h"
#include "model/job.h"
#include "support/build.h"
#include "support/problems.h"

namespace tutti::admission {
namespace {

using model::ContainerClaim;
using model::PodSpec;
using test::Lines;
using test::lines;

// A pod with the claims gpu and nic whose only container uses these.
Lines problems_of(std::vector<ContainerClaim> uses) {
  const auto edit = [&](PodSpec& spec) {
    spec.resource_claims = {{"gpu", "a", ""}, {"nic", "", "b"}};
    spec.containers[0].claims = std::move(uses);
  };
  return lines(validate(*test::pod("a").with(edit).build()));
}

TEST(PodClaimRules, letContainersUseClaimsOfThePodOnly) {
  EXPECT_EQ(problems_of({{"gpu", ""}, {"nic", "port"}}), Lines{});
  EXPECT_EQ(problems_of({{"", ""}}),
            Lines{"spec.containers[0].resources.claims[0].name: is required"});
  EXPECT_EQ(problems_of({{"gpu", ""}, {"fpga", ""}}),
            Lines{"spec.containers[0].resources.claims[1].name: must name an entry of the pod's "
                  "resourceClaims (it has gpu, nic), is 'fpga'"});
  EXPECT_EQ(problems_of({{"gpu", "a/b"}}).size(), 1U);
}

TEST(PodClaimRules, letContainersUseNothingTwice) {
  const std::string at = "spec.containers[0].resources.claims[1]: must not use what claims[0] ";
  EXPECT_EQ(problems_of({{"gpu", "x"}, {"gpu", "y"}}), Lines{});
  EXPECT_EQ(problems_of({{"gpu", ""}, {"gpu", ""}}), Lines{at + "uses already: claim 'gpu'"});
  EXPECT_EQ(problems_of({{"gpu", ""}, {"gpu", "x"}}), Lines{at + "uses already: claim 'gpu'"});
  EXPECT_EQ(problems_of({{"gpu", "x"}, {"gpu", ""}}),
            Lines{at + "uses already: claim 'gpu', request 'x'"});
  EXPECT_EQ(problems_of({{"gpu", "x"}, {"gpu", "x"}}),
            Lines{at + "uses already: claim 'gpu', request 'x'"});
}

TEST(PodClaimRules, holdForInitContainersAndForTemplates) {
  auto spec = std::make_shared<PodSpec>();
  spec->restart_policy = "Never";
  spec->containers.emplace_back().name = "main";
  spec->init_containers.emplace_back().name = "first";
  spec->init_containers[0].claims = {{"gpu", ""}};
  model::Job job;
  job.meta.ns = "t";
  job.meta.name = "j";
  job.pods.spec = spec;
  EXPECT_EQ(lines(validate(job)),
            Lines{"spec.template.spec.initContainers[0].resources.claims[0].name: must name an "
                  "entry of the pod's resourceClaims (it has none), is 'gpu'"});
}

TEST(PodClaimRules, keepClaimsFromStaticPods) {
  const auto use = [](PodSpec& spec) { spec.resource_claims = {{"gpu", "a", ""}}; };
  auto mirror = *test::pod("a").with(use).build();
  EXPECT_EQ(lines(validate(mirror)), Lines{});
  mirror.meta.annotations = {{"kubernetes.io/config.mirror", "x"}};
  EXPECT_EQ(lines(validate(mirror)),
            Lines{"spec.resourceClaims: is not allowed for the mirror of a static pod"});
}

}  // namespace
}  // namespace tutti::admission
