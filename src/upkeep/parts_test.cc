#include "upkeep/parts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tutti::upkeep {
namespace {

std::string text_of(const std::vector<Part>& parts) {
  std::string text;
  for (const Part& part : parts) {
    text += fmt::format("{}{}: {}\n", part.name, part.done ? "" : " (left alone)", part.why);
  }
  return text;
}

kube::Served with_groups() {
  kube::Served served;
  served.pod_groups = served.workloads = "scheduling.k8s.io/v1beta1";
  return served;
}

TEST(Parts, haveNothingToDoWithoutPodGroups) {
  EXPECT_EQ(text_of(choose_parts({}, {}, {}, {})),
            "stamping (left alone): the cluster serves no Workloads\n"
            "protection (left alone): the cluster serves no PodGroups\n"
            "queues (left alone): the cluster serves no queues of Kueue that we may read\n"
            "jobs (left alone): without PodGroups tutti scheduler groups their pods in memory\n"
            "claims (left alone): kube-controller-manager makes those of PodGroups\n");
}

TEST(Parts, leaveJobsAloneWhateverTheGates) {
  const std::string on =
      text_of(choose_parts(with_groups(), {{{"WorkloadWithJob", true}}}, {}, {}));
  EXPECT_NE(on.find("jobs (left alone): kube-controller-manager makes their PodGroups"),
            std::string::npos);
  EXPECT_NE(on.find("stamping: "), std::string::npos);
  const std::string off =
      text_of(choose_parts(with_groups(), {{{"WorkloadWithJob", false}}}, {}, {}));
  EXPECT_NE(off.find("the gate WorkloadWithJob is off: tutti scheduler groups"), std::string::npos);
}

TEST(Parts, leaveQueuesToKueueWhereItIsAtWork) {
  const std::string alone = text_of(choose_parts({}, {}, {.served = true}, {}));
  EXPECT_NE(alone.find("queues: nobody else starts and stops"), std::string::npos);
  const std::string beside =
      text_of(choose_parts({}, {}, {.served = true, .kueue_at_work = true}, {}));
  EXPECT_NE(beside.find("queues (left alone): Kueue's manager"), std::string::npos);
}

TEST(Parts, areOnlyThoseThatWereAskedFor) {
  const std::string text = text_of(choose_parts(with_groups(), {}, {}, {"protection"}));
  EXPECT_NE(text.find("stamping (left alone): not among --parts"), std::string::npos);
  EXPECT_NE(text.find("protection: "), std::string::npos);
}

}  // namespace
}  // namespace tutti::upkeep
