#include "explain/document/commands.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tutti::explain {
namespace {

using Lines = std::vector<std::string>;

TEST(Commands, patchWhatMayBePatched) {
  const Way way{"tolerate",
                "tolerate taint x",
                {{{{"Pod", "t", "a"}, {"Pod", "t", "b"}},
                  {{"add", "/spec/tolerations/-", Datum::object({{"key", Datum::of("it's")}})}}}}};
  const std::string patch = R"( -n t --type=json -p '[{"op":"add","path":"/spec/tolerations/-",)"
                            R"("value":{"key":"it'\''s"}}]')";
  EXPECT_EQ(commands_of(way),
            (Lines{"for name in a b; do kubectl patch pod $name" + patch + "; done"}));
}

TEST(Commands, makePodsAndClaimsAnewWhoseSpecCannotChange) {
  const Way way{"nodeSelector",
                "remove node selector x=y",
                {{{{"Pod", "t", "a"}}, {{"remove", "/spec/nodeSelector/x"}}}}};
  EXPECT_EQ(commands_of(way),
            (Lines{R"(kubectl get pod a -n t -o json | kubectl patch --local -f - --type=json -p )"
                   R"('[{"op":"remove","path":"/spec/nodeSelector/x"}]' -o json | )"
                   R"(kubectl replace --force -f -)"}));
}

TEST(Commands, makeJobsAnewWithoutTheMarksOfTheOldOnes) {
  const auto commands = [](const std::string& path) {
    return commands_of(
               {"x", "x", {{{{"Job", "t", "j"}}, {{"add", path, Datum::of(std::int64_t{2})}}}}})
        .at(0);
  };
  EXPECT_EQ(commands("/spec/template/spec/x"),
            R"(kubectl get job j -n t -o json | kubectl patch --local -f - --type=json -p '[)"
            R"({"op":"remove","path":"/spec/selector"},)"
            R"({"op":"remove","path":"/spec/template/metadata/labels/controller-uid"},)"
            R"({"op":"remove",)"
            R"("path":"/spec/template/metadata/labels/batch.kubernetes.io~1controller-uid"},)"
            R"({"op":"add","path":"/spec/template/spec/x","value":2}]' -o json | )"
            R"(kubectl replace --force -f -)");
  EXPECT_EQ(commands("/spec/suspend"), R"(kubectl patch job j -n t --type=json -p )"
                                       R"('[{"op":"add","path":"/spec/suspend","value":2}]')");
  EXPECT_TRUE(commands("/spec/scheduling/schedulingPolicy/gang/minCount")
                  .starts_with("kubectl patch job j"));
}

TEST(Commands, makeJobSetsAnewWhoseJobsChange) {
  const Way way{"request",
                "ask for less",
                {{{{"JobSet", "t", "s", "jobset.x-k8s.io/v1alpha2"}},
                  {{"add", "/spec/replicatedJobs/0/x", Datum::of(std::int64_t{2})}}}}};
  EXPECT_EQ(commands_of(way),
            (Lines{R"(kubectl get jobset.jobset.x-k8s.io s -n t -o json | )"
                   R"(kubectl patch --local -f - --type=json -p )"
                   R"('[{"op":"add","path":"/spec/replicatedJobs/0/x","value":2}]' -o json | )"
                   R"(kubectl replace --force -f -)"}));
}

TEST(Commands, makeWorkloadsAnewWhosePodSetsChange) {
  const auto commands = [](const std::string& path) {
    return commands_of({"shrink",
                        "shrink it",
                        {{{{"Workload", "t", "w", "kueue.x-k8s.io/v1beta2"}},
                          {{"add", path, Datum::of(std::int64_t{2})}}}}})
        .at(0);
  };
  EXPECT_NE(commands("/spec/podSets/0/minCount").find("kubectl replace --force"),
            std::string::npos);
  EXPECT_EQ(commands("/spec/priority"),
            R"(kubectl patch workload.kueue.x-k8s.io w -n t --type=json -p )"
            R"('[{"op":"add","path":"/spec/priority","value":2}]')");
}

TEST(Commands, nameKindsOfOthersInFull) {
  const Way way{"minCount",
                "lower it",
                {{{{"PyTorchJob", "t", "j", "kubeflow.org/v1"}},
                  {{"add", "/spec/runPolicy/x", Datum::of(std::int64_t{2})}}}}};
  EXPECT_EQ(commands_of(way),
            (Lines{R"(kubectl patch pytorchjob.kubeflow.org j -n t --type=json -p )"
                   R"('[{"op":"add","path":"/spec/runPolicy/x","value":2}]')"}));
}

TEST(Commands, deleteAndCreate) {
  const Way free{"free", "end Node", {{{{"Pod", "t", "a"}}, {}, true}}};
  EXPECT_EQ(commands_of(free), (Lines{"kubectl delete pod a -n t"}));
  const Way made{
      "createGroup",
      "create it",
      {{{{"PodGroup", "t", "g"}}, {}, false, Datum::object({{"kind", Datum::of("PodGroup")}})}}};
  EXPECT_EQ(commands_of(made), (Lines{R"(echo '{"kind":"PodGroup"}' | kubectl create -f -)"}));
}

TEST(Commands, areNotForHundredsOfObjectsNorForCopies) {
  Way way{"free", "end them", {{{}, {}, true}}};
  for (int i = 0; i < 65; ++i) {
    way.changes.front().objects.push_back({"Pod", "t", "p" + std::to_string(i)});
  }
  EXPECT_TRUE(commands_of(way).empty());
  const Way copies{"createPods", "more", {{{{"Pod", "t", "a"}}, {}, false, {}, 2}}};
  EXPECT_TRUE(commands_of(copies).empty());
  EXPECT_TRUE(commands_of({"wait", "wait: it runs in 5m"}).empty());
}

}  // namespace
}  // namespace tutti::explain
