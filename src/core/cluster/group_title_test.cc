#include "core/cluster/group_title.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "support/build.h"

namespace tutti::core {
namespace {

std::string title_with(const std::string& name, const std::string& kind, const std::string& owner) {
  GroupTable groups;
  auto made = std::make_shared<model::PodGroup>(*test::pod_group(name).build());
  if (!kind.empty()) {
    model::OwnerReference reference;
    reference.kind = kind;
    reference.name = owner;
    reference.controller = true;
    made->meta.owners.push_back(reference);
  }
  return title_of(groups[groups.set(std::shared_ptr<const model::PodGroup>(made))]);
}

TEST(GroupTitle, isWhatPeopleWrote) {
  struct Case {
    std::string group, kind, owner, title;
  };
  const Case cases[] = {
      {"g", "", "", "PodGroup t/g"},
      {"w-a", "Workload", "w", "PodGroup t/w-a"},
      {"train-687cb-pgt-0", "Job", "train", "Job t/train"},
      {"job:train", "Job", "train", "Job t/train"},
      {"ddp", "PyTorchJob", "ddp", "PyTorchJob t/ddp"},
      {"llm-0", "LeaderWorkerSet", "llm", "LeaderWorkerSet t/llm (llm-0)"},
      {"leaderworkerset:llm-0", "LeaderWorkerSet", "llm", "LeaderWorkerSet t/llm (llm-0)"},
      {"kueue:g", "", "", "PodGroup t/g"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(title_with(each.group, each.kind, each.owner), each.title) << each.group;
  }
}

TEST(GroupTitle, isTheNameWhereTheObjectIsNotKnown) {
  GroupTable groups;
  EXPECT_EQ(title_of(groups[groups.intern("t", "g", false)]), "PodGroup t/g");
  EXPECT_EQ(title_of(groups[groups.intern("t", "c", true)]), "CompositePodGroup t/c");
  EXPECT_EQ(title_of("t", "g", nullptr), "PodGroup t/g");
}

}  // namespace
}  // namespace tutti::core
