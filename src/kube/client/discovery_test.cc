#include "kube/client/discovery.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "kube/testing/fake_api.h"

namespace tutti::kube {
namespace {

// Answers by path; what is not listed is not served.
using Paths = std::map<std::string, std::string>;

Result<Served> discover_from(const Paths& paths) {
  FakeApi api;
  api.script = [&](const FakeRequest& request, const SessionPtr& session) {
    const auto answer = paths.find(request.line.substr(4));
    if (answer == paths.end()) return session->answer(404, "404 page not found");
    session->answer(200, answer->second);
  };
  ApiClient client(api.loop(), api.access(), {"tutti/test", 7});
  std::optional<Result<Served>> served;
  discover(client, [&](Result<Served> result) {
    served.emplace(std::move(result));
    api.done();
  });
  api.run();
  return served ? *std::move(served) : Error{};
}

std::string group(std::vector<std::string> versions) {
  for (std::string& version : versions) version = fmt::format(R"({{"version":"{}"}})", version);
  return fmt::format(R"({{"kind":"APIGroup","versions":[{}]}})", fmt::join(versions, ","));
}

std::string resources(std::vector<std::string> names) {
  for (std::string& name : names) name = fmt::format(R"({{"name":"{}"}})", name);
  return fmt::format(R"({{"kind":"APIResourceList","resources":[{}]}})", fmt::join(names, ","));
}

const std::string kVersion = R"({"major":"1","minor":"36+","gitVersion":"v1.36.4-gke.1"})";

TEST(Discovery, choosesTheBestVersionOfEachResource) {
  const Result<Served> served = discover_from({
      {"/version", kVersion},
      {"/apis/scheduling.k8s.io", group({"v1", "v1alpha2", "v1alpha3", "v1beta1"})},
      {"/apis/scheduling.k8s.io/v1beta1", resources({"podgroups", "podgroups/status"})},
      {"/apis/scheduling.k8s.io/v1alpha3",
       resources({"podgroups", "compositepodgroups", "workloads"})},
      {"/apis/scheduling.k8s.io/v1alpha2", resources({"podgroups", "workloads"})},
      {"/apis/resource.k8s.io", group({"v1beta1", "v1beta2"})},
      {"/apis/resource.k8s.io/v1beta2", resources({"resourceclaims"})},
      {"/apis/resource.k8s.io/v1beta1", resources({"resourceclaims"})},
  });
  ASSERT_TRUE(served.ok()) << served.error().message;
  EXPECT_EQ(served->git_version, "v1.36.4-gke.1");
  EXPECT_EQ(served->major, 1);
  EXPECT_EQ(served->minor, 36);
  EXPECT_EQ(served->pod_groups, "scheduling.k8s.io/v1beta1");
  EXPECT_EQ(served->composite_pod_groups, "scheduling.k8s.io/v1alpha3");
  EXPECT_EQ(served->workloads, "scheduling.k8s.io/v1alpha3");
  EXPECT_EQ(served->resource_claims, "resource.k8s.io/v1beta2");
}

TEST(Discovery, isContentWithAServerThatHasNoneOfIt) {
  const Result<Served> served =
      discover_from({{"/version", kVersion}, {"/apis/scheduling.k8s.io", group({"v1"})}});
  ASSERT_TRUE(served.ok()) << served.error().message;
  EXPECT_EQ(served->pod_groups, "");
  EXPECT_EQ(served->composite_pod_groups, "");
  EXPECT_EQ(served->workloads, "");
  EXPECT_EQ(served->resource_claims, "");
}

TEST(Discovery, saysWhatIsNoApiServer) {
  const std::string cases[] = {"", "null", "<html>", "{}", R"({"major":"","minor":""})", "[]"};
  for (const std::string& answer : cases) {
    SCOPED_TRACE(answer);
    const Result<Served> served = discover_from({{"/version", answer}});
    ASSERT_FALSE(served.ok());
    EXPECT_TRUE(served.error().message.starts_with("GET /version: ")) << served.error().message;
    EXPECT_NE(served.error().message.find("is this a Kubernetes API server?"), std::string::npos);
  }
}

}  // namespace
}  // namespace tutti::kube
