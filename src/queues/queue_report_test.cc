#include "queues/queue_report.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/decoded.h"

namespace tutti::queues {
namespace {

constexpr Instant at(int seconds) { return Instant{Millis{seconds * 1000}}; }

class QueueReportTest : public testing::Test {
 protected:
  QueueReportTest() {
    add_queue("a", "8");
    add_queue("b", "4");
    add_local("qa", "a");
    add_local("qb", "b");
  }

  void add_queue(const char* name, const char* nominal) {
    table_.objects().set(test::decoded(fmt::format(
        "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {{name: {}}}\n"
        "spec:\n  cohortName: org\n  namespaceSelector: {{}}\n  resourceGroups:\n"
        "  - coveredResources: [gpu]\n    flavors:\n    - name: std\n"
        "      resources: [{{name: gpu, nominalQuota: {}}}]\n",
        name, nominal)));
  }
  void add_local(const char* name, const char* queue) {
    table_.objects().set(test::decoded(
        fmt::format("apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
                    "metadata: {{name: {}, namespace: t}}\nspec: {{clusterQueue: {}}}\n",
                    name, queue)));
  }
  core::Request& add(const char* name, const char* queue, int priority, int count,
                     const char* owner = "[]") {
    return table_.put(std::static_pointer_cast<model::AdmissionRequest>(test::decoded(fmt::format(
        "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\n"
        "metadata: {{name: {}, namespace: t, creationTimestamp: '1970-01-01T00:00:10Z', "
        "ownerReferences: {}}}\n"
        "spec:\n  queueName: {}\n  priority: {}\n  podSets:\n  - name: main\n    count: {}\n"
        "    template: {{spec: {{containers: [{{name: c, image: i, resources: {{requests: "
        "{{gpu: 1}}}}}}]}}}}\n",
        name, owner, queue, priority, count))));
  }
  void charge(core::Request& request, std::int64_t gpus, core::RequestStage stage) {
    const auto gpu = table_.objects().tree().flavor_resources().intern("std", "gpu");
    table_.charge(request, *table_.objects().queue(request.queue), {{gpu, gpus}},
                  {{.count = gpus, .flavors = {{"gpu", "std"}}, .usage = {{"gpu", gpus}}}}, stage,
                  at(20));
  }
  QueueReport report() const { return make_report(table_, at(70)); }

  core::QuotaConfig config_;
  core::RequestTable table_{config_};
};

// "nominal used borrowed lent releasing".
std::string figures(const QueueReport& report, const char* name) {
  const QueueLine* line = report.find(name);
  if (line == nullptr || line->resources.size() != 1) return "not one resource";
  const FlavorFigures& each = line->resources.front();
  return fmt::format("{} {} {} {} {}", each.nominal, each.used, each.borrowed, each.lent,
                     each.releasing);
}

TEST_F(QueueReportTest, showsTheTreeWithItsFigures) {
  charge(add("big", "qb", 0, 6), 6, core::RequestStage::admitted);
  charge(add("leaving", "qa", 0, 1), 1, core::RequestStage::releasing);
  const QueueReport all = report();

  std::string names;
  for (const QueueLine& line : all.queues) {
    names += fmt::format("{}{} ", std::string(line.depth, '.'), line.name);
  }
  EXPECT_EQ(names, "org .a ..t/qa .b ..t/qb ");
  EXPECT_EQ(figures(all, "org"), "12 7 0 0 1");
  EXPECT_EQ(figures(all, "a"), "8 1 0 2 1");
  EXPECT_EQ(figures(all, "b"), "4 6 2 0 0");
  EXPECT_EQ(figures(all, "t/qb"), "0 6 0 0 0");
  EXPECT_EQ(all.find("b")->admitted, 1U);
  EXPECT_EQ(all.find("nowhere"), nullptr);
}

TEST_F(QueueReportTest, listsWhoWaitsInOrder) {
  add("low", "qa", 0, 2);
  charge(add("runs", "qb", 0, 11), 11, core::RequestStage::admitted);
  core::Request& first = add("first", "qa", 5, 2,
                             "[{apiVersion: batch/v1, kind: Job, name: train, uid: u, "
                             "controller: true}]");
  first.refusal =
      core::PendingReason{core::Waits::for_quota, "no", {{"main", "std", "gpu", 2, 0, false}}};
  const QueueReport all = report();

  ASSERT_EQ(all.requests.size(), 3U);
  const RequestLine& head = all.requests.front();
  EXPECT_EQ(head.object, "Job t/train");
  EXPECT_EQ(head.position, 1U);
  EXPECT_EQ(head.reason, "WaitingForQuota");
  EXPECT_EQ(wait_text(head), "needs 2 gpu of std, 1 left");
  EXPECT_EQ(blocker_of(head), "quota");
  EXPECT_EQ(head.waited, Millis(60'000));
  EXPECT_EQ(all.requests[1].position, 2U);
  EXPECT_EQ(all.requests[1].reason, "PendingEvaluation");
  EXPECT_EQ(all.requests.back().state, "Admitted");
  EXPECT_EQ(all.find("a")->waiting, 2U);
  EXPECT_EQ(all.find("a")->head, std::optional<std::size_t>(0));
  EXPECT_EQ(all.find("org")->waiting, 2U);
  EXPECT_EQ(all.find_request("t/train"), &head);
  EXPECT_EQ(all.find_request("t/first"), &head);
}

TEST_F(QueueReportTest, saysWhatCanNeverBe) {
  add("huge", "qa", 0, 20).refusal = core::PendingReason{
      core::Waits::exceeds_max_quota, "no", {{"main", "std", "gpu", 20, 12, true}}};

  EXPECT_EQ(wait_text(report().requests.front()),
            "needs 20 gpu of std, more than 12 it can never have");
}

TEST_F(QueueReportTest, keepsOnlyThePartThatIsAskedFor) {
  add("wa", "qa", 0, 1);
  add("wb", "qb", 0, 1);
  const QueueReport part = part_of(report(), "b");

  std::string names;
  for (const QueueLine& line : part.queues) names += line.name + " ";
  EXPECT_EQ(names, "org b t/qb ");
  ASSERT_EQ(part.requests.size(), 1U);
  EXPECT_EQ(part.requests.front().name, "t/wb");
  EXPECT_EQ(part.find("b")->head, std::optional<std::size_t>(0));
}

}  // namespace
}  // namespace tutti::queues
