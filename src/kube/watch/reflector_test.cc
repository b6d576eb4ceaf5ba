#include "kube/watch/reflector.h"

#include <gtest/gtest.h>

#include <deque>
#include <optional>

#include "kube/testing/fake_api.h"
#include "model/pod.h"

namespace tutti::kube {
namespace {

std::string pod(std::string_view name, int version, std::string_view uid = "") {
  return fmt::format(
      R"({{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"{0}","namespace":"t","uid":"{2}",)"
      R"("resourceVersion":"{1}","managedFields":[{{"manager":"x","fieldsV1":{{"f:a":{{}}}}}}]}},)"
      R"("spec":{{"containers":[{{"name":"c","image":"i"}}]}}}})",
      name, version, uid.empty() ? "uid-" + std::string(name) : std::string(uid));
}

// Items of a list say neither kind nor version.
std::string item(std::string_view name, int version, std::string_view uid = "") {
  return "{" + pod(name, version, uid)
                   .substr(std::string_view(R"({"kind":"Pod","apiVersion":"v1",)").size());
}

std::string list(int version, std::initializer_list<std::string> items,
                 std::string_view continue_token = "") {
  return fmt::format(
      R"({{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"{}","continue":"{}"}},)"
      R"("items":[{}]}})",
      version, continue_token, fmt::join(items, ","));
}

std::string event(std::string_view type, std::string_view object) {
  return fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", type, object);
}

std::string bookmark(int version) {
  return event("BOOKMARK", fmt::format(R"({{"kind":"Pod","apiVersion":"v1","metadata":)"
                                       R"({{"resourceVersion":"{}"}}}})",
                                       version));
}

const std::string kExpired =
    R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"too old resource version",)"
    R"("reason":"Expired","code":410})";

// A server whose lists are given in turn (the last one for ever) and whose watches run a step each.
class ReflectorTest : public testing::Test {
 protected:
  using Step = std::function<void(const SessionPtr&)>;

  ReflectorTest() {
    api.script = [this](const FakeRequest& request, const SessionPtr& session) {
      if (request.has("watch=true")) return next_watch(session);
      const auto [status, body] = lists.front();
      if (lists.size() > 1) lists.pop_front();
      session->answer(status, body);
    };
  }

  void next_watch(const SessionPtr& session) {
    if (watches.empty()) {
      session->open_stream();
      held = session;
      return;
    }
    const Step step = watches.front();
    watches.pop_front();
    step(session);
  }

  void run(const std::function<bool()>& until, Resource resource = pods()) {
    until_ = until;
    if (!reflector) {
      reflector.emplace(api.loop(), client, std::move(resource),
                        Reflector::Handlers{[this](const Change& change) { note(change); },
                                            [this] { told("synced"); },
                                            [this](const std::string& text) {
                                              troubles.push_back(text);
                                              check();
                                            }});
      reflector->start();
    }
    api.run();
  }
  void run_until_told(std::size_t count) {
    run([this, count] { return log.size() >= count; });
  }

  static Resource pods() {
    Resource resource;
    resource.kind = model::Kind::pod;
    resource.group_version = "v1";
    resource.plural = "pods";
    return resource;
  }

  static Step events(std::vector<std::string> chunks, bool end = true) {
    return [chunks = std::move(chunks), end](const SessionPtr& session) {
      session->open_stream();
      for (const std::string& chunk : chunks) session->send(chunk);
      if (end) session->end_stream();
    };
  }

  // The part of the n-th request (from 0) from `name` to the next parameter.
  std::string parameter(std::size_t request, const std::string& name) const {
    const std::string& line = api.requests.at(request).line;
    const std::size_t begin = line.find(name + "=");
    return begin == std::string::npos ? "" : line.substr(begin, line.find('&', begin) - begin);
  }

  FakeApi api;
  ApiClient client{api.loop(), api.access(), {"tutti/test", 7}};
  std::deque<std::pair<int, std::string>> lists;
  std::deque<Step> watches;
  SessionPtr held;  // a watch that stays open
  std::vector<std::string> log;
  std::vector<std::string> troubles;
  std::vector<model::ObjectPtr> objects;
  std::optional<Reflector> reflector;

 private:
  void note(const Change& change) {
    static constexpr const char* kTypes[] = {"added", "modified", "deleted"};
    objects.push_back(change.object);
    told(fmt::format("{} {}@{}", kTypes[static_cast<int>(change.type)], change.object->meta.name,
                     change.object->meta.resource_version));
  }
  void told(std::string line) {
    log.push_back(std::move(line));
    check();
  }
  void check() {
    if (until_()) api.done();
  }

  std::function<bool()> until_;
};

using Lines = std::vector<std::string>;

TEST_F(ReflectorTest, listsInPagesThenWatchesFromTheListsVersion) {
  lists = {{200, list(10, {item("a", 3), item("b", 4)}, "next/1")},
           {200, list(10, {item("c", 5)})}};
  watches = {events({event("ADDED", pod("d", 11))}, false)};
  run_until_told(5);
  EXPECT_EQ(log, (Lines{"added a@3", "added b@4", "added c@5", "synced", "added d@11"}));
  ASSERT_EQ(api.requests.size(), 3U);
  EXPECT_EQ(api.requests[0].line, "GET /api/v1/pods?limit=500");
  EXPECT_EQ(api.requests[1].line, "GET /api/v1/pods?limit=500&continue=next%2F1");
  EXPECT_EQ(parameter(2, "resourceVersion"), "resourceVersion=10");
  EXPECT_EQ(parameter(2, "allowWatchBookmarks"), "allowWatchBookmarks=true");
  EXPECT_TRUE(reflector->synced());
  EXPECT_TRUE(reflector->healthy(api.loop().now()));
  EXPECT_EQ(reflector->size(), 4U);
  EXPECT_EQ(reflector->trouble(), "");
}

TEST_F(ReflectorTest, selectsByFieldAndGroup) {
  lists = {{200, list(10, {})}};
  Resource resource = pods();
  resource.kind = model::Kind::pod_group;
  resource.group_version = "scheduling.k8s.io/v1beta1";
  resource.plural = "podgroups";
  resource.field_selector = "status.phase!=Failed";
  run([this] { return log.size() == 1; }, resource);
  EXPECT_EQ(api.requests[0].line,
            "GET /apis/scheduling.k8s.io/v1beta1/podgroups?fieldSelector=status.phase%21%3DFailed"
            "&limit=500");
}

TEST_F(ReflectorTest, readsEventsHoweverTheyAreCutIntoChunks) {
  const std::string text = event("ADDED", pod("a", 11)) + event("MODIFIED", pod("a", 12)) +
                           event("DELETED", pod("a", 13));
  for (const std::size_t size : {std::size_t{1}, std::size_t{7}, std::size_t{300}, text.size()}) {
    SCOPED_TRACE(size);
    std::vector<std::string> chunks;
    for (std::size_t i = 0; i < text.size(); i += size) chunks.push_back(text.substr(i, size));
    reflector.reset();
    log.clear();
    lists = {{200, list(10, {})}};
    watches = {events(chunks, false)};
    run_until_told(4);
    EXPECT_EQ(log, (Lines{"synced", "added a@11", "modified a@12", "deleted a@13"}));
  }
}

TEST_F(ReflectorTest, resumesACutWatchAtTheLastVersion) {
  lists = {{200, list(10, {item("a", 3)})}};
  watches = {[](const SessionPtr& session) {
               session->open_stream();
               session->send(event("MODIFIED", pod("a", 12)) + event("MODIFIED", pod("a", 13)) +
                             "{\"type\":\"MODI");
               session->cut();
             },
             events({event("MODIFIED", pod("a", 14))}, false)};
  run_until_told(5);
  EXPECT_EQ(log, (Lines{"added a@3", "synced", "modified a@12", "modified a@13", "modified a@14"}));
  ASSERT_EQ(api.requests.size(), 3U);
  EXPECT_EQ(parameter(2, "resourceVersion"), "resourceVersion=13");
  EXPECT_EQ(troubles, Lines{});
}

TEST_F(ReflectorTest, resumesAfterABookmark) {
  lists = {{200, list(10, {})}};
  watches = {events({bookmark(57)}), events({event("ADDED", pod("a", 58))}, false)};
  run_until_told(2);
  EXPECT_EQ(parameter(2, "resourceVersion"), "resourceVersion=57");
  EXPECT_EQ(log, (Lines{"synced", "added a@58"}));
}

TEST_F(ReflectorTest, listsAgainWhenTheServerHasForgottenAndTellsTheDifference) {
  const std::vector<Step> refusals = {
      events({event("ERROR", kExpired)}),
      [](const SessionPtr& session) { session->answer(410, kExpired); },
  };
  for (const Step& refusal : refusals) {
    SCOPED_TRACE(log.size());
    reflector.reset();
    log.clear();
    objects.clear();
    api.requests.clear();
    lists = {{200, list(10, {item("gone", 3), item("kept", 4), item("other", 5, "u1"),
                             item("changed", 6)})},
             {200, list(20, {item("kept", 4), item("other", 15, "u2"), item("changed", 16),
                             item("new", 17)})}};
    watches = {refusal};
    run_until_told(10);
    EXPECT_EQ(log, (Lines{"added gone@3", "added kept@4", "added other@5", "added changed@6",
                          "synced", "deleted other@5", "added other@15", "modified changed@16",
                          "added new@17", "deleted gone@3"}));
    EXPECT_EQ(objects[4]->meta.uid, "u1");
    EXPECT_EQ(reflector->size(), 4U);
    EXPECT_TRUE(reflector->healthy(api.loop().now()));
  }
}

TEST_F(ReflectorTest, beginsAListAgainWhoseTokenExpiredAndThenAsksForAllInOnePiece) {
  lists = {{200, list(10, {item("a", 3)}, "one")},
           {410, kExpired},
           {200, list(20, {item("b", 13)}, "two")},
           {410, kExpired},
           {200, list(30, {item("b", 13)})}};
  run([this] { return reflector && reflector->synced(); });
  EXPECT_EQ(api.lines(),
            (Lines{"GET /api/v1/pods?limit=500", "GET /api/v1/pods?limit=500&continue=one",
                   "GET /api/v1/pods?limit=500", "GET /api/v1/pods?limit=500&continue=two",
                   "GET /api/v1/pods"}));
  EXPECT_EQ(log, (Lines{"added a@3", "added b@13", "deleted a@3", "synced"}));
}

TEST_F(ReflectorTest, pausesBeforeListingAgainWhatExpiresAtOnce) {
  lists = {{200, list(10, {})}};
  const Step refuse = [](const SessionPtr& session) { session->answer(410, kExpired); };
  watches = {refuse, refuse, refuse, refuse, events({event("ADDED", pod("a", 11))}, false)};
  run_until_told(2);
  EXPECT_EQ(log, (Lines{"synced", "added a@11"}));
  EXPECT_EQ(troubles, (Lines{"cannot watch pods (v1): the server no longer knows version 10; "
                             "trying again"}));
}

TEST_F(ReflectorTest, goesOnWithThePageThatFailed) {
  lists = {{200, list(10, {item("a", 3)}, "one")},
           {500, ""},
           {429, ""},
           {200, list(10, {item("b", 4)})}};
  run([this] { return reflector && reflector->synced(); });
  EXPECT_EQ(api.requests.at(3).line, "GET /api/v1/pods?limit=500&continue=one");
  EXPECT_EQ(log, (Lines{"added a@3", "added b@4", "synced"}));
}

TEST_F(ReflectorTest, saysOnceWhatItIsForbidden) {
  lists = {{403, R"({"kind":"Status","reason":"Forbidden","message":"pods is forbidden"})"},
           {403, R"({"kind":"Status","reason":"Forbidden","message":"pods is forbidden"})"},
           {403, R"({"kind":"Status","reason":"Forbidden","message":"pods is forbidden"})"},
           {200, list(10, {})}};
  bool healthy_before = true;
  std::string trouble_before;
  run([&] {
    if (!troubles.empty() && log.empty()) {
      healthy_before = reflector->healthy(api.loop().now());
      trouble_before = reflector->trouble();
    }
    return !log.empty();
  });
  EXPECT_EQ(troubles, (Lines{"cannot list pods (v1): pods is forbidden: add what is missing to the "
                             "role of that user; trying again"}));
  EXPECT_FALSE(healthy_before);
  EXPECT_EQ(trouble_before, troubles[0]);
}

TEST_F(ReflectorTest, leavesOutAMalformedObjectAndSaysSo) {
  const std::string bad = R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"bad","namespace":)"
                          R"("t","resourceVersion":"12"},"spec":{"containers":7}})";
  lists = {{200, list(10, {item("a", 3), bad, "7"})}};
  watches = {events({event("MODIFIED", bad), event("ADDED", pod("b", 13))}, false)};
  run_until_told(3);
  EXPECT_EQ(log, (Lines{"added a@3", "synced", "added b@13"}));
  ASSERT_GE(troubles.size(), 1U);
  EXPECT_EQ(troubles[0],
            "malformed object among pods, left as last known: line 1: Pod t/bad: "
            "spec.containers: expected an array, found an integer");
}

TEST_F(ReflectorTest, keepsTheLastStateOfAnObjectThatBecameMalformed) {
  const std::string bad = R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":)"
                          R"("t","resourceVersion":"12"},"spec":7})";
  lists = {{200, list(10, {item("a", 3)})}, {200, list(20, {bad})}};
  watches = {events({event("MODIFIED", bad), event("ERROR", kExpired)}),
             events({event("DELETED", bad)}, false)};
  run_until_told(3);
  EXPECT_EQ(log, (Lines{"added a@3", "synced", "deleted a@3"}));
}

TEST_F(ReflectorTest, listsAgainAfterGarbage) {
  for (const std::string garbage :
       {"<html>\n", "{\"type\":\"ADDED\"}\n", "{\"type\":\"ODD\",\"object\":{}}\n", "\x01\xff\n",
        "null\n", "{}{}\n"}) {
    SCOPED_TRACE(garbage);
    reflector.reset();
    log.clear();
    lists = {{200, list(10, {item("a", 3)})}, {200, list(20, {item("a", 13)})}};
    watches = {events({garbage, event("ADDED", pod("never", 11))}, false)};
    run_until_told(3);
    EXPECT_EQ(log, (Lines{"added a@3", "synced", "modified a@13"}));
  }
}

TEST_F(ReflectorTest, doesNotTakeAPageOfAProxyForAnEmptyList) {
  lists = {{200, "<html>login</html>"},
           {200, "{}"},
           {200, "{\"items\":[]}"},
           {200, list(10, {item("a", 3)})}};
  run([this] { return reflector && reflector->synced(); });
  EXPECT_EQ(log, (Lines{"added a@3", "synced"}));
  EXPECT_FALSE(troubles.empty());
}

TEST_F(ReflectorTest, survivesAServerThatFailsForAWhile) {
  lists = {{200, list(10, {item("a", 3)})}};
  const Step fail = [](const SessionPtr& session) { session->answer(500, "broken"); };
  const Step cut = [](const SessionPtr& session) { session->cut(); };
  const Step hang_up = events({});
  watches = {fail, cut, fail, hang_up, events({event("MODIFIED", pod("a", 11))}, false)};
  run_until_told(3);
  EXPECT_EQ(log, (Lines{"added a@3", "synced", "modified a@11"}));
  EXPECT_EQ(parameter(api.requests.size() - 1, "resourceVersion"), "resourceVersion=10");
  EXPECT_EQ(reflector->trouble(), "");
  EXPECT_FALSE(troubles.empty());
}

TEST_F(ReflectorTest, keepsDocumentsOnlyWhenAsked) {
  for (const bool keep : {false, true}) {
    SCOPED_TRACE(keep);
    reflector.reset();
    log.clear();
    objects.clear();
    lists = {{200, list(10, {item("a", 3)})}};
    Resource resource = pods();
    resource.keep_documents = keep;
    run([this] { return log.size() == 2; }, resource);
    ASSERT_EQ(objects.size(), 1U);
    EXPECT_EQ(objects[0]->document != nullptr, keep);
    if (keep) {
      EXPECT_EQ(objects[0]->document->find("managedFields"), std::string::npos);
    }
  }
}

TEST_F(ReflectorTest, isUnhealthyWhenOutOfTouchForLong) {
  lists = {{200, list(10, {})}};
  const Step refuse = [](const SessionPtr& session) { session->answer(500, "broken"); };
  watches.assign(50, refuse);
  run([this] { return !troubles.empty(); });
  const Instant now = api.loop().now();
  EXPECT_TRUE(reflector->healthy(now));
  EXPECT_FALSE(reflector->healthy(now + std::chrono::minutes(1)));
  EXPECT_TRUE(reflector->synced());
  EXPECT_NE(reflector->trouble().find("cannot watch pods (v1): HTTP 500: broken"),
            std::string::npos);
}

TEST_F(ReflectorTest, endsWithoutAWord) {
  lists = {{200, list(10, {})}};
  run_until_told(1);
  reflector.reset();
  api.loop().post([this] { api.done(); });
  api.run();
  EXPECT_EQ(client.open_calls(), 0U);
}

}  // namespace
}  // namespace tutti::kube
