#include "daemon/writes/request_bodies.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "daemon/writes/paths.h"
#include "model/pod.h"

namespace tutti::daemon {
namespace {

constexpr Instant kNoon{std::chrono::sys_days{std::chrono::year{2026} / 11 / 16} +
                        std::chrono::hours{12}};

TEST(Bodies, bindThisVeryPod) {
  EXPECT_EQ(binding_body({{"t", "a", "uid-1"}, "n1", {}}),
            R"({"apiVersion":"v1","kind":"Binding","metadata":{"namespace":"t","name":"a",)"
            R"("uid":"uid-1"},"target":{"kind":"Node","name":"n1"}})");
}

TEST(Bodies, tellAnEventOfAPod) {
  auto pod = std::make_shared<model::Pod>();
  pod->api_version = "v1";
  pod->meta.name = "a";
  pod->meta.ns = "t";
  pod->meta.uid = "uid-1";
  const core::EventRecord event{
      pod, "Warning", "FailedScheduling", "Scheduling", "0/1 nodes: \"full\"\n", "tutti"};
  EXPECT_EQ(event_body(event, "a.17", "tutti-host", kNoon),
            R"({"apiVersion":"events.k8s.io/v1","kind":"Event","metadata":{"namespace":"t",)"
            R"("name":"a.17"},"eventTime":"2026-11-16T12:00:00.000000Z",)"
            R"("reportingController":"tutti","reportingInstance":"tutti-host",)"
            R"("action":"Scheduling","reason":"FailedScheduling","type":"Warning",)"
            R"("note":"0/1 nodes: \"full\"\n","regarding":{"apiVersion":"v1","kind":"Pod",)"
            R"("namespace":"t","name":"a","uid":"uid-1"}})");
}

TEST(Bodies, patchOnlyWhatIsSaidOfAPod) {
  EXPECT_EQ(pod_status_body({{"t", "a", "u"}, std::nullopt, "n1"}),
            R"({"metadata":{"uid":"u"},"status":{"nominatedNodeName":"n1"}})");
  EXPECT_EQ(pod_status_body({{"t", "a", "u"}, std::nullopt, ""}),
            R"({"metadata":{"uid":"u"},"status":{"nominatedNodeName":null}})");
  const model::Condition condition{.type = "PodScheduled",
                                   .status = "False",
                                   .reason = "Unschedulable",
                                   .message = "no room",
                                   .last_transition = kNoon,
                                   .observed_generation = 3};
  EXPECT_EQ(pod_status_body({{"t", "a", "u"}, condition, std::nullopt}),
            R"({"metadata":{"uid":"u"},"status":{"conditions":[{"type":"PodScheduled",)"
            R"("status":"False","reason":"Unschedulable","message":"no room",)"
            R"("lastTransitionTime":"2026-11-16T12:00:00Z","observedGeneration":3}]}})");
}

TEST(Bodies, nameTheClaimOfExtendedResources) {
  core::PodStatusPatch patch{{"t", "a", "u"}, std::nullopt, std::nullopt};
  patch.extended_claim = {"a-claim",
                          {{"main", "example.com/gpu", "r0"}, {"side", "example.com/gpu", "r1"}}};
  EXPECT_EQ(pod_status_body(patch),
            R"({"metadata":{"uid":"u"},"status":{"extendedResourceClaimStatus":{)"
            R"("resourceClaimName":"a-claim","requestMappings":[)"
            R"({"containerName":"main","resourceName":"example.com/gpu","requestName":"r0"},)"
            R"({"containerName":"side","resourceName":"example.com/gpu","requestName":"r1"}]}}})");
}

TEST(Bodies, patchSeveralConditionsOfAGroupAtOnce) {
  const model::Condition a{.type = "A",
                           .status = "True",
                           .reason = "R",
                           .message = {},
                           .last_transition = {},
                           .observed_generation = 0};
  model::Condition b = a;
  b.type = "B";
  EXPECT_EQ(group_status_body({a, b}),
            R"({"status":{"conditions":[{"type":"A","status":"True","reason":"R","message":""},)"
            R"({"type":"B","status":"True","reason":"R","message":""}]}})");
}

TEST(Paths, nameObjectsOfBothKindsOfGroups) {
  EXPECT_EQ(object_path("v1", "pods", "t", "a", "binding"), "/api/v1/namespaces/t/pods/a/binding");
  EXPECT_EQ(object_path("scheduling.k8s.io/v1beta1", "podgroups", "t", "g", "status"),
            "/apis/scheduling.k8s.io/v1beta1/namespaces/t/podgroups/g/status");
  EXPECT_EQ(object_path("events.k8s.io/v1", "events", "t"),
            "/apis/events.k8s.io/v1/namespaces/t/events");
  EXPECT_EQ(object_path("v1", "persistentvolumes", "", "v"), "/api/v1/persistentvolumes/v");
}

}  // namespace
}  // namespace tutti::daemon
