#include "controllers/queues/work/queued_document.h"

#include <gtest/gtest.h>

#include "controllers/queues/work/queue_words.h"
#include "model/quota.h"
#include "support/bare_cluster.h"

namespace tutti::controllers {
namespace {

model::ObjectPtr object_of(std::string api_version, std::string kind, std::string document) {
  auto out = std::make_shared<model::OtherObject>();
  out->api_version = std::move(api_version);
  out->kind_name = std::move(kind);
  out->meta.ns = "t";
  out->meta.name = "w";
  out->meta.uid = "u";
  out->document = std::make_shared<const std::string>(std::move(document));
  return out;
}

// Pods of one container.
constexpr std::string_view kPods =
    R"({"metadata":{"labels":{"app":"w"}},"spec":{"containers":[{"name":"c","image":"i"}],)"
    R"("nodeSelector":{"disk":"fast"}}})";

std::string with_pods(std::string text) {
  for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@')) {
    text.replace(at, 1, kPods);
  }
  return text;
}

class QueuedDocumentTest : public testing::Test {
 protected:
  std::unique_ptr<QueuedWork> work(std::string api_version, std::string kind, std::string text) {
    return queued_work(object_of(std::move(api_version), std::move(kind), with_pods(text)), cluster,
                       decoder);
  }
  static std::vector<std::pair<std::string, std::int32_t>> counts(QueuedWork& work) {
    std::vector<std::pair<std::string, std::int32_t>> out;
    const auto asked = work.asked_sets();
    EXPECT_TRUE(asked.ok());
    if (!asked.ok()) return out;
    for (const AskedSet& each : *asked) out.emplace_back(each.set.name, each.set.count);
    return out;
  }

  test::BareCluster cluster;
  wire::Decoder decoder;
};

TEST_F(QueuedDocumentTest, asksForOneSetPerPartOfTheKind) {
  using Counts = std::vector<std::pair<std::string, std::int32_t>>;
  struct Case {
    std::string api_version;
    std::string kind;
    std::string document;
    Counts counts;
  };
  const Case cases[] = {
      {"jobset.x-k8s.io/v1alpha2",
       "JobSet",
       R"({"spec":{"replicatedJobs":[{"name":"d","template":{"spec":{"template":@}}},)"
       R"({"name":"w","replicas":2,"template":{"spec":{"parallelism":3,"template":@}}}]}})",
       {{"d", 1}, {"w", 6}}},
      {"ray.io/v1",
       "RayCluster",
       R"({"spec":{"headGroupSpec":{"template":@},"workerGroupSpecs":)"
       R"([{"groupName":"g","replicas":2,"numOfHosts":2,"template":@}]}})",
       {{"head", 1}, {"g", 4}}},
      {"ray.io/v1",
       "RayJob",
       R"({"spec":{"rayClusterSpec":{"headGroupSpec":{"template":@}}}})",
       {{"head", 1}}},
      {"kubeflow.org/v1",
       "PyTorchJob",
       R"({"spec":{"pytorchReplicaSpecs":{"Worker":{"replicas":3,"template":@},)"
       R"("Master":{"template":@}}}})",
       {{"master", 1}, {"worker", 3}}},
      {"kubeflow.org/v2beta1",
       "MPIJob",
       R"({"spec":{"mpiReplicaSpecs":{"Worker":{"replicas":2,"template":@},)"
       R"("Launcher":{"template":@}}}})",
       {{"launcher", 1}, {"worker", 2}}},
  };
  for (const auto& [api_version, kind, document, expected] : cases) {
    SCOPED_TRACE(kind);
    EXPECT_EQ(counts(*work(api_version, kind, document)), expected);
  }
}

TEST_F(QueuedDocumentTest, isStartedAndStoppedWithoutATrace) {
  model::ResourceFlavor flavor;
  flavor.meta.name = "spot";
  flavor.node_labels = {{"pool", "spot"}};
  flavor.tolerations.emplace_back().key = "spot";
  cluster.put(flavor);
  const std::string text = R"({"spec":{"suspend":true,"headGroupSpec":{"template":@}}})";
  const auto waiting = work("ray.io/v1", "RayCluster", text);
  model::AdmissionRequest request;
  request.meta.name = "r";
  auto asked = waiting->asked_sets();
  ASSERT_TRUE(asked.ok());
  request.spec.pod_sets = {asked->front().set};
  model::PodSetAssignment promised;
  promised.pod_set = "head";
  promised.flavors = {{"cpu", "spot"}};
  request.status.admission.emplace().pod_sets = {promised};
  EXPECT_TRUE(waiting->suspended());
  EXPECT_FALSE(waiting->is_started_by(request));

  const auto started = queued_work(waiting->started(request), cluster, decoder);
  EXPECT_FALSE(started->suspended());
  EXPECT_TRUE(started->is_started_by(request));
  const auto pods = started->asked_sets()->front().set.pods;
  EXPECT_EQ(*model::find(pods.spec->node_selector, "pool"), "spot");
  EXPECT_EQ(*model::find(pods.spec->node_selector, "disk"), "fast");
  EXPECT_EQ(*model::find(pods.labels, kPodSetOfPod), "head");
  EXPECT_EQ(pods.spec->tolerations.size(), 1U);

  EXPECT_EQ(*started->stopped(&request)->document,
            with_pods(R"({"spec":{"suspend":true,"headGroupSpec":{"template":@}}})"));
}

}  // namespace
}  // namespace tutti::controllers
