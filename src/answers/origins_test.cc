#include "answers/origins.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "answers/lookup.h"
#include "core/scheduler/scheduler.h"
#include "support/build.h"
#include "support/decoded.h"
#include "support/default_profile.h"
#include "support/fake_port.h"
#include "whatif/ways.h"

namespace tutti::answers {
namespace {

using test::decoded;
using Texts = std::vector<std::string>;

core::SchedulerOptions origins_options() {
  core::SchedulerOptions made;
  made.config = test::default_config();
  return made;
}

// A scheduler that groups in memory, on a cluster of two nodes with room for one pod each.
class Stage {
 public:
  explicit Stage(const Texts& objects) {
    port_.serve(scheduler_);
    for (const char* name : {"n1", "n2"}) port_.apply(test::node(name).cpu("4").build());
    for (const std::string& text : objects) {
      groups_.observe({core::Observation::Type::added, decoded(text), false});
    }
    EXPECT_TRUE(port_.settle());
  }

  explain::State state(const std::string& group) { return finding(group).verdict.state; }

  std::vector<explain::Way> ways(const std::string& group, whatif::GroupVersions versions = {}) {
    whatif::Neighbours neighbours;
    neighbours.origin = [this](const core::Group& of) { return origin_of(groups_, of); };
    neighbours.versions = std::move(versions);
    return whatif::find_ways(scheduler_, port_.now(), *finding(group).asker, neighbours);
  }

 private:
  static grouping::MemoryGroups::Options everyone() {
    grouping::MemoryGroups::Options origins_options;
    origins_options.ours = [](const model::Pod&) { return true; };
    for (const auto& kind : grouping::owner_kinds()) origins_options.watched.insert(&kind);
    return origins_options;
  }
  void take(const core::Observation& seen) {
    if (seen.type == core::Observation::Type::deleted) {
      return port_.remove(seen.object->kind, seen.object->meta.ns, seen.object->meta.name);
    }
    port_.apply(seen.object);
  }
  Finding finding(const std::string& group) {
    auto found = find_verdict(explain::sources_of(scheduler_), model::Kind::pod_group, "t", group);
    TUTTI_CHECK(found.has_value(), group);
    return *std::move(found);
  }

  test::FakePort port_;
  core::Scheduler scheduler_{origins_options(), test::default_profiles(), port_};
  grouping::MemoryGroups groups_{everyone(), [this](const core::Observation& seen) { take(seen); }};
};

// Writes a pod that asks for 3 cpu, with further metadata.
std::string pod_text(const std::string& name, const std::string& meta) {
  return fmt::format(
      "{{apiVersion: v1, kind: Pod, metadata: {{name: {0}, namespace: t, uid: {0}, {1}}}, spec: "
      "{{schedulerName: default-scheduler, priority: 0, containers: [{{name: c, image: i, "
      "resources: {{requests: {{cpu: '3'}}}}}}]}}}}",
      name, meta);
}

Texts pods(int count, const std::string& meta) {
  Texts texts;
  for (int i = 0; i < count; ++i) texts.push_back(pod_text(fmt::format("p{}", i), meta));
  return texts;
}

std::string owned_by(std::string_view version, std::string_view kind) {
  return fmt::format(
      "ownerReferences: [{{apiVersion: {}, kind: {}, name: w, uid: w-uid, controller: true}}]",
      version, kind);
}

std::string object_text(std::string_view version, std::string_view kind, std::string_view spec,
                        std::string_view more = {}) {
  return fmt::format(
      "{{apiVersion: {}, kind: {}, metadata: {{name: w, namespace: t, uid: w-uid}}, spec: {}{}}}",
      version, kind, spec, more);
}

Texts with(Texts texts, std::string more) {
  texts.push_back(std::move(more));
  return texts;
}

// "lower …: Job t/w /spec/minAvailable = 2"; empty: there is no such way.
std::string minimum_way(const std::vector<explain::Way>& ways) {
  const auto at = std::ranges::find(ways, "minCount", &explain::Way::kind);
  if (at == ways.end()) return {};
  const explain::ObjectChange& change = at->changes.front();
  const explain::PatchStep& step = change.patch.front();
  const explain::ObjectName& object = change.objects.front();
  return fmt::format("{} {}{} {} = {}", object.api_version, explain::text_of(object),
                     change.objects.size() > 1 ? " …" : "", step.path,
                     step.value.text.empty() ? std::to_string(step.value.number) : step.value.text);
}

struct OriginCase {
  std::string name;
  std::string group;
  std::string way;
  int now = 0;
  int then = 0;
  std::function<Texts(int)> objects;  // with that minimum
};

std::vector<OriginCase> cases() {
  const auto torch = [](std::string_view status) {
    return [status](int minimum) {
      const auto spec = fmt::format(
          "{{runPolicy: {{schedulingPolicy: {{minAvailable: {}}}}}, pytorchReplicaSpecs: "
          "{{Worker: {{replicas: 4, template: {{spec: {{containers: []}}}}}}}}}}",
          minimum);
      return with(pods(3, owned_by("kubeflow.org/v1", "PyTorchJob")),
                  object_text("kubeflow.org/v1", "PyTorchJob", spec, status));
    };
  };
  return {
      {"kueue", "kueue:w",
       " Pod t/p0 … /metadata/annotations/kueue.x-k8s.io~1pod-group-total-count = 2", 3, 2,
       [](int minimum) {
         return pods(3, fmt::format("labels: {{kueue.x-k8s.io/pod-group-name: w}}, annotations: "
                                    "{{kueue.x-k8s.io/pod-group-total-count: '{}'}}",
                                    minimum));
       }},
      {"volcano", "volcano:w", "scheduling.volcano.sh/v1beta1 PodGroup t/w /spec/minMember = 2", 3,
       2,
       [](int minimum) {
         return with(pods(3, "annotations: {scheduling.k8s.io/group-name: w}"),
                     object_text("scheduling.volcano.sh/v1beta1", "PodGroup",
                                 fmt::format("{{minMember: {}}}", minimum)));
       }},
      {"scheduler-plugins", "scheduler-plugins:w",
       "scheduling.x-k8s.io/v1alpha1 PodGroup t/w /spec/minMember = 2", 3, 2,
       [](int minimum) {
         return with(pods(3, "labels: {scheduling.x-k8s.io/pod-group: w}"),
                     object_text("scheduling.x-k8s.io/v1alpha1", "PodGroup",
                                 fmt::format("{{minMember: {}}}", minimum)));
       }},
      {"a Job that says how", "job:w",
       " Job t/w /spec/scheduling/schedulingPolicy/gang/minCount = 2", 3, 2,
       [](int minimum) {
         return with(
             pods(3, owned_by("batch/v1", "Job")),
             object_text("batch/v1", "Job",
                         fmt::format("{{parallelism: 3, completions: 3, scheduling: "
                                     "{{schedulingPolicy: {{gang: {{minCount: {}}}}}}}, template: "
                                     "{{spec: {{containers: []}}}}}}",
                                     minimum)));
       }},
      {"a PyTorchJob", "pytorchjob:w",
       "kubeflow.org/v1 PyTorchJob t/w /spec/runPolicy/schedulingPolicy/minAvailable = 2", 3, 2,
       torch("")},
      {"a PyTorchJob that is partly done", "pytorchjob:w",
       "kubeflow.org/v1 PyTorchJob t/w /spec/runPolicy/schedulingPolicy/minAvailable = 3", 4, 3,
       torch(", status: {replicaStatuses: {Worker: {succeeded: 1}}}")},
  };
}

TEST(Origins, aSmallerMinimumIsWrittenWherePeopleWriteItAndSuffices) {
  for (const OriginCase& each : cases()) {
    SCOPED_TRACE(each.name);
    Stage before(each.objects(each.now));
    EXPECT_NE(before.state(each.group), explain::State::running);
    EXPECT_EQ(minimum_way(before.ways(each.group)), each.way);
    Stage after(each.objects(each.then));
    EXPECT_EQ(after.state(each.group), explain::State::running);
  }
}

TEST(Origins, aGangAsLargeAsItsWorkloadHasNoSmallerMinimum) {
  const std::string job =
      object_text("batch/v1", "Job",
                  "{completionMode: Indexed, parallelism: 3, completions: 3, template: {spec: "
                  "{containers: []}}}");
  Stage stage(with(pods(3, owned_by("batch/v1", "Job")), job));
  EXPECT_NE(stage.state("job:w"), explain::State::running);
  EXPECT_EQ(minimum_way(stage.ways("job:w")), "");
}

TEST(Origins, noWayNamesAGroupThatIsOnlyInMemory) {
  for (const OriginCase& each : cases()) {
    SCOPED_TRACE(each.name);
    Texts objects = each.objects(each.now);
    Stage stage(objects);
    for (const explain::Way& way : stage.ways(each.group)) {
      for (const explain::ObjectChange& change : way.changes) {
        for (const explain::ObjectName& object : change.objects) {
          EXPECT_EQ(object.name.find(':'), std::string::npos) << way.summary;
        }
      }
    }
  }
}

TEST(Origins, aMissingGroupOfAnotherSchedulerIsCreatedInItsWords) {
  Stage stage(pods(3, "annotations: {scheduling.k8s.io/group-name: w}"));
  const auto ways = stage.ways("volcano:w");
  ASSERT_EQ(ways.size(), 1U);
  EXPECT_EQ(ways[0].summary, "create PodGroup t/w, for example a gang with minMember 2");
  EXPECT_EQ(ways[0].changes[0].objects[0].api_version, "scheduling.volcano.sh/v1beta1");
}

TEST(Origins, aMissingGroupIsCreatedInTheVersionThatIsServed) {
  const auto version_of = [](const std::vector<explain::Way>& ways) {
    if (ways.empty()) return std::string("none");
    return ways.front().changes.front().create.members.front().second.text;
  };
  Texts objects = pods(1, "labels: {}");
  objects[0].replace(objects[0].find("priority: 0"), 11, "schedulingGroup: {podGroupName: g}");
  Stage stage(objects);
  EXPECT_EQ(version_of(stage.ways("g")), model::kSchedulingV1Beta1);
  EXPECT_EQ(version_of(stage.ways("g", {"scheduling.k8s.io/v1alpha2", ""})),
            model::kSchedulingV1Alpha2);
  EXPECT_EQ(version_of(stage.ways("g", {"", ""})), "none");
}

}  // namespace
}  // namespace tutti::answers
