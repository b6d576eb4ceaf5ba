#include "snapshot/cluster_lists.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "kube/testing/fake_api.h"
#include "wire/json_writer.h"

namespace tutti::snapshot {
namespace {

using kube::FakeRequest;
using kube::SessionPtr;

kube::Resource resource(model::Kind kind) {
  kube::Resource made;
  made.kind = kind;
  made.group_version = "v1";
  made.plural = std::string(model::facts(kind).plural);
  return made;
}

class ClusterListsTest : public testing::Test {
 protected:
  Result<ClusterLists::Pages> read() {
    kube::ApiClient client(api.loop(), api.access(), kube::ApiClient::Options{"tutti/test", 7});
    std::optional<Result<ClusterLists::Pages>> outcome;
    ClusterLists lists(client,
                       {{resource(model::Kind::node)},
                        {resource(model::Kind::job), true},
                        {resource(model::Kind::pod)}},
                       {[](std::string_view, std::size_t) {},
                        [&](std::string_view plural, const std::string& why) {
                          left_out += fmt::format("{}: {}\n", plural, why);
                        },
                        [&](Result<ClusterLists::Pages> pages) {
                          outcome.emplace(std::move(pages));
                          api.done();
                        }});
    lists.start();
    api.run();
    return *std::move(outcome);
  }

  kube::FakeApi api;
  std::string left_out;
};

TEST_F(ClusterListsTest, readsEverythingAtTheVersionOfTheFirstPage) {
  api.script = [](const FakeRequest& request, const SessionPtr& session) {
    if (request.has("continue=more")) {
      return session->answer(
          200, R"({"metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"b"}}]})");
    }
    if (request.has("/nodes")) {
      return session->answer(
          200, R"({"metadata":{"resourceVersion":"7","continue":"more"},"items":[{"metadata":)"
               R"({"name":"a","managedFields":[{"manager":"x"}]}}]})");
    }
    session->answer(200, R"({"metadata":{"resourceVersion":"7"},"items":[]})");
  };
  const auto pages = read();
  ASSERT_TRUE(pages.ok()) << pages.error().message;
  ASSERT_EQ(pages->size(), 4U);
  EXPECT_EQ(wire::to_json(pages->front().root()),
            R"([{"metadata":{"name":"a"},"apiVersion":"v1","kind":"Node"}])");
  ASSERT_EQ(api.requests.size(), 4U);
  EXPECT_EQ(api.requests[1].line, "GET /api/v1/nodes?limit=500&continue=more");
  EXPECT_EQ(api.requests[3].line,
            "GET /api/v1/pods?limit=500&resourceVersion=7&resourceVersionMatch=Exact");
}

TEST_F(ClusterListsTest, beginsAgainWhenTheServerHasForgottenThatVersion) {
  bool forgotten = false;
  api.script = [&](const FakeRequest& request, const SessionPtr& session) {
    if (request.has("/pods") && !std::exchange(forgotten, true)) {
      return session->answer(410, R"({"kind":"Status","status":"Failure","reason":"Expired"})");
    }
    session->answer(200, R"({"metadata":{"resourceVersion":"9"},"items":[{"metadata":{}}]})");
  };
  const auto pages = read();
  ASSERT_TRUE(pages.ok()) << pages.error().message;
  EXPECT_EQ(pages->size(), 3U);
  EXPECT_EQ(api.requests.size(), 6U);
}

TEST_F(ClusterListsTest, saysWhatItMayNotRead) {
  api.script = [](const FakeRequest&, const SessionPtr& session) {
    session->answer(403,
                    R"({"kind":"Status","status":"Failure","reason":"Forbidden","message":"no"})");
  };
  const auto pages = read();
  ASSERT_FALSE(pages.ok());
  EXPECT_NE(pages.error().message.find("list nodes"), std::string::npos) << pages.error().message;
}

TEST_F(ClusterListsTest, goesOnWithoutWhatCanBeDoneWithout) {
  api.script = [](const FakeRequest& request, const SessionPtr& session) {
    if (request.has("/jobs")) {
      return session->answer(
          403, R"({"kind":"Status","status":"Failure","reason":"Forbidden","message":"no"})");
    }
    session->answer(200, R"({"metadata":{"resourceVersion":"7"},"items":[]})");
  };
  const auto pages = read();
  ASSERT_TRUE(pages.ok()) << pages.error().message;
  EXPECT_EQ(pages->size(), 2U);
  EXPECT_TRUE(left_out.starts_with("jobs: no")) << left_out;
}

TEST_F(ClusterListsTest, wantsAllOfAListThatItHasBegun) {
  api.script = [](const FakeRequest& request, const SessionPtr& session) {
    if (request.has("continue=more")) {
      return session->answer(403, R"({"kind":"Status","status":"Failure","message":"no more"})");
    }
    session->answer(200,
                    request.has("/jobs")
                        ? R"({"metadata":{"resourceVersion":"7","continue":"more"},"items":[]})"
                        : R"({"metadata":{"resourceVersion":"7"},"items":[]})");
  };
  EXPECT_FALSE(read().ok());
  EXPECT_EQ(left_out, "");
}

}  // namespace
}  // namespace tutti::snapshot
