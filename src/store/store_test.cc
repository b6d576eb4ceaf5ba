#include "store/store.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <chrono>
#include <map>
#include <set>

#include "model/pod.h"
#include "store/typed.h"
#include "support/build.h"

namespace tutti::store {
namespace {

using model::Kind;
using model::ObjectKey;
using model::ObjectPtr;
using std::chrono::seconds;
using test::node;
using test::pod;
using test::pod_group;

constexpr Instant kStart{};

Write at(std::int64_t second) { return {kStart + seconds(second)}; }
ObjectKey pod_key(std::string name) { return {Kind::pod, "t", std::move(name), {}}; }

ObjectPtr make(Store& store, const ObjectPtr& object, const Write& write = at(0)) {
  auto made = store.create(*object, write);
  EXPECT_TRUE(made.ok());
  return *made;
}

// The object with its uid taken away, as users write it.
ObjectPtr anonymous(const ObjectPtr& object) {
  auto copy = clone(*object);
  copy->meta.uid.clear();
  return copy;
}

TEST(Store, givesANewObjectVersionGenerationUidAndCreationTime) {
  Store store;
  const auto made = make(store, anonymous(pod("a").build()), at(7));
  EXPECT_EQ(made->meta.resource_version, 1U);
  EXPECT_EQ(made->meta.generation, 1);
  EXPECT_EQ(made->meta.created, kStart + seconds(7));
  EXPECT_EQ(made->meta.uid.size(), 36U);
  EXPECT_EQ(made->meta.uid[14], '4');
}

TEST(Store, givesTheSameUidsForTheSameSeedAndOthersForAnother) {
  Store first({.seed = 1});
  Store again({.seed = 1});
  Store other({.seed = 2});
  const auto a = anonymous(pod("a").build());
  const auto uid = make(first, a)->meta.uid;
  EXPECT_EQ(make(again, a)->meta.uid, uid);
  EXPECT_NE(make(other, a)->meta.uid, uid);
  EXPECT_NE(make(first, anonymous(pod("b").build()))->meta.uid, uid);
}

TEST(Store, givesUidsThatDoNotDependOnOtherObjects) {
  Store alone;
  Store crowded;
  const auto a = anonymous(pod("a").build());
  make(crowded, anonymous(node("a").build()));
  make(crowded, anonymous(pod("b").build()));
  make(crowded, anonymous(pod("a").in_namespace("other").build()));
  EXPECT_EQ(make(crowded, a)->meta.uid, make(alone, a)->meta.uid);
}

TEST(Store, makesUpNoUidThatAnotherObjectBringsOrWillBring) {
  Store first;
  const auto a = anonymous(pod("a").build());
  const std::string wanted = make(first, a)->meta.uid;
  auto other = clone(*node("n").build());
  other->meta.uid = wanted;

  Store brought;
  make(brought, std::move(other));
  Store reserved;
  reserved.reserve_uid(wanted);
  const std::string given = make(brought, a)->meta.uid;
  EXPECT_NE(given, wanted);
  EXPECT_EQ(make(reserved, a)->meta.uid, given);
}

// The uids that `count` objects get that live one after the other under one name.
std::vector<std::string> uids_of_lives(Store& store, int count) {
  std::vector<std::string> uids;
  for (int i = 0; i < count; ++i) {
    uids.push_back(make(store, anonymous(pod("a").build()))->meta.uid);
    EXPECT_TRUE(store.remove(pod_key("a"), at(0)).ok());
  }
  return uids;
}

TEST(Store, givesEachObjectOfANameAUidOfItsOwn) {
  Store store;
  const auto all = uids_of_lives(store, 5);
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), 5U);
  Store reserved;
  reserved.reserve_uid(all[1]);
  EXPECT_EQ(uids_of_lives(reserved, 4), (std::vector{all[0], all[2], all[3], all[4]}));
}

TEST(Store, keepsAUidThatTheObjectBrings) {
  Store store;
  EXPECT_EQ(make(store, pod("a").build())->meta.uid, "pod-a");
}

TEST(Store, refusesANameThatIsTaken) {
  Store store;
  make(store, pod("a").build());
  EXPECT_EQ(store.create(*pod("a").build(), at(0)).error().code, Error::Code::conflict);
}

TEST(Store, refusesAnUpdateMadeFromAnOldVersion) {
  Store store;
  const auto old = make(store, pod("a").build());
  ASSERT_TRUE(store.update(*old, at(1)).ok());
  EXPECT_EQ(store.update(*old, at(2)).error().code, Error::Code::conflict);
  EXPECT_EQ(store.update_status(*old, at(2)).error().code, Error::Code::conflict);
  EXPECT_TRUE(store.update(*pod("a").build(), at(2)).ok()) << "version 0 is unconditional";
}

TEST(Store, reportsWritesToWhatIsNotThere) {
  Store store;
  EXPECT_EQ(store.update(*pod("a").build(), at(0)).error().code, Error::Code::not_found);
  EXPECT_EQ(store.remove(pod_key("a"), at(0)).error().code, Error::Code::not_found);
}

TEST(Store, countsGenerationsBySpecAndNotByMetadataOrStatus) {
  Store store;
  make(store, pod("a").build());
  EXPECT_EQ((*store.update(*pod("a").label("x", "y").build(), at(1)))->meta.generation, 1);
  EXPECT_EQ((*store.update(*pod("a").gate("g").build(), at(2)))->meta.generation, 2);
  EXPECT_EQ((*store.update_status(*pod("a").build(), at(3)))->meta.generation, 2);
}

TEST(Store, keepsStatusOnUpdateAndSpecOnStatusUpdate) {
  Store store;
  make(store, pod("a").build());
  auto running = std::make_shared<model::Pod>(*pod("a").label("ignored", "yes").build());
  running->status.phase = model::PodPhase::running;
  ASSERT_TRUE(store.update_status(*running, at(1)).ok());
  ASSERT_TRUE(store.update(*pod("a").label("kept", "yes").build(), at(2)).ok());
  const auto found = store.find<model::Pod>("t", "a");
  EXPECT_EQ(found->status.phase, model::PodPhase::running);
  EXPECT_EQ(found->meta.labels, (model::Labels{{"kept", "yes"}}));
}

TEST(Store, deletesAPodWithoutANodeAtOnce) {
  Store store;
  make(store, pod("a").build());
  ASSERT_TRUE(store.remove(pod_key("a"), at(1)).ok());
  EXPECT_EQ(store.get(pod_key("a")), nullptr);
}

TEST(Store, givesARunningPodItsGracePeriodWhichCanOnlyShrink) {
  Store store;
  make(store, pod("a").on("n").build());
  ASSERT_TRUE(store.remove(pod_key("a"), at(10)).ok());
  EXPECT_EQ(store.get(pod_key("a"))->meta.deletion, kStart + seconds(40));

  ASSERT_TRUE(store.remove(pod_key("a"), at(11), {.grace_seconds = 60}).ok());
  EXPECT_EQ(store.get(pod_key("a"))->meta.deletion, kStart + seconds(40));

  ASSERT_TRUE(store.remove(pod_key("a"), at(12), {.grace_seconds = 5}).ok());
  EXPECT_EQ(store.get(pod_key("a"))->meta.deletion, kStart + seconds(15));

  ASSERT_TRUE(store.remove(pod_key("a"), at(15), {.grace_seconds = 0}).ok());
  EXPECT_EQ(store.get(pod_key("a")), nullptr);
}

TEST(Store, keepsATerminatingObjectUntilItsLastFinalizerIsGone) {
  Store store;
  auto group = std::make_shared<model::PodGroup>(*pod_group("g").build());
  group->meta.finalizers = {"a", "b"};
  const auto key = model::key_of(*make(store, group));
  ASSERT_TRUE(store.remove(key, at(1)).ok());
  ASSERT_NE(store.get(key), nullptr);
  const auto drop_last = [](model::Object& object) { object.meta.finalizers.edit().pop_back(); };
  ASSERT_TRUE(store.patch(key, drop_last, at(2)).ok());
  EXPECT_NE(store.get(key), nullptr);
  ASSERT_TRUE(store.patch(key, drop_last, at(3)).ok());
  EXPECT_EQ(store.get(key), nullptr);
}

TEST(Store, askingTwiceForTheDeletionOfAHeldObjectChangesNothing) {
  Store store;
  auto group = std::make_shared<model::PodGroup>(*pod_group("g").build());
  group->meta.finalizers = {"a"};
  const auto key = model::key_of(*make(store, group));
  ASSERT_TRUE(store.remove(key, at(1)).ok());
  const auto version = store.version();
  ASSERT_TRUE(store.remove(key, at(2)).ok());
  EXPECT_EQ(store.version(), version);
}

TEST(Store, listsAKindByNamespaceAndPredicateInOrder) {
  Store store;
  make(store, pod("b").label("app", "x").build());
  make(store, pod("a").label("app", "x").build());
  make(store, pod("c").build());
  make(store, pod("a").in_namespace("u").label("app", "x").build());
  make(store, node("n").build());
  const auto labelled = [](const model::Object& object) {
    return model::find(object.meta.labels, "app") != nullptr;
  };
  const auto found = store.list(Kind::pod, "t", labelled);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0]->meta.name, "a");
  EXPECT_EQ(found[1]->meta.name, "b");
  EXPECT_EQ(store.list(Kind::pod).size(), 4U);
}

TEST(Watch, deliversEveryChangeOnceWithOldAndNewState) {
  Store store;
  Watch watch(store, 0);
  make(store, pod("a").build());
  ASSERT_TRUE(store.update(*pod("a").label("x", "y").build(), {kStart, true}).ok());
  ASSERT_TRUE(store.remove(pod_key("a"), at(1)).ok());

  const auto events = *watch.poll(10);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].type, WatchEvent::Type::added);
  EXPECT_EQ(events[1].type, WatchEvent::Type::modified);
  EXPECT_TRUE(events[1].quiet);
  EXPECT_EQ(events[1].before, events[0].after);
  EXPECT_EQ(events[2].type, WatchEvent::Type::deleted);
  EXPECT_EQ(events[2].before, events[1].after);
  EXPECT_EQ(events[2].after, nullptr);
  EXPECT_TRUE(watch.poll(10)->empty());
}

TEST(Watch, readsInPortionsAndFromAnyKeptVersion) {
  Store store;
  for (const auto* name : {"a", "b", "c"}) make(store, pod(name).build());
  Watch watch(store, 1);
  EXPECT_EQ(watch.poll(1)->at(0).object().meta.name, "b");
  EXPECT_TRUE(watch.behind());
  EXPECT_EQ(watch.poll(1)->at(0).object().meta.name, "c");
  EXPECT_FALSE(watch.behind());
}

TEST(Watch, saysGoneWhenItFellBehindTheHistory) {
  Store store({.history_max = 2});
  for (const auto* name : {"a", "b", "c"}) make(store, pod(name).build());
  EXPECT_EQ(Watch(store, 0).poll(10).error().code, Error::Code::gone);
  EXPECT_EQ(Watch(store, 1).poll(10)->size(), 2U);
  store.forget_changes(2);
  EXPECT_EQ(Watch(store, 1).poll(10).error().code, Error::Code::gone);
}

// --- property: the history tells the whole story -------------------------------------------------

void random_write(Store& store, std::int64_t second) {
  const auto name = *rc::gen::element<std::string>("a", "b", "c", "d");
  const auto write = at(second);
  auto object = clone(
      *(*rc::gen::arbitrary<bool>() ? pod(name).on("n").build() : pod(name).gate("g").build()));
  if (*rc::gen::arbitrary<bool>()) object->meta.finalizers = {"f"};
  switch (*rc::gen::inRange(0, 5)) {
    case 0:
    case 1:
      (void)store.create(*object, write);
      break;
    case 2:
      (void)store.update(*object, write);
      break;
    case 3:
      (void)store.update_status(*object, write);
      break;
    default:
      (void)store.remove(pod_key(name), write, {.grace_seconds = *rc::gen::inRange(0, 2)});
  }
}

void replay(std::map<ObjectKey, ObjectPtr>& content, const WatchEvent& event) {
  const auto key = model::key_of(event.object());
  const auto known = content.find(key);
  RC_ASSERT((known == content.end() ? nullptr : known->second) == event.before);
  if (event.after) {
    RC_ASSERT(event.after->meta.resource_version == event.version);
    content[key] = event.after;
  } else {
    content.erase(known);
  }
}

TEST(Watch, replayingAllChangesReproducesTheStore) {
  EXPECT_TRUE(rc::check([] {
    Store store({.history_max = kHistoryUnbounded});
    const auto writes = *rc::gen::inRange(0, 60);
    for (int second = 0; second < writes; ++second) random_write(store, second);

    std::map<ObjectKey, ObjectPtr> content;
    std::uint64_t version = 0;
    const auto events = *Watch(store, 0).poll(kHistoryUnbounded);
    for (const auto& event : events) {
      RC_ASSERT(event.version == ++version);
      replay(content, event);
    }
    RC_ASSERT(version == store.version());
    std::vector<model::ObjectPtr> told;
    for (const auto& [key, object] : content) told.push_back(object);
    RC_ASSERT(std::ranges::equal(told, store.objects(Kind::pod)));
  }));
}

}  // namespace
}  // namespace tutti::store
