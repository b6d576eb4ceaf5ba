#include "queues/decision_record.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/decoded.h"

namespace tutti::queues {
namespace {

constexpr Instant second(int seconds) { return Instant{Millis{seconds * 1000}}; }

class DecisionRecordTest : public testing::Test {
 protected:
  DecisionRecordTest() {
    record_.follow(table_);
    table_.objects().set(test::decoded(
        "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: team}\n"
        "spec:\n  namespaceSelector: {}\n  resourceGroups:\n  - coveredResources: [gpu]\n"
        "    flavors:\n    - {name: std, resources: [{name: gpu, nominalQuota: 8}]}\n"));
    table_.objects().set(
        test::decoded("apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
                      "metadata: {name: q, namespace: t}\nspec: {clusterQueue: team}\n"));
  }

  core::Request& add(const char* name, int priority) {
    return table_.put(std::static_pointer_cast<model::AdmissionRequest>(test::decoded(fmt::format(
        "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\n"
        "metadata: {{name: {}, namespace: t, creationTimestamp: '1970-01-01T00:00:10Z'}}\n"
        "spec:\n  queueName: q\n  priority: {}\n  podSets:\n  - name: main\n    count: 4\n"
        "    template: {{spec: {{containers: [{{name: c, image: i, resources: {{requests: "
        "{{gpu: 1}}}}}}]}}}}\n",
        name, priority))));
  }
  void admit(core::Request& request, int when) {
    const auto gpu = table_.objects().tree().flavor_resources().intern("std", "gpu");
    table_.charge(request, *table_.objects().queue("team"), {{gpu, 4}}, {},
                  core::RequestStage::admitted, second(when));
    request.admitted_at = second(when);
    tell(request, core::Decision::Kind::admitted, when);
  }
  void refuse(core::Request& request, int when) {
    tell(request, core::Decision::Kind::unschedulable, when, "4 gpu are missing");
  }
  void evict(core::Request& request, int when, const char* by) {
    table_.advance(request, core::RequestStage::releasing);
    tell(request, core::Decision::Kind::evicted, when, "Preempted", "InClusterQueue", by);
    table_.release(request);
  }
  void tell(const core::Request& request, core::Decision::Kind kind, int when,
            const char* message = "", const char* rule = "", const char* by = "") {
    record_.decided({.at = second(when),
                     .kind = kind,
                     .entity = "Workload " + request.name,
                     .bindings = {},
                     .message = message,
                     .attempt = 1,
                     .rule = rule,
                     .by = by});
  }
  Why ask(const char* name) {
    return why(record_, table_, std::string("Workload t/") + name,
               std::string("Workload t/") + name);
  }

  core::QuotaConfig config_;
  core::RequestTable table_{config_};
  DecisionRecord record_;
};

TEST_F(DecisionRecordTest, tellsWhyARequestRuns) {
  admit(add("a", 0), 20);
  const Why why = ask("a");

  EXPECT_EQ(why.outcome, "running");
  EXPECT_EQ(
      text_of(why, second(0)),
      "Workload t/a is running: at 20s admitted to team with 4 gpu of std; team, which owns 8 "
      "gpu, then used 4.");
}

TEST_F(DecisionRecordTest, tellsForWhomARequestWasEvictedAndWhatWasLost) {
  core::Request& low = add("low", 0);
  admit(low, 20);
  admit(add("other", 0), 20);
  evict(low, 80, "t/high");
  refuse(low, 80);
  const Why why = ask("low");

  EXPECT_EQ(why.outcome, "evicted");
  ASSERT_EQ(why.lines.size(), 3U);
  EXPECT_EQ(why.lines[1].rule, "withinQueue");
  EXPECT_EQ(why.lines[1].by, "t/high");
  EXPECT_EQ(why.lines[1].instead, std::vector<std::string>{"t/other"});
  EXPECT_EQ(why.lines[1].cost, "4 gpu of std for 1m0s");
}

TEST_F(DecisionRecordTest, tellsWhoWentFirstAndByWhichRule) {
  core::Request& waits = add("waits", 0);
  refuse(waits, 10);
  refuse(waits, 11);  // the same words: one entry
  admit(add("urgent", 5), 20);
  admit(add("alike", 0), 30);
  const Why why = ask("waits");

  EXPECT_EQ(why.outcome, "overtaken");
  ASSERT_EQ(why.lines.size(), 3U);
  EXPECT_EQ(why.lines[0].by, "t/alike");
  EXPECT_EQ(why.lines[0].rule, "earlier");
  EXPECT_EQ(why.lines[1].by, "t/urgent");
  EXPECT_EQ(why.lines[1].rule, "priority");
  EXPECT_EQ(why.lines[1].summary, "t/urgent was admitted first: its priority is 5, not 0");
}

TEST_F(DecisionRecordTest, comparesTwo) {
  core::Request& first = add("first", 0);
  add("second", 5);
  EXPECT_EQ(difference(record_, table_, "Workload t/first", "Workload t/second"),
            "priority: 0 against 5");
  admit(add("third", 0), 20);
  refuse(first, 20);
  EXPECT_EQ(difference(record_, table_, "Workload t/third", "Workload t/first"),
            "t/first lacked: 4 gpu are missing");
  EXPECT_EQ(difference(record_, table_, "Workload t/third", "Workload t/gone"), "not recorded");
}

}  // namespace
}  // namespace tutti::queues
