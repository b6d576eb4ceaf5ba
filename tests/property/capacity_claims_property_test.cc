// The figures of `tutti capacity` for pods with device claims, on random small clusters, against
// the scheduler itself.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "capacity/report.h"
#include "core/scheduler/scheduler.h"
#include "property/seeds.h"
#include "support/build.h"
#include "support/default_profile.h"
#include "support/device_build.h"
#include "support/fake_port.h"

namespace tutti {
namespace {

core::SchedulerOptions options() {
  core::SchedulerOptions made;
  made.config = test::default_config();
  return made;
}

struct SmallCluster {
  std::vector<std::shared_ptr<const model::Node>> nodes;
  std::vector<std::shared_ptr<const model::ResourceSlice>> slices;
  std::vector<std::shared_ptr<const model::ResourceClaim>> held;  // allocated, by nobody we know
  model::ClaimSpec wants;
  std::string text;
};

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  SmallCluster make() {
    SmallCluster made;
    const std::size_t nodes = 1 + below(5);
    for (std::size_t i = 0; i < nodes; ++i) add_node(i, made);
    auto wish = test::wish("gpu").count(static_cast<std::int64_t>(1 + below(3)));
    made.text += "\n  wants " + std::to_string(static_cast<model::DeviceWish>(wish).count);
    if (one_in(3)) wish.of_kind("a"), made.text += " of kind a";
    auto claim = test::claim("c").request("r", wish);
    if (one_in(3)) claim.match("gpu.example.com/kind"), made.text += " of one kind";
    made.wants = claim.spec();
    return made;
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_.below(n)); }
  bool one_in(std::size_t n) { return below(n) == 0; }

  void add_node(std::size_t i, SmallCluster& made) {
    const std::string name = "n" + std::to_string(i);
    auto node = test::node(name).cpu(std::to_string(1 + below(4)));
    node.label("zone", std::to_string(below(2)));
    if (one_in(6)) node.unschedulable();
    made.nodes.push_back(node.build());
    made.text += "\n  " + name + ":";
    std::vector<model::Device> devices;
    for (std::size_t d = 0, count = below(6); d < count; ++d) {
      const std::string device_name = "d" + std::to_string(d);
      auto device = test::device(device_name).kind(one_in(2) ? "a" : "b");
      if (one_in(8)) device.taint("xid", "NoSchedule");
      made.text += " " + std::get<std::string>(model::Device(device).attributes[0].value);
      if (one_in(4)) hold(name, device_name, made);
      devices.push_back(device);
    }
    if (!devices.empty()) made.slices.push_back(test::slice("s" + name, name, name, devices));
  }

  void hold(const std::string& pool, const std::string& device, SmallCluster& made) {
    model::Allocation allocation;
    model::DeviceResult result;
    result.request = "r";
    result.driver = test::kDriver;
    result.pool = pool;
    result.device = device;
    allocation.results.push_back(result);
    made.held.push_back(test::claim("held-" + pool + "-" + device)
                            .request("r", test::wish("gpu"))
                            .allocated(allocation)
                            .build());
    made.text += "(held)";
  }

  Random random_;
};

// What is decided is looked at; that it is written is another's business.
class Port : public test::FakePort {
 public:
  void patch_claim(const core::ClaimPatch& /*patch*/) override {}
};

class Stage {
 public:
  explicit Stage(const SmallCluster& cluster)
      : cluster_(cluster), scheduler_(options(), test::default_profiles(), port_) {
    port_.serve(scheduler_);
    port_.apply(std::shared_ptr<const model::DeviceClass>(test::device_class("gpu")));
    for (const auto& node : cluster.nodes) port_.apply(node);
    for (const auto& slice : cluster.slices) port_.apply(slice);
    for (const auto& claim : cluster.held) port_.apply(claim);
    add_pod("like", {}, true);
    port_.run_instant();
  }

  const core::Scheduler& scheduler() const { return scheduler_; }

  bool places(const std::string& key, std::size_t size) {
    port_.apply(test::pod_group("g").gang(static_cast<std::int32_t>(size)).topology(key).build());
    for (std::size_t i = 0; i < size; ++i) add_pod("g-" + std::to_string(i), "g", false);
    port_.run_instant();
    const auto first = scheduler_.cluster().pods().find("pod-g-0");
    return first && scheduler_.cluster().pod(*first).node.valid();
  }

 private:
  void add_pod(const std::string& name, const std::string& group, bool gated) {
    auto claim = std::make_shared<model::ResourceClaim>(
        *test::claim(name + "-c").owner("Pod", name, "pod-" + name).build());
    claim->spec = cluster_.wants;
    port_.apply(std::shared_ptr<const model::ResourceClaim>(claim));
    auto builder = test::pod(name).cpu("1").group(group);
    if (gated) builder.gate("never");
    builder.with([](model::PodSpec& spec) {
      spec.resource_claims.push_back({.name = "c", .claim_name = {}, .template_name = "tpl"});
    });
    auto pod = std::make_shared<model::Pod>(*builder.build());
    pod->status.claim_statuses.push_back({"c", name + "-c"});
    port_.apply(std::shared_ptr<const model::Pod>(pod));
  }

  const SmallCluster& cluster_;
  Port port_;
  core::Scheduler scheduler_;
};

std::string check_level(const SmallCluster& cluster, const capacity::LevelCapacity& room) {
  const std::string where = room.key.empty() ? "the cluster" : room.key;
  if (room.gang > 0 && !Stage(cluster).places(room.key, room.gang)) {
    return fmt::format("a gang of {} is said to fit {} and is not placed", room.gang, where);
  }
  if (room.exact && Stage(cluster).places(room.key, room.gang + 1)) {
    return fmt::format("{} is said to be the most for {}, and one more is placed", room.gang,
                       where);
  }
  return {};
}

std::string check_counts(const capacity::Report& report) {
  for (const capacity::DeviceUse& use : report.devices) {
    std::size_t sum = use.held + use.usable;
    for (const auto& idle : use.unusable) sum += idle.devices;
    if (sum != use.total) return fmt::format("{} of {} devices are counted", sum, use.total);
  }
  return {};
}

std::string check(std::uint64_t seed, std::size_t& exact) {
  const SmallCluster cluster = Maker(seed).make();
  const Stage stage(cluster);
  capacity::ClusterCopy twin(stage.scheduler(), test::default_profiles());
  const capacity::Report report =
      capacity::make_report({.scheduler = stage.scheduler(),
                             .sources = explain::sources_of(stage.scheduler()),
                             .now = Instant{}},
                            twin);
  if (auto problem = check_counts(report); !problem.empty()) return problem + cluster.text;
  if (report.shapes.size() != 1) return "the pod with a claim has no shape" + cluster.text;
  for (const capacity::LevelCapacity& level : report.shapes[0].levels) {
    exact += level.exact;
    if (auto problem = check_level(cluster, level); !problem.empty()) return problem + cluster.text;
  }
  return {};
}

TEST(CapacityClaims, theLargestGangIsTheLargestThatTheSchedulerPlaces) {
  std::size_t exact = 0;
  test::for_seeds("tutti_capacity_property_test", 1'000,
                  [&](std::uint64_t seed) { return check(seed, exact); });
  RecordProperty("exact", static_cast<int>(exact));
}

}  // namespace
}  // namespace tutti
