#include "kube/client/served_resources.h"

#include <gtest/gtest.h>

#include <optional>

#include "kube/client/feature_gates.h"
#include "kube/testing/fake_api.h"

namespace tutti::kube {
namespace {

class OffersTest : public testing::Test {
 protected:
  Result<std::vector<Offer>> ask(std::vector<ResourceName> wanted) {
    ApiClient client(api.loop(), api.access(), {.user_agent = "test"});
    std::optional<Result<std::vector<Offer>>> found;
    find_offers(client, std::move(wanted), [&](Result<std::vector<Offer>> offers) {
      found.emplace(std::move(offers));
      api.done();
    });
    api.run();
    return *std::move(found);
  }

  FakeApi api;
};

TEST_F(OffersTest, findsWhatIsServedAndMayBeRead) {
  api.script = [](const FakeRequest& request, const SessionPtr& session) {
    if (request.line == "GET /apis") {
      return session->answer(200, R"({"groups":[
          {"name":"batch","preferredVersion":{"groupVersion":"batch/v1"}},
          {"name":"ray.io","preferredVersion":{"groupVersion":"ray.io/v1"}}]})");
    }
    if (request.line == "GET /apis/batch/v1") {
      return session->answer(200, R"({"resources":[{"name":"jobs"},{"name":"cronjobs"}]})");
    }
    if (request.line == "GET /apis/ray.io/v1") {
      return session->answer(200, R"({"resources":[{"name":"rayclusters"}]})");
    }
    if (request.line == "GET /apis/batch/v1/jobs?limit=1") {
      return session->answer(200, R"({"items":[]})");
    }
    session->answer(403, "{}");
  };
  const auto offers = ask({{"batch", "jobs"},
                           {"jobset.x-k8s.io", "jobsets"},
                           {"ray.io", "rayclusters"},
                           {"ray.io", "rayjobs"}});
  ASSERT_TRUE(offers.ok());
  ASSERT_EQ(offers->size(), 4U);
  EXPECT_EQ((*offers)[0].group_version, "batch/v1");
  EXPECT_TRUE((*offers)[0].readable);
  EXPECT_EQ((*offers)[1].group_version, "");
  EXPECT_EQ((*offers)[2].group_version, "ray.io/v1");
  EXPECT_FALSE((*offers)[2].readable);
  EXPECT_EQ((*offers)[3].group_version, "");
}

TEST_F(OffersTest, isAnErrorWhenGroupsCannotBeListed) {
  api.script = [](const FakeRequest&, const SessionPtr& session) { session->answer(403, "{}"); };
  EXPECT_FALSE(ask({{"batch", "jobs"}}).ok());
}

TEST(FeatureGatesText, isReadFromMetrics) {
  const FeatureGates gates = parse_feature_gates(
      "# TYPE kubernetes_feature_enabled gauge\n"
      "kubernetes_feature_enabled{name=\"WorkloadWithJob\",stage=\"ALPHA\"} 1\n"
      "kubernetes_feature_enabled{name=\"Other\",stage=\"\"} 0\n"
      "kubernetes_build_info{x=\"name=\"} 1\n"
      "broken{");
  ASSERT_EQ(gates.size(), 2U);
  EXPECT_TRUE(gates.find("WorkloadWithJob")->second);
  EXPECT_FALSE(gates.find("Other")->second);
}

}  // namespace
}  // namespace tutti::kube
