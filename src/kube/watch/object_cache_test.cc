// Whatever the lists and events are, the changes told must add up to what was last seen, and lead
// every name through an orderly life.
#include "kube/watch/object_cache.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>
#include <string>

#include "model/node.h"

namespace tutti::kube {
namespace {

struct Seen {
  std::string uid;
  std::uint64_t version = 0;
  bool operator==(const Seen&) const = default;
};
using State = std::map<std::string, Seen>;

ListedObject sighting(const std::string& name, const Seen& seen) {
  auto node = std::make_shared<model::Node>();
  node->meta.name = name;
  node->meta.uid = seen.uid;
  node->meta.resource_version = seen.version;
  ListedObject sighting;
  sighting.object = std::move(node);
  return sighting;
}

ListedObject malformed(const std::string& name) {
  ListedObject sighting;
  sighting.name = name;
  sighting.problem = "wrong";
  return sighting;
}

// Applies changes and complains about those that make no sense.
class Listener {
 public:
  void operator()(const Change& change) {
    const model::ObjectMeta& meta = change.object->meta;
    const auto known = state.find(meta.name);
    switch (change.type) {
      case Change::Type::added:
        RC_ASSERT(known == state.end());
        state[meta.name] = {meta.uid, meta.resource_version};
        break;
      case Change::Type::modified:
        RC_ASSERT(known != state.end());
        RC_ASSERT(known->second.uid == meta.uid);
        RC_ASSERT(known->second.version != meta.resource_version);
        known->second.version = meta.resource_version;
        break;
      case Change::Type::deleted:
        RC_ASSERT(known != state.end());
        RC_ASSERT(known->second.uid == meta.uid);
        state.erase(known);
        break;
    }
  }
  State state;
};

// A cluster that changes at random, seen by watches that may be cut and lists that follow.
RC_GTEST_PROP(ObjectCache, tellsAnOrderlyLifeOfEveryNameAndEndsWhereTheServerIs, ()) {
  Listener listener;
  ObjectCache mirror([&](const Change& change) { listener(change); });
  State server;
  std::uint64_t version = 0;
  bool watching = false;
  int uids = 0;

  const int steps = *rc::gen::inRange(1, 60);
  for (int step = 0; step < steps; ++step) {
    const std::string name(1, static_cast<char>('a' + *rc::gen::inRange(0, 4)));
    const int what = *rc::gen::inRange(0, 10);
    if (what == 0) watching = false;
    if (what == 1) {
      mirror.begin_list();
      for (const auto& [listed, seen] : server) mirror.listed(sighting(listed, seen));
      if (*rc::gen::inRange(0, 4) == 0) continue;  // the list is begun again later
      mirror.end_list();
      watching = true;
      RC_ASSERT(listener.state == server);
    }
    if (what < 2) continue;
    ++version;
    WatchEvent::Type type = WatchEvent::Type::modified;
    Seen& seen = server[name];
    if (seen.uid.empty()) {
      seen.uid = std::to_string(++uids);
      type = WatchEvent::Type::added;
    } else if (what < 5) {
      type = WatchEvent::Type::deleted;
    }
    seen.version = version;
    if (watching) mirror.watched(type, sighting(name, seen));
    if (type == WatchEvent::Type::deleted) server.erase(name);
    if (watching) RC_ASSERT(listener.state == server);
  }
  RC_ASSERT(mirror.size() == listener.state.size());
}

TEST(ObjectCache, keepsTheLastGoodStateOfAMalformedObjectUntilItIsGone) {
  std::vector<std::string> told;
  ObjectCache mirror([&](const Change& change) {
    told.push_back(std::to_string(static_cast<int>(change.type)) + change.object->meta.name);
  });
  mirror.begin_list();
  mirror.listed(sighting("a", {"u", 1}));
  mirror.listed(malformed("never"));
  mirror.end_list();
  mirror.watched(WatchEvent::Type::modified, malformed("a"));
  mirror.begin_list();
  mirror.listed(malformed("a"));
  mirror.end_list();
  EXPECT_EQ(told, (std::vector<std::string>{"0a"}));
  mirror.watched(WatchEvent::Type::deleted, malformed("a"));
  EXPECT_EQ(told, (std::vector<std::string>{"0a", "2a"}));
  EXPECT_EQ(mirror.size(), 0U);
}

TEST(ObjectCache, tellsTheDeletionOfWhatItToldWhenTheEventIsAboutAnother) {
  std::string uid;
  ObjectCache mirror([&](const Change& change) {
    if (change.type == Change::Type::deleted) uid = change.object->meta.uid;
  });
  mirror.watched(WatchEvent::Type::added, sighting("a", {"first", 1}));
  mirror.watched(WatchEvent::Type::deleted, sighting("a", {"second", 9}));
  EXPECT_EQ(uid, "first");
}

}  // namespace
}  // namespace tutti::kube
