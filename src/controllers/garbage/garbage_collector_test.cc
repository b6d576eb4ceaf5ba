#include "controllers/garbage/garbage_collector.h"

#include <gtest/gtest.h>

#include "controllers/garbage/namespace_cleaner.h"
#include "model/apps.h"
#include "model/cluster.h"
#include "support/bare_cluster.h"

namespace tutti::controllers {
namespace {

using model::Kind;
using model::Service;

// Services stand for any kind: nothing but ownership matters here.
class GarbageTest : public testing::Test {
 protected:
  GarbageTest() {
    cluster.add<GarbageCollector>();
    cluster.add<NamespaceCleaner>();
  }

  void put(std::string name, std::vector<std::string> owners,
           SharedList<std::string> finalizers = {}) {
    Service object;
    object.api_version = "v1";
    object.meta.ns = "t";
    object.meta.uid = "uid-" + name;
    object.meta.name = std::move(name);
    object.meta.finalizers = std::move(finalizers);
    for (const auto& owner : owners) {
      object.meta.owners.push_back({"v1", "Service", owner, "uid-" + owner, false, true});
    }
    cluster.put(object);
  }
  void drop(const std::string& name) { cluster.drop({Kind::service, "t", name, {}}); }
  std::string names() {
    std::string out;
    for (const auto& object : cluster.all<Service>()) {
      if (!out.empty()) out += ' ';
      out += object->meta.name;
      if (object->meta.deletion) out += '!';
    }
    return out;
  }
  std::size_t owners_of(const std::string& name) {
    return cluster.objects().find<Service>("t", name)->meta.owners.size();
  }

  test::BareCluster cluster;
};

TEST_F(GarbageTest, goesWithTheLastOfItsOwners) {
  put("a", {});
  put("b", {});
  put("both", {"a", "b"});
  put("child", {"both"});
  drop("a");
  EXPECT_EQ(names(), "b both child");
  EXPECT_EQ(owners_of("both"), 1U);
  drop("b");
  EXPECT_EQ(names(), "");
}

TEST_F(GarbageTest, spareObjectsWhoseOwnersWereNeverHere) {
  put("copied", {"elsewhere"});
  put("other", {});
  drop("other");
  EXPECT_EQ(names(), "copied");
}

TEST_F(GarbageTest, waitsForDependentsInTheForeground) {
  put("owner", {}, {"foregroundDeletion"});
  put("held", {"owner"}, {"example.com/hold"});
  put("leaf", {"held"});
  drop("owner");
  EXPECT_EQ(names(), "held! owner!");
  (void)cluster.patch_meta({Kind::service, "t", "held", {}}, [](model::ObjectMeta& meta) {
    std::erase(meta.finalizers.edit(), "example.com/hold");
  });
  cluster.settle();
  EXPECT_EQ(names(), "");
}

TEST_F(GarbageTest, leavesOrphansBehindWhenAsked) {
  put("owner", {}, {"orphan"});
  put("child", {"owner"});
  drop("owner");
  EXPECT_EQ(names(), "child");
  EXPECT_EQ(owners_of("child"), 0U);
}

TEST_F(GarbageTest, emptiesANamespaceBeforeItGoes) {
  model::Namespace ns;
  ns.api_version = "v1";
  ns.meta.name = "t";
  ns.meta.finalizers = {std::string(kNamespaceContent)};
  cluster.put(ns);
  put("a", {});
  put("held", {}, {"example.com/hold"});
  cluster.drop({Kind::ns, {}, "t", {}});
  EXPECT_EQ(names(), "held!");
  EXPECT_EQ(cluster.all<model::Namespace>().size(), 1U);
  (void)cluster.patch_meta({Kind::service, "t", "held", {}},
                           [](model::ObjectMeta& meta) { meta.finalizers.clear(); });
  cluster.settle();
  EXPECT_EQ(names(), "");
  EXPECT_TRUE(cluster.all<model::Namespace>().empty());
}

}  // namespace
}  // namespace tutti::controllers
