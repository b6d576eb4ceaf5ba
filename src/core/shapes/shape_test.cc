#include "core/shapes/shape.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "support/build.h"

namespace tutti::core {
namespace {

using test::pod;
using test::quantity;

// Resource ids as the cluster hands them out: the four fixed ones, then by first sight.
class InternedNames {
 public:
  ResourceIds ids() {
    return [this](std::string_view name) {
      const auto at = known_.find(name);
      if (at != known_.end()) return at->second;
      const ResourceId id{static_cast<std::uint32_t>(known_.size())};
      return known_.emplace(name, id).first->second;
    };
  }
  // "cpu=500 memory=1024": what the pod asks for beside its pod slot.
  std::string text(const std::vector<ResourceAmount>& amounts) const {
    std::string out;
    for (const auto& [resource, amount] : amounts) {
      if (resource == kPods) continue;
      for (const auto& [name, id] : known_) {
        if (id == resource) out += (out.empty() ? "" : " ") + name + "=" + std::to_string(amount);
      }
    }
    return out;
  }

 private:
  std::map<std::string, ResourceId, std::less<>> known_ = {{"cpu", kCpu},
                                                           {"memory", kMemory},
                                                           {"ephemeral-storage", kEphemeralStorage},
                                                           {"pods", kPods}};
};

model::Container container(std::string name, model::ResourceList requests) {
  return {.name = std::move(name),
          .image = "image",
          .requests = std::move(requests),
          .limits = {},
          .claims = {},
          .ports = {}};
}
model::Container sidecar(std::string name, model::ResourceList requests) {
  auto made = container(std::move(name), std::move(requests));
  made.restart_always = true;
  return made;
}
model::ResourceList cpu(std::string_view amount) { return {{"cpu", quantity(amount)}}; }

std::string requests_of(const model::Pod& pod) {
  InternedNames names;
  return names.text(effective_requests(pod, names.ids()));
}

struct RequestCase {
  std::string_view says;
  std::vector<model::Container> containers;
  std::vector<model::Container> init;
  model::ResourceList pod_level;
  model::ResourceList overhead;
  std::string_view expected;
};

TEST(EffectiveRequests, followTheArithmeticOfKubernetes) {
  const std::vector<RequestCase> cases = {
      {"nothing asked, nothing counted", {container("a", {})}, {}, {}, {}, ""},
      {"containers add up",
       {container("a", cpu("1")), container("b", cpu("500m"))},
       {},
       {},
       {},
       "cpu=1500"},
      {"a fraction of a milli-cpu counts as one",
       {container("a", cpu("100u"))},
       {},
       {},
       {},
       "cpu=1"},
      {"an init container smaller than the sum adds nothing",
       {container("a", cpu("2"))},
       {container("i", cpu("1"))},
       {},
       {},
       "cpu=2000"},
      {"a larger init container is the peak",
       {container("a", cpu("1"))},
       {container("i", cpu("3"))},
       {},
       {},
       "cpu=3000"},
      {"ordinary init containers run one after another",
       {container("a", cpu("1"))},
       {container("i", cpu("2")), container("j", cpu("3"))},
       {},
       {},
       "cpu=3000"},
      {"a sidecar stays beside the containers",
       {container("a", cpu("1"))},
       {sidecar("s", cpu("2"))},
       {},
       {},
       "cpu=3000"},
      {"an init container runs beside sidecars started before it",
       {container("a", cpu("1"))},
       {sidecar("s", cpu("2")), container("i", cpu("4"))},
       {},
       {},
       "cpu=6000"},
      {"and not beside those started after it",
       {container("a", cpu("1"))},
       {container("i", cpu("4")), sidecar("s", cpu("2"))},
       {},
       {},
       "cpu=4000"},
      {"each resource has its own peak",
       {container("a", {{"cpu", quantity("1")}, {"memory", quantity("8")}})},
       {container("i", {{"cpu", quantity("2")}, {"memory", quantity("4")}})},
       {},
       {},
       "cpu=2000 memory=8"},
      {"pod-level requests replace the total of what they name",
       {container("a", {{"cpu", quantity("1")}, {"memory", quantity("8")}})},
       {},
       cpu("3"),
       {},
       "cpu=3000 memory=8"},
      {"pod-level requests do not name extended resources",
       {container("a", {{"example.com/gpu", quantity("2")}})},
       {},
       {{"example.com/gpu", quantity("9")}},
       {},
       "example.com/gpu=2"},
      {"pod-level huge pages count",
       {container("a", {})},
       {},
       {{"hugepages-2Mi", quantity("4")}},
       {},
       "hugepages-2Mi=4"},
      {"overhead comes on top", {container("a", cpu("1"))}, {}, {}, cpu("250m"), "cpu=1250"},
      {"overhead comes on top of pod-level requests too",
       {container("a", cpu("1"))},
       {},
       cpu("3"),
       cpu("250m"),
       "cpu=3250"},
      {"a request of zero is no request", {container("a", cpu("0"))}, {}, {}, {}, ""},
  };
  for (const auto& each : cases) {
    SCOPED_TRACE(each.says);
    const auto made = pod("p").with([&](model::PodSpec& spec) {
      spec.containers = each.containers;
      spec.init_containers = each.init;
      spec.pod_requests = each.pod_level;
      spec.overhead = each.overhead;
    });
    EXPECT_EQ(requests_of(*made.build()), each.expected);
  }
}

model::Pod resizing(std::string_view asked, std::string_view allocated, std::string_view actual) {
  model::Pod made = *pod("p").cpu(asked).on("n").build();
  made.status.container_resources = {{"main", cpu(allocated), cpu(actual)}};
  return made;
}

TEST(EffectiveRequests, countTheLargestOfAskedAllocatedAndActualDuringAResize) {
  EXPECT_EQ(requests_of(resizing("3", "1", "2")), "cpu=3000");
  EXPECT_EQ(requests_of(resizing("1", "3", "2")), "cpu=3000");
  EXPECT_EQ(requests_of(resizing("1", "2", "3")), "cpu=3000");
}

TEST(EffectiveRequests, leaveOutWhatAnInfeasibleResizeAsksFor) {
  model::Pod made = resizing("9", "1", "2");
  made.status.conditions.push_back(
      {"PodResizePending", "True", "Infeasible", "the node is smaller", {}, 0});
  EXPECT_EQ(requests_of(made), "cpu=2000");
}

TEST(PodShape, alwaysAsksForOnePodSlot) {
  InternedNames names;
  EXPECT_EQ(make_shape(*pod("p").build(), names.ids()).request(kPods), 1);
}

TEST(PodShape, assumesSomethingPerContainerWithoutRequestsForScoring) {
  InternedNames names;
  const auto made = pod("p").with([](model::PodSpec& spec) {
    spec.containers = {container("a", {}), container("b", cpu("1"))};
  });
  const PodShape shape = make_shape(*made.build(), names.ids());
  EXPECT_EQ(shape.nonzero_cpu, 1100);
  EXPECT_EQ(shape.nonzero_memory, 2 * (200LL << 20));
  EXPECT_EQ(shape.request(kCpu), 1000);
}

TEST(PodShape, takesHostPortsOfContainersAndSidecarsButNotOfInitContainers) {
  InternedNames names;
  const auto with_port = [](model::Container made, std::int32_t port) {
    made.ports.push_back({port, port, {}, model::Protocol::udp});
    return made;
  };
  const auto made = pod("p").with([&](model::PodSpec& spec) {
    spec.containers = {with_port(container("a", {}), 1)};
    spec.init_containers = {with_port(container("i", {}), 2), with_port(sidecar("s", {}), 3)};
  });
  const std::vector<HostPort> expected = {{"0.0.0.0", model::Protocol::udp, 1},
                                          {"0.0.0.0", model::Protocol::udp, 3}};
  EXPECT_EQ(make_shape(*made.build(), names.ids()).host_ports, expected);
}

TEST(PodShape, isTheSameForPodsThatDifferOnlyInWhatNodesDoNotSee) {
  InternedNames names;
  const PodShape plain = make_shape(*pod("a").cpu("1").build(), names.ids());
  const PodShape grouped = make_shape(
      *pod("b").cpu("1").group("g").gate("x").priority(7).label("a", "b").build(), names.ids());
  EXPECT_TRUE(same_shape(plain, grouped));
  EXPECT_EQ(shape_hash(plain), shape_hash(grouped));
}

// What an API server, an admission plugin or a user adds to pods that all ask for the same.
TEST(PodShape, isTheSameWhateverNoPluginLooksAt) {
  struct Case {
    std::string_view says;
    std::function<void(model::PodSpec&)> edit;
  };
  const auto volume = [](std::string name) {
    model::Volume made;
    made.name = std::move(name);
    return made;
  };
  const Case cases[] = {
      {"a token volume of its own",
       [&](auto& spec) { spec.volumes.push_back(volume("kube-api-access-x7k2p")); }},
      {"the name of its container", [](auto& spec) { spec.containers[0].name = "other"; }},
      {"limits", [](auto& spec) { spec.containers[0].limits = cpu("9"); }},
      {"a port that is none of the host's",
       [](auto& spec) {
         spec.containers[0].ports.push_back({8080, 0, {}, {}});
       }},
      {"a deadline", [](auto& spec) { spec.active_deadline_seconds = 5; }},
  };
  InternedNames names;
  const PodShape plain = make_shape(*pod("a").cpu("1").build(), names.ids());
  for (const auto& [says, edit] : cases) {
    SCOPED_TRACE(says);
    const PodShape other = make_shape(*pod("b").cpu("1").with(edit).build(), names.ids());
    EXPECT_TRUE(same_shape(plain, other));
    EXPECT_EQ(shape_hash(plain), shape_hash(other));
  }
}

TEST(PodShape, takesTolerationsInAnyOrderAndForAnyTime) {
  using Operator = model::Toleration::Operator;
  const model::Toleration a{"a", Operator::exists, {}, "NoExecute", 300};
  const model::Toleration b{"b", Operator::exists, {}, "NoSchedule", {}};
  model::Toleration longer = a;
  longer.toleration_seconds = 600;
  InternedNames names;
  const auto with = [&](const model::Toleration& first, const model::Toleration& second) {
    return make_shape(*pod("p").toleration(first).toleration(second).build(), names.ids());
  };
  EXPECT_TRUE(same_shape(with(a, b), with(b, longer)));
  EXPECT_EQ(shape_hash(with(a, b)), shape_hash(with(b, longer)));
  EXPECT_FALSE(same_shape(with(a, b), with(b, b)));
}

TEST(PodShape, dependsOnImagesWhereAPluginLooksAtThem) {
  const auto with_image = [](std::string image) {
    return pod("p").with([&](model::PodSpec& spec) { spec.containers[0].image = image; }).build();
  };
  InternedNames names;
  const auto same = [&](PodAspects aspects) {
    return same_shape(make_shape(*with_image("one"), names.ids(), aspects),
                      make_shape(*with_image("two"), names.ids(), aspects));
  };
  EXPECT_TRUE(same(PodAspects::none));
  EXPECT_FALSE(same(PodAspects::images));
  EXPECT_FALSE(same(PodAspects::everything));
}

TEST(PodShape, differsWithWhatNodesSee) {
  InternedNames names;
  const PodShape plain = make_shape(*pod("a").cpu("1").build(), names.ids());
  EXPECT_FALSE(same_shape(plain, make_shape(*pod("a").cpu("2").build(), names.ids())));
  EXPECT_FALSE(
      same_shape(plain, make_shape(*pod("a").cpu("1").host_port(80).build(), names.ids())));
  EXPECT_FALSE(
      same_shape(plain, make_shape(*pod("a").cpu("1").in_namespace("u").build(), names.ids())));
  EXPECT_FALSE(same_shape(
      plain, make_shape(*pod("a").cpu("1").anti_affinity("zone", "a", "b").build(), names.ids())));
}

TEST(PodShape, isSpecialWhenItsPresenceMattersToOthers) {
  InternedNames names;
  const auto special = [&](const test::PodBuilder& builder) {
    return make_shape(*builder.build(), names.ids()).special();
  };
  EXPECT_FALSE(special(pod("a").cpu("1")));
  EXPECT_TRUE(special(pod("a").host_port(80)));
  EXPECT_TRUE(special(pod("a").affinity("zone", "a", "b")));
  EXPECT_TRUE(special(pod("a").claim("data")));
}

}  // namespace
}  // namespace tutti::core
