#include "controllers/queues/replica_tenures.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "controllers/queues/pod_queue_controller.h"
#include "controllers/queues/work/queue_words.h"
#include "model/apps.h"
#include "model/quota_annotations.h"
#include "support/bare_cluster.h"

namespace tutti::controllers {
namespace {

using model::AdmissionRequest;
using model::Pod;

class ReplicaTenuresTest : public testing::Test {
 protected:
  ReplicaTenuresTest() {
    cluster.add<PodQueueController>(QueueRules{});
    cluster.add<ReplicaTenures>();
  }

  void put_set(std::string guaranteed) {
    model::StatefulSet set;
    set.api_version = "apps/v1";
    set.meta.ns = "t";
    set.meta.name = "chat";
    set.meta.annotations = {{std::string(model::kGuaranteedReplicas), std::move(guaranteed)}};
    cluster.put(set);
  }
  void put_replica(int index) {
    Pod pod;
    pod.api_version = "v1";
    pod.meta.ns = "t";
    pod.meta.name = "chat-" + std::to_string(index);
    pod.meta.labels = {{std::string(kManagedPod), "true"}, {std::string(kQueueName), "main"}};
    model::OwnerReference owner;
    owner.api_version = "apps/v1";
    owner.kind = "StatefulSet";
    owner.name = "chat";
    owner.uid = cluster.objects().find<model::StatefulSet>("t", "chat")->meta.uid;
    owner.controller = true;
    pod.meta.owners = {owner};
    auto spec = std::make_shared<model::PodSpec>();
    spec->containers.emplace_back().name = "main";
    spec->scheduling_gates = {std::string(kAdmissionGate)};
    pod.spec = std::move(spec);
    cluster.put(pod);
  }
  // "chat-0 guaranteed", by replica.
  std::map<std::string, std::string> tenures() {
    std::map<std::string, std::string> out;
    for (const auto& request : cluster.all<AdmissionRequest>()) {
      const std::string* said = model::find(request->meta.annotations, model::kTenure);
      out[request->meta.owners.front().name] = said != nullptr ? *said : "";
    }
    return out;
  }

  test::BareCluster cluster;
};

using Tenures = std::map<std::string, std::string>;

TEST_F(ReplicaTenuresTest, guaranteesTheLowestIndexes) {
  put_set("2");
  for (const int index : {10, 1, 0, 2}) put_replica(index);
  EXPECT_EQ(tenures(), (Tenures{{"chat-0", "guaranteed"},
                                {"chat-1", "guaranteed"},
                                {"chat-2", "burst"},
                                {"chat-10", "burst"}}));
  cluster.drop({model::Kind::pod, "t", "chat-0", {}});
  EXPECT_EQ(tenures().at("chat-2"), "guaranteed") << "the next one follows";
}

TEST_F(ReplicaTenuresTest, guaranteesNobodyBySomethingThatIsNoNumber) {
  put_set("many");
  put_replica(0);
  EXPECT_EQ(tenures(), (Tenures{{"chat-0", ""}}));
}

}  // namespace
}  // namespace tutti::controllers
