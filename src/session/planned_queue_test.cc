#include "session/planned_queue.h"

#include <gtest/gtest.h>

#include <string>

#include "model/admission_request.h"
#include "support/decoded.h"

namespace tutti::session {
namespace {

class PlannedQueue : public testing::Test {
 protected:
  void add(std::string_view yaml, bool asked = true) {
    all_.objects.push_back({test::decoded(yaml), "f.yaml", 1});
    if (asked) asked_.insert(model::key_of(*all_.objects.back().object));
  }
  void add_queue(const std::string& name) {
    add("{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: " + name +
            ", namespace: ml}, spec: {clusterQueue: c}}",
        false);
  }
  const model::Object& last() const { return *all_.objects.back().object; }

  sim::Input all_;
  std::set<model::ObjectKey> asked_;
};

TEST_F(PlannedQueue, isWrittenWhereEachKindSaysIt) {
  add_queue("batch");
  add("{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: {name: w, namespace: ml}, "
      "spec: {queueName: old, podSets: [{name: main, count: 1, template: {spec: {containers: "
      "[{name: c, image: i}]}}}]}}");
  ASSERT_TRUE(put_in_queue(all_, asked_, "batch").ok());
  EXPECT_EQ(model::as<model::AdmissionRequest>(last()).spec.queue, "batch");
  add("{apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: ml, labels: {a: b, "
      "kueue.x-k8s.io/queue-name: old}}, spec: {template: {spec: {containers: [{name: c, image: "
      "i}]}}}}");
  ASSERT_TRUE(put_in_queue(all_, asked_, "batch").ok());
  EXPECT_EQ(*model::find(last().meta.labels, "kueue.x-k8s.io/queue-name"), "batch");
  EXPECT_EQ(last().meta.labels.size(), 2U);
}

TEST_F(PlannedQueue, leavesTheClusterAsItIs) {
  add_queue("batch");
  add("{apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: ml}, spec: {template: "
      "{spec: {containers: [{name: c, image: i}]}}}}",
      false);
  ASSERT_TRUE(put_in_queue(all_, asked_, "batch").ok());
  EXPECT_TRUE(last().meta.labels.empty());
}

TEST_F(PlannedQueue, mustExistInTheNamespaceOfTheWork) {
  add_queue("batch");
  add("{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: ml}, spec: {containers: [{name: "
      "c, image: i}]}}");
  const Status status = put_in_queue(all_, asked_, "batsh");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message,
            "--queue: there is no LocalQueue ml/batsh; did you mean batch?");
}

}  // namespace
}  // namespace tutti::session
