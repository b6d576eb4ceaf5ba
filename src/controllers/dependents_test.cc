#include "controllers/dependents.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "store/typed.h"
#include "support/build.h"

namespace tutti::controllers {
namespace {

using model::Kind;
using Type = store::WatchEvent::Type;

std::shared_ptr<model::Object> owned(const std::string& name) {
  auto pod = store::clone(*test::pod(name).build());
  pod->meta.owners = {{"batch/v1", "Job", "j", "uid-j", true, true}};
  return pod;
}

std::shared_ptr<model::Object> ended(const std::string& name) {
  auto pod = owned(name);
  static_cast<model::Pod&>(*pod).status.phase = model::PodPhase::succeeded;
  return pod;
}

std::vector<std::string> names(const std::vector<model::ObjectKey>& keys) {
  std::vector<std::string> out;
  for (const auto& key : keys) out.push_back(key.name);
  return out;
}
using Names = std::vector<std::string>;

TEST(Dependents, letNobodyLookAgainAtPodsThatHaveEnded) {
  Dependents dependents;
  for (const auto* name : {"a", "b", "c"}) {
    dependents.observe({Type::added, 1, nullptr, owned(name), false});
  }
  auto held = ended("b");
  held->meta.finalizers = {"someone/cares"};
  dependents.observe({Type::modified, 2, owned("a"), ended("a"), false});
  dependents.observe({Type::modified, 3, owned("b"), held, false});
  EXPECT_EQ(names(dependents.open_pods_of("uid-j")), (Names{"b", "c"}));
  EXPECT_EQ(names(dependents.of("uid-j")), (Names{"a", "b", "c"})) << "all go with their owner";
  EXPECT_EQ(names(dependents.of("uid-j", Kind::pod)), (Names{"a", "b", "c"}));
  EXPECT_TRUE(dependents.of("uid-j", Kind::job).empty());

  dependents.observe({Type::modified, 4, held, ended("b"), false});
  dependents.observe({Type::deleted, 5, owned("c"), nullptr, false});
  EXPECT_TRUE(dependents.open_pods_of("uid-j").empty());
  EXPECT_TRUE(dependents.any_pods("uid-j"));
  dependents.observe({Type::deleted, 6, ended("a"), nullptr, false});
  dependents.observe({Type::deleted, 7, ended("b"), nullptr, false});
  EXPECT_FALSE(dependents.any("uid-j"));
}

}  // namespace
}  // namespace tutti::controllers
