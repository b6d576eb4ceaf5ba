#include "session/manifests/field_lines.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace tutti::session {
namespace {

constexpr const char* kText = R"(apiVersion: v1
kind: Node
metadata: {name: n}
---
apiVersion: v1
kind: Pod
metadata:
  name: a
  annotations:
    tutti.dev/at: soon
spec:
  containers:
  - name: x
  - name: y
    resources:
      requests:
        cpu: -1
)";

TEST(FieldLines, findsTheLineOfAFieldOrOfWhatIsAroundIt) {
  const std::string file = testing::TempDir() + "tutti-field-lines.yaml";
  std::ofstream(file) << kText;
  const sim::LoadedObject pod{nullptr, file, 5};
  FieldLines line_of;

  EXPECT_EQ(line_of(pod, "metadata.name"), 8);
  EXPECT_EQ(line_of(pod, "metadata.annotations[tutti.dev/at]"), 10);
  EXPECT_EQ(line_of(pod, "spec.containers"), 12);
  EXPECT_EQ(line_of(pod, "spec.containers[1].resources.requests[cpu]"), 17);
  EXPECT_EQ(line_of(pod, "spec.containers[1].image"), 14);
  EXPECT_EQ(line_of(pod, "spec.containers[7].image"), 12);
  EXPECT_EQ(line_of(pod, "status.phase"), 5);
  std::filesystem::remove(file);
}

TEST(FieldLines, fallsBackToTheObject) {
  FieldLines line_of;

  EXPECT_EQ(line_of({nullptr, "no-such-file.yaml", 7}, "spec"), 7);
}

}  // namespace
}  // namespace tutti::session
