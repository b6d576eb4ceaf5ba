#include "daemon/cluster_writer.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "kube/fake_api.h"
#include "model/device.h"
#include "model/pod.h"

namespace tutti::daemon {
namespace {

using kube::FakeRequest;
using kube::SessionPtr;

class ClusterWriterTest : public testing::Test {
 protected:
  ClusterWriter& writer() {
    if (writer_) return *writer_;
    client_.emplace(api.loop(), api.access(), kube::ApiClient::Options{"tutti/test", 7});
    writer_.emplace(
        api.loop(), *client_, ClusterWriter::Options{"tutti-test", {}, {}, "resource.k8s.io/v1"},
        ClusterWriter::Handlers{
            [this](const core::PodReference& pod, const Status& outcome, Millis) {
              if (outcome.ok()) bound.push_back(pod.name);
            },
            [] { return true; }, [this](const std::string& line) { complaints.push_back(line); },
            [] {}, [] {}});
    return *writer_;
  }

  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    for (const FakeRequest& request : api.requests) lines.push_back(request.line);
    return lines;
  }

  kube::FakeApi api;
  std::vector<std::string> bound;
  std::vector<std::string> complaints;

 private:
  std::optional<kube::ApiClient> client_;
  std::optional<ClusterWriter> writer_;
};

constexpr const char* kPod = "/api/v1/namespaces/t/pods/a";
const core::PodReference kVictim{"t", "a", "uid-1"};
const model::Condition kWhy{"DisruptionTarget", "True", "PreemptionByScheduler", "", {}, 0};

TEST_F(ClusterWriterTest, deletesAgainWhatAConflictLeftInPlace) {
  int deletions = 0;
  api.script = [&](const FakeRequest& request, const SessionPtr& session) {
    if (request.has("GET")) return session->answer(200, R"({"metadata":{"uid":"uid-1"}})");
    if (!request.has("DELETE")) return session->answer(200, "{}");
    session->answer(++deletions == 1 ? 409 : 200, "{}");
    if (deletions == 2) api.done();
  };
  writer().evict(kVictim, kWhy);
  api.run();
  EXPECT_EQ(lines(), (std::vector<std::string>{
                         std::string("PATCH ") + kPod + "/status", std::string("DELETE ") + kPod,
                         std::string("GET ") + kPod, std::string("DELETE ") + kPod}));
}

TEST_F(ClusterWriterTest, leavesAReplacementOfItsVictimAlone) {
  api.script = [&](const FakeRequest& request, const SessionPtr& session) {
    if (!request.has("GET")) return session->answer(request.has("DELETE") ? 409 : 200, "{}");
    session->answer(200, R"({"metadata":{"uid":"uid-2"}})");
    api.loop().post([this] { api.done(); });
  };
  writer().evict(kVictim, kWhy);
  api.run();
  EXPECT_EQ(lines().back(), std::string("GET ") + kPod);
  EXPECT_TRUE(complaints.empty());
}

constexpr const char* kClaims = "/apis/resource.k8s.io/v1/namespaces/t/resourceclaims";

TEST_F(ClusterWriterTest, makesAClaimAndIsContentWithOneThatIsThere) {
  api.script = [&](const FakeRequest& request, const SessionPtr& session) {
    EXPECT_NE(request.body.find(R"("deviceClassName":"gpu")"), std::string::npos) << request.body;
    EXPECT_NE(request.body.find(R"("name":"a-claim")"), std::string::npos) << request.body;
    session->answer(409, "{}");
    api.loop().post([this] { api.done(); });
  };
  auto claim = std::make_shared<model::ResourceClaim>();
  claim->api_version = model::kResourceV1;
  claim->meta.ns = "t";
  claim->meta.name = "a-claim";
  claim->document = std::make_shared<const std::string>(
      R"({"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu"}}]}}})");
  writer().create_claim(claim);
  api.run();
  EXPECT_EQ(lines(), (std::vector<std::string>{std::string("POST ") + kClaims}));
  EXPECT_TRUE(complaints.empty());
}

// Nothing may hold it back: first the devices, then the finalizer, then the claim.
TEST_F(ClusterWriterTest, freesAClaimBeforeItRemovesIt) {
  const std::string meta =
      R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"c",)"
      R"("namespace":"t","uid":"u","finalizers":["resource.kubernetes.io/delete-protection"]},)"
      R"("spec":{"devices":{}})";
  const std::string held =
      meta + R"(,"status":{"allocation":{"devices":{}},"reservedFor":[{"resource":"pods",)"
             R"("name":"a","uid":"uid-1"}]}})";
  api.script = [&](const FakeRequest& request, const SessionPtr& session) {
    session->answer(200, request.has("GET") ? held : meta + "}");
    if (request.has("DELETE")) api.loop().post([this] { api.done(); });
  };
  core::ClaimPatch patch{"t", "c", "u", {}, {}, "uid-1"};
  patch.remove = true;
  writer().patch_claim(patch);
  api.run();
  const std::string path = std::string(kClaims) + "/c";
  EXPECT_EQ(lines(), (std::vector<std::string>{"GET " + path, "PUT " + path + "/status",
                                               "PUT " + path, "DELETE " + path}));
}

TEST_F(ClusterWriterTest, holdsEventsBackWhileBindingsAreOpen) {
  constexpr int kPods = 10;
  std::size_t events = 0;
  std::vector<SessionPtr> open_bindings;
  api.script = [&](const FakeRequest& request, const SessionPtr& session) {
    if (request.has("/binding")) {
      if (!request.has("/p9/")) return session->answer(201, "{}");
      open_bindings.push_back(session);  // the last one is slow
      return;
    }
    // Never answered while a binding is open: what arrives is what was let go.
    if (open_bindings.empty() || bound.size() == kPods) return session->answer(201, "{}");
    ++events;
  };
  const auto pod = std::make_shared<model::Pod>();
  pod->meta.ns = "t";
  pod->meta.name = "a";
  for (int i = 0; i < kPods; ++i) {
    const std::string name = "p" + std::to_string(i);
    writer().bind({{"t", name, "uid-" + name}, "n1", {}});
  }
  for (int i = 0; i < kPods; ++i) {
    writer().record({pod, "Normal", "Scheduled", "Binding", "on n1", "tutti"});
  }
  const net::Timer later = api.loop().after(Millis{200}, [this] { api.done(); });
  api.run();
  EXPECT_EQ(bound.size(), kPods - 1U);
  EXPECT_LE(events, 2U);
}

}  // namespace
}  // namespace tutti::daemon
