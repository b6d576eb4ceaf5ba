#include "cli/output/kind_names.h"

#include <gtest/gtest.h>

#include "support/build.h"

namespace tutti::cli {
namespace {

TEST(KindNames, areUnderstoodInEveryFormPeopleType) {
  using model::Kind;
  EXPECT_EQ(kind_named("pods"), Kind::pod);
  EXPECT_EQ(kind_named("Pod"), Kind::pod);
  EXPECT_EQ(kind_named("po"), Kind::pod);
  EXPECT_EQ(kind_named("PodGroup"), Kind::pod_group);
  EXPECT_EQ(kind_named("podgroups"), Kind::pod_group);
  EXPECT_EQ(kind_named("priorityclasses"), Kind::priority_class);
  EXPECT_EQ(kind_named("storageclass"), Kind::storage_class);
  EXPECT_EQ(kind_named("pvc"), Kind::persistent_volume_claim);
  EXPECT_EQ(kind_named("namespaces"), Kind::ns);
  EXPECT_EQ(kind_named("cq"), Kind::cluster_queue);
  EXPECT_EQ(kind_named("lq"), Kind::local_queue);
  EXPECT_EQ(kind_named("queue"), Kind::local_queue);
  EXPECT_EQ(kind_named("rf"), Kind::resource_flavor);
  EXPECT_EQ(kind_named("flavor"), Kind::resource_flavor);
  EXPECT_EQ(kind_named("wpc"), Kind::workload_priority_class);
  EXPECT_EQ(kind_named("ac"), Kind::admission_check);
  EXPECT_EQ(kind_named("co"), Kind::cohort);
  EXPECT_EQ(kind_named("topo"), Kind::topology);
  EXPECT_EQ(kind_named("workload"), Kind::workload) << "that of scheduling.k8s.io";
  EXPECT_EQ(kind_named("kwl"), Kind::admission_request);
  EXPECT_EQ(kind_named("workloads.kueue.x-k8s.io"), Kind::admission_request);
  EXPECT_EQ(kind_named("deployments.apps"), Kind::deployment) << "as kubectl names kinds in full";
  EXPECT_EQ(kind_named("jobs.d"), std::nullopt) << "a folder";
  EXPECT_EQ(work_kind_named("ds"), "DaemonSet");
  EXPECT_EQ(work_kind_named("cronjobs.batch"), "CronJob");
  EXPECT_EQ(work_kind_named("jobsets.jobset.x-k8s.io"), "JobSet");
  EXPECT_EQ(kind_named("foos"), std::nullopt);
  EXPECT_EQ(kind_named(""), std::nullopt);
}

TEST(KindFilter, wantsEverythingWhenEmptyAndOtherwiseWhatItNames) {
  const auto pod = test::pod("a").build();
  const auto node = test::node("n").build();
  model::OtherObject foo;
  foo.kind_name = "Foo";

  EXPECT_TRUE(KindFilter::parse("").wants(*pod));
  EXPECT_TRUE(KindFilter::parse("").wants(foo));
  const KindFilter filter = KindFilter::parse("pods,foos");
  EXPECT_TRUE(filter.wants(*pod));
  EXPECT_TRUE(filter.wants(foo));
  EXPECT_FALSE(filter.wants(*node));
  EXPECT_EQ(filter.unknown_words(), std::vector<std::string>{"foos"});
}

}  // namespace
}  // namespace tutti::cli
