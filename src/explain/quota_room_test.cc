#include "explain/quota_room.h"

#include <gtest/gtest.h>

#include <string>

namespace tutti::explain {
namespace {

Quantity cpu(std::int64_t units) { return Quantity::from_units(units); }

model::FlavorQuotas quota_of(const std::string& flavor, std::int64_t nominal,
                             std::optional<Quantity> borrow = {}) {
  return {flavor,
          {{.resource = "cpu",
            .nominal = cpu(nominal),
            .borrowing_limit = borrow,
            .lending_limit = {}}}};
}

// A queue of two flavors, b of which is tainted, in a cohort with a lender of a.
class QuotaRoomTest : public testing::Test {
 protected:
  QuotaRoomTest() {
    flavor("a", {});
    flavor("b", {{.key = "batch", .value = "yes", .effect = "NoSchedule"}});
    queue("ml", {quota_of("a", 6, cpu(2)), quota_of("b", 8)});
    queue("web", {quota_of("a", 4)});
    table_.objects().tree();
  }

  void flavor(const std::string& name, std::vector<model::Taint> taints) {
    auto made = std::make_shared<model::ResourceFlavor>();
    made->meta.name = name;
    made->node_taints = std::move(taints);
    table_.objects().set(made);
  }

  void queue(const std::string& name, std::vector<model::FlavorQuotas> flavors) {
    auto made = std::make_shared<model::ClusterQueue>();
    made->meta.name = name;
    made->spec.cohort = "all";
    made->spec.groups = {{.covered = {"cpu"}, .flavors = std::move(flavors)}};
    table_.objects().set(made);
    auto local = std::make_shared<model::LocalQueue>();
    local->meta.ns = "t";
    local->meta.name = name;
    local->spec.cluster_queue = name;
    table_.objects().set(local);
  }

  core::Request& request(const std::string& name, const std::string& into, std::int32_t pods,
                         const std::string& amount) {
    auto made = std::make_shared<model::AdmissionRequest>();
    made->meta.ns = "t";
    made->meta.name = name;
    made->spec.queue = into;
    auto spec = std::make_shared<model::PodSpec>();
    model::Container container;
    container.requests = {{"cpu", *Quantity::parse(amount)}};
    spec->containers = {container};
    model::PodSet set;
    set.count = pods;
    set.pods.spec = std::move(spec);
    made->spec.pod_sets = {set};
    return table_.put(std::move(made));
  }

  void charge(const std::string& queue, std::int64_t units) {
    core::Request& holder = request("holder-" + queue, queue, 1, "1");
    const auto of = table_.objects().tree().flavor_resources().intern("a", "cpu");
    table_.charge(holder, *table_.objects().queue(queue), {{of, units * 1000}}, {},
                  core::RequestStage::admitted, {});
  }

  std::vector<FlavorRoom> room(const core::Request& request) const {
    return quota_room(table_, *table_.objects().queue(request.queue), request);
  }

  core::QuotaConfig config_;
  core::RequestTable table_{config_};
};

TEST_F(QuotaRoomTest, countsWhatIsOwnedUsedAndLent) {
  charge("ml", 7);  // one of them borrowed
  charge("web", 2);
  const auto rooms = room(request("w", "ml", 4, "500m"));
  ASSERT_EQ(rooms.size(), 2U);
  const ResourceRoom& a = rooms[0].resources.at(0);
  EXPECT_EQ(a.need, 2000);
  EXPECT_EQ(a.nominal, 6000);
  EXPECT_EQ(a.used, 7000);
  EXPECT_EQ(a.borrowed, 1000);
  EXPECT_EQ(a.free, 1000);  // the cohort has one left, and so has the borrowing limit
  EXPECT_EQ(a.most, 8000);
  EXPECT_EQ(a.missing(), 1000);
  EXPECT_FALSE(a.never());
  EXPECT_FALSE(rooms[0].fits());
}

TEST_F(QuotaRoomTest, saysWhyAFlavorMayNotBeUsed) {
  const auto rooms = room(request("w", "ml", 1, "1"));
  EXPECT_TRUE(rooms[0].fits());
  EXPECT_FALSE(rooms[1].usable());
  EXPECT_EQ(rooms[1].mismatch, "untolerated taint {batch yes NoSchedule} in flavor b");
  EXPECT_TRUE(lacking_flavors(rooms).empty());
}

TEST_F(QuotaRoomTest, speaksOfTheFlavorThatCouldFitWithOthersGone) {
  charge("ml", 6);
  const auto little = room(request("w", "ml", 4, "1"));
  ASSERT_EQ(lacking_flavors(little).size(), 1U);
  EXPECT_EQ(lacking_flavors(little)[0]->name, "a");
  EXPECT_FALSE(lacking_flavors(little)[0]->never());
  const auto much = room(request("x", "ml", 9, "1"));
  ASSERT_EQ(lacking_flavors(much).size(), 1U);
  EXPECT_TRUE(lacking_flavors(much)[0]->never());
}

}  // namespace
}  // namespace tutti::explain
