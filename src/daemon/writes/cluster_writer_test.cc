#include "daemon/writes/cluster_writer.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "kube/testing/fake_api.h"
#include "model/device.h"
#include "model/group.h"
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
        api.loop(), *client_,
        ClusterWriter::Options{"tutti-test",
                               "scheduling.k8s.io/v1alpha2",
                               {},
                               "resource.k8s.io/v1",
                               [this](const model::ObjectKey&) { return carrier; },
                               kEventsWaitingMax},
        ClusterWriter::Handlers{
            [this](const core::PodReference& pod, const Status& outcome, Millis) {
              if (outcome.ok()) return bound.push_back(pod.name);
              api.done();
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

  std::size_t events_beside_a_binding(std::size_t recorded);

  static constexpr std::size_t kEventsWaitingMax = 100;
  kube::FakeApi api;
  std::vector<SessionPtr> unanswered;
  std::optional<core::PodReference> carrier;  // of groups in memory
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
  model::DeviceRequest request;
  request.name = "r";
  request.wishes.emplace_back().device_class = "gpu";
  claim->spec.requests = {request};
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

// How many of `recorded` events are on their way while one binding has no answer.
std::size_t ClusterWriterTest::events_beside_a_binding(std::size_t recorded) {
  std::size_t events = 0;
  api.script = [&](const FakeRequest& request, const SessionPtr& session) {
    if (request.has("/p9/")) return unanswered.push_back(session);
    if (request.has("/binding")) return session->answer(201, "{}");
    ++events;  // never answered: what arrives is what was let go
    unanswered.push_back(session);
  };
  const auto pod = std::make_shared<model::Pod>();
  pod->meta.ns = "t";
  pod->meta.name = "a";
  for (const char* name : {"p1", "p9"}) writer().bind({{"t", name, "uid"}, "n1", {}});
  for (std::size_t i = 0; i < recorded; ++i) {
    writer().record({pod, "Normal", "Scheduled", "Binding", "on n1", "tutti"});
  }
  const net::Timer later = api.loop().after(Millis{200}, [this] { api.done(); });
  api.run();
  EXPECT_EQ(bound, std::vector<std::string>{"p1"});
  return events;
}

TEST_F(ClusterWriterTest, holdsEventsBackWhileBindingsAreOpen) {
  EXPECT_EQ(events_beside_a_binding(kEventsWaitingMax / 4), 1U);
  EXPECT_FALSE(writer().congested());
}

TEST_F(ClusterWriterTest, letsMoreEventsGoWhenManyWait) {
  EXPECT_GT(events_beside_a_binding(kEventsWaitingMax / 2 + 10), 10U);
  EXPECT_FALSE(writer().congested());
}

TEST_F(ClusterWriterTest, asksForAPauseWhenTooManyEventsWait) {
  (void)events_beside_a_binding(kEventsWaitingMax);
  EXPECT_TRUE(writer().congested());
}

const model::ObjectKey kGang{model::Kind::pod_group, "t", "gang", {}};
constexpr const char* kGangStatus =
    "PATCH /apis/scheduling.k8s.io/v1alpha2/namespaces/t/podgroups/gang/status";
const model::Condition kBound{"tutti.dev/Binding", "False", "Bound", "", {}, 0};
const model::Condition kBinding{"tutti.dev/Binding", "True", "Binding", "", {}, 0};

TEST_F(ClusterWriterTest, tellsManyGangsOneAfterAnotherThatTheyAreBoundWhileBindingsAreOpen) {
  SessionPtr binding;
  std::size_t patches = 0;
  api.script = [&](const FakeRequest& request, const SessionPtr& session) {
    if (request.has("/p9/")) return void(binding = session);
    if (request.has("/binding")) return session->answer(201, "{}");
    unanswered.push_back(session);
    if (++patches == 5) api.done();
  };
  for (const char* name : {"p1", "p9"}) writer().bind({{"t", name, "uid"}, "n1", {}});
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    writer().patch_group({{model::Kind::pod_group, "t", name, {}}, kBound});
  }
  const net::Timer later = api.loop().after(Millis{200}, [&] {
    EXPECT_EQ(patches, 1U);
    binding->answer(201, "{}");
  });
  api.run();
  EXPECT_EQ(patches, 5U);
}

TEST_F(ClusterWriterTest, sendsWhatIsUrgentInsteadOfWhatWaitedForTheSameGang) {
  SessionPtr binding;
  std::vector<std::string> bodies;
  api.script = [&](const FakeRequest& request, const SessionPtr& session) {
    if (request.has("/p1/binding")) return void(binding = session);
    session->answer(200, "{}");
    if (request.has("/p2/binding")) return api.loop().post([this] { api.done(); });
    bodies.push_back(request.body);
  };
  writer().bind({{"t", "p1", "uid"}, "n1", {}});
  writer().patch_group({{model::Kind::pod_group, "t", "other", {}}, kBound});
  writer().patch_group({kGang, kBound});
  writer().patch_group({kGang, kBinding});
  writer().bind({{"t", "p2", "uid"}, "n1", "gang"});
  api.run();
  const auto sent = lines();
  EXPECT_EQ(std::ranges::count(sent, kGangStatus), 1);
  EXPECT_LT(std::ranges::find(sent, kGangStatus), std::ranges::find_if(sent, [](const auto& line) {
              return line.find("/p2/binding") != std::string::npos;
            }));
  const auto mine = std::ranges::find_if(bodies, [](const auto& body) {
    return body.find(R"("status":"True")") != std::string::npos;
  });
  ASSERT_NE(mine, bodies.end());
  EXPECT_EQ(mine->find(R"("status":"False")"), std::string::npos) << *mine;
}

const model::ObjectKey kInMemory{model::Kind::pod_group, "t", "job:train", {}};

TEST_F(ClusterWriterTest, letsAPodSayThatItsGroupInMemoryIsBeingBound) {
  carrier = core::PodReference{"t", "a", "uid-1"};
  api.script = [&](const FakeRequest& request, const SessionPtr& session) {
    if (request.has("/binding")) {
      session->answer(201, "{}");
      return api.loop().post([this] { api.done(); });
    }
    EXPECT_NE(request.body.find(R"("uid":"uid-1")"), std::string::npos) << request.body;
    EXPECT_NE(request.body.find("tutti.dev/Binding"), std::string::npos) << request.body;
    EXPECT_TRUE(bound.empty());
    session->answer(200, "{}");
  };
  writer().patch_group({kInMemory, {"PodGroupScheduled", "False", "Unschedulable", "", {}, 0}});
  writer().patch_group({kInMemory, {"tutti.dev/Binding", "True", "Binding", "", {}, 0}});
  writer().bind({{"t", "b", "uid-2"}, "n1", "job:train"});
  api.run();
  EXPECT_EQ(lines(), (std::vector<std::string>{std::string("PATCH ") + kPod + "/status",
                                               "POST /api/v1/namespaces/t/pods/b/binding"}));
}

TEST_F(ClusterWriterTest, saysNothingOfGroupsInMemoryThemselves) {
  const auto group = std::make_shared<model::PodGroup>();
  group->meta.ns = "t";
  group->meta.name = "job:train";
  writer().record({group, "Normal", "SchedulingHeld", "Scheduling", "waits", "tutti"});
  writer().patch_group({kInMemory, {"PodGroupScheduled", "False", "Unschedulable", "", {}, 0}});
  EXPECT_TRUE(writer().idle());
}

TEST_F(ClusterWriterTest, failsBindingsOfAGroupInMemoryThatHasGone) {
  writer().patch_group({kInMemory, {"tutti.dev/Binding", "True", "Binding", "", {}, 0}});
  writer().bind({{"t", "b", "uid-2"}, "n1", "job:train"});
  EXPECT_EQ(writer().bindings_open(), 1U);
  api.run();
  EXPECT_EQ(writer().bindings_open(), 0U);
  EXPECT_TRUE(bound.empty());
  EXPECT_TRUE(lines().empty());
}

}  // namespace
}  // namespace tutti::daemon
