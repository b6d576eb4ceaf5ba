#include "core/requests/request_table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/build.h"
#include "support/quota_build.h"

namespace tutti::core {
namespace {

using test::at_second;
using test::flavor;
using test::local_queue;
using test::queue;
using test::request;

class RequestTableTest : public testing::Test {
 protected:
  RequestTableTest() {
    objects().set(flavor("std"));
    objects().set(queue("a").cohort("org").quota("std", "cpu", "4").build());
    objects().set(queue("b").cohort("org").quota("std", "cpu", "4").build());
    objects().set(queue("alone").quota("std", "cpu", "4").build());
    for (const char* name : {"a", "b", "alone"}) objects().set(local_queue(name));
  }
  ~RequestTableTest() override { EXPECT_EQ(table_.check_consistency(), ""); }

  QuotaObjects& objects() { return table_.objects(); }
  Request& put(const test::RequestBuilder& builder) { return table_.put(builder.build()); }
  std::vector<std::string> line(std::string_view queue_name) {
    std::vector<std::string> names;
    for (const Request* each : table_.waiting(queue_name)) names.push_back(each->object->meta.name);
    return names;
  }
  std::vector<quota::Charge> cpu(std::int64_t cores) {
    return {{objects().tree().flavor_resources().intern("std", "cpu"), cores * 1000}};
  }
  void charge(Request& request, std::int64_t cores, RequestStage stage = RequestStage::reserved) {
    table_.charge(request, *objects().queue(request.queue), cpu(cores), {}, stage, at_second(1));
  }
  std::int64_t used(std::string_view name) {
    const auto& tree = objects().tree();
    return quota::to_int64(tree.usage(objects().queue(name)->node, cpu(0).front().of)) / 1000;
  }

  QuotaConfig config_;
  RequestTable table_{config_};
};

using LineNames = std::vector<std::string>;

TEST_F(RequestTableTest, ordersAQueueByPriorityThenTimeThenName) {
  put(request("later").queue("a").created(at_second(9)));
  put(request("second").queue("a").created(at_second(5)));
  put(request("first").queue("a").created(at_second(5)));
  put(request("high").queue("a").created(at_second(8)).priority(1));
  put(request("boosted")
          .queue("a")
          .created(at_second(9))
          .annotation("kueue.x-k8s.io/priority-boost", "2"));
  EXPECT_EQ(line("a"), (LineNames{"boosted", "high", "first", "second", "later"}));
}

TEST_F(RequestTableTest, countsTheBoostOnlyIfItIsANumberOfThatSize) {
  const auto boosted = [](std::string by) {
    return effective_priority(*request("r")
                                   .priority(7)
                                   .annotation("kueue.x-k8s.io/priority-boost", std::move(by))
                                   .build());
  };
  EXPECT_EQ(boosted("3"), 10);
  EXPECT_EQ(boosted("-9"), -2);
  EXPECT_EQ(boosted("much"), 7);
  EXPECT_EQ(boosted("99999999999"), 7);
}

TEST_F(RequestTableTest, waitsSinceItsCreationOrALateEviction) {
  const auto since = [](std::string reason, RequeueOrder order) {
    QuotaConfig config;
    config.pods_ready->order = order;
    const auto made =
        request("r").created(at_second(1)).condition("Evicted", std::move(reason), at_second(9));
    return queue_timestamp(*made.build(), config) / 1000;
  };
  EXPECT_EQ(since("Preempted", RequeueOrder::eviction), 1);
  EXPECT_EQ(since("PodsReadyTimeout", RequeueOrder::eviction), 9);
  EXPECT_EQ(since("PodsReadyTimeout", RequeueOrder::creation), 1);
  EXPECT_EQ(since("AdmissionCheck", RequeueOrder::creation), 9);
}

TEST_F(RequestTableTest, chargesOnceAndGivesAllOfItBack) {
  Request& first = put(request("r").queue("a"));
  charge(first, 3);
  EXPECT_EQ(used("a"), 3);
  EXPECT_EQ(line("a"), LineNames{});
  EXPECT_TRUE(table_.holding(objects().queue("a")->node).contains("t/r"));
  table_.recharge(first, cpu(1));
  EXPECT_EQ(used("a"), 1);
  table_.release(first);
  EXPECT_EQ(used("a"), 0);
  EXPECT_EQ(line("a"), LineNames{"r"});
  EXPECT_FALSE(first.holds());
}

TEST_F(RequestTableTest, doesNotLineUpWhoHasFinished) {
  Request& done = put(request("r").queue("a"));
  charge(done, 3);
  done.finished = true;
  table_.release(done);
  EXPECT_EQ(line("a"), LineNames{});
}

TEST_F(RequestTableTest, tellsTheTreeOfReleasesAndOthersNothing) {
  Request& in_a = put(request("r").queue("a"));
  const auto version = [this](std::string_view name) {
    return table_.quota_version(objects().queue(name)->node);
  };
  charge(in_a, 3);
  const auto b = version("b"), alone = version("alone");
  table_.release(in_a);
  EXPECT_NE(version("b"), b);
  EXPECT_EQ(version("alone"), alone);
}

TEST_F(RequestTableTest, keepsChargesWhenQuotasAndCohortsChange) {
  Request& in_a = put(request("r").queue("a"));
  charge(in_a, 3);
  objects().set(queue("a").quota("std", "cpu", "1").build());
  EXPECT_EQ(used("a"), 3);
  objects().set(queue("a").cohort("other").quota("std", "cpu", "9").build());
  EXPECT_EQ(used("a"), 3);
  table_.release(in_a);
}

TEST_F(RequestTableTest, followsItsLocalQueueWhileItWaits) {
  put(request("r").queue("mine"));
  EXPECT_EQ(line(""), LineNames{"r"});
  objects().set(local_queue("mine", "b"));
  table_.resolve_all();
  EXPECT_EQ(line("b"), LineNames{"r"});
  objects().remove({model::Kind::local_queue, "t", "mine", {}});
  table_.resolve_all();
  EXPECT_EQ(line(""), LineNames{"r"});
}

TEST_F(RequestTableTest, knowsWhoIsPreempting) {
  Request& waits = put(request("r").queue("a"));
  charge(waits, 3, RequestStage::preempting);
  EXPECT_TRUE(table_.preempting().contains("t/r"));
  table_.advance(waits, RequestStage::admitted);
  EXPECT_TRUE(table_.preempting().empty());
}

TEST(LeftToRun, countsWhoHasNotEndedForGood) {
  const auto left = [](std::int32_t size, std::int32_t ended, std::int64_t count) {
    const auto made = request("r").pods(size, "cpu", "1").ended(ended).build();
    return left_to_run(*made, made->spec.pod_sets[0], count);
  };
  EXPECT_EQ(left(8, 0, 8), 8);
  EXPECT_EQ(left(8, 3, 8), 5);
  EXPECT_EQ(left(8, 2, 5), 5) << "it was admitted with 5 of 8, and 6 are left";
  EXPECT_EQ(left(8, 4, 5), 4);
  EXPECT_EQ(left(8, 9, 8), 0);
}

}  // namespace
}  // namespace tutti::core
