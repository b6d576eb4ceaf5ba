#include "kube/client/api_client.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "kube/testing/fake_api.h"

namespace tutti::kube {
namespace {

class ApiClientTest : public testing::Test {
 protected:
  ApiClient& client() {
    if (!client_) client_.emplace(api.loop(), access, ApiClient::Options{"tutti/test", 7, pace});
    return *client_;
  }

  Answer ask(Call call) {
    std::optional<Answer> answer;
    client().call(std::move(call), [&](Answer given) {
      answer = std::move(given);
      api.done();
    });
    EXPECT_FALSE(answer.has_value()) << "answered from inside the call";
    api.run();
    return answer.value_or(Answer{});
  }

  // The n-th request, from 0, gets the n-th answer; later ones the last.
  void answer_in_turn(std::vector<std::pair<int, std::string>> answers, std::string headers = "") {
    api.script = [this, answers = std::move(answers), headers = std::move(headers)](
                     const FakeRequest&, const SessionPtr& session) {
      const auto& [status, body] = answers[std::min(api.requests.size(), answers.size()) - 1];
      session->answer(status, body, headers);
    };
  }

  FakeApi api;
  Access access = api.access();
  RateLimit pace;

 private:
  std::optional<ApiClient> client_;
};

std::string status_body(std::string_view reason, std::string_view message,
                        std::string_view details = "{}") {
  return fmt::format(
      R"({{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"{}","message":"{}","details":{}}})",
      reason, message, details);
}

TEST_F(ApiClientTest, saysWhoItIsAndWhatItSendsAndWants) {
  access.token = "secret";
  answer_in_turn({{201, "{}"}});
  Call call;
  call.method = "POST";
  call.path = "/api/v1/namespaces/t/pods/a/binding";
  call.body = "{\"a\":1}";
  const Answer answer = ask(std::move(call));
  EXPECT_TRUE(answer.ok());
  ASSERT_EQ(api.requests.size(), 1U);
  const FakeRequest& request = api.requests[0];
  EXPECT_EQ(request.line, "POST /api/v1/namespaces/t/pods/a/binding");
  EXPECT_EQ(request.body, "{\"a\":1}");
  for (const char* header :
       {"\r\nAuthorization: Bearer secret\r\n", "\r\nUser-Agent: tutti/test\r\n",
        "\r\nAccept: application/json\r\n", "\r\nContent-Type: application/json\r\n"}) {
    EXPECT_NE(request.head.find(header), std::string::npos) << header << request.head;
  }
}

TEST_F(ApiClientTest, givesTheBodyOfASuccess) {
  answer_in_turn({{200, "{\"kind\":\"Pod\"}"}});
  const Answer answer = ask({.path = "/x"});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "{\"kind\":\"Pod\"}");
  EXPECT_EQ(answer.message, "");
}

TEST_F(ApiClientTest, readsReasonMessageAndWaitOfAStatus) {
  answer_in_turn({{409, status_body("Conflict", "the object has been modified",
                                    "{\"retryAfterSeconds\":3}")}});
  const Answer answer = ask({.path = "/x"});
  EXPECT_EQ(answer.status, 409);
  EXPECT_EQ(answer.reason, "Conflict");
  EXPECT_EQ(answer.message, "the object has been modified");
  EXPECT_EQ(answer.retry_after, Millis{3000});
  EXPECT_FALSE(answer.transient());
}

TEST_F(ApiClientTest, saysWhatIsForbiddenAndWhatToDo) {
  answer_in_turn(
      {{403, status_body("Forbidden", "pods is forbidden: User \\\"u\\\" cannot list")}});
  EXPECT_EQ(ask({.path = "/x"}).message,
            "pods is forbidden: User \"u\" cannot list: add what is missing to the role of that "
            "user");
}

TEST_F(ApiClientTest, quotesABodyThatIsNoStatus) {
  answer_in_turn({{404, "404 page not found\n"}});
  const Answer answer = ask({.path = "/x"});
  EXPECT_EQ(answer.reason, "");
  EXPECT_EQ(answer.message, "HTTP 404: 404 page not found\\n");
}

TEST_F(ApiClientTest, repeatsATransientFailureAsOftenAsAllowed) {
  answer_in_turn({{500, ""}, {503, ""}, {200, "{}"}});
  EXPECT_TRUE(ask({.path = "/x", .retries_max = 2}).ok());
  EXPECT_EQ(api.requests.size(), 3U);
}

TEST_F(ApiClientTest, givesTheLastAnswerWhenRepeatsAreUsedUp) {
  answer_in_turn({{500, ""}, {500, ""}, {503, ""}, {200, ""}});
  EXPECT_EQ(ask({.path = "/x", .retries_max = 2}).status, 503);
}

TEST_F(ApiClientTest, repeatsNothingUnasked) {
  answer_in_turn({{500, ""}, {200, ""}});
  EXPECT_EQ(ask({.path = "/x"}).status, 500);
}

TEST_F(ApiClientTest, doesNotRepeatWhatTheServerRefuses) {
  answer_in_turn({{422, status_body("Invalid", "no")}, {200, ""}});
  EXPECT_EQ(ask({.path = "/x", .retries_max = 5}).status, 422);
}

TEST_F(ApiClientTest, waitsAsLongAsAnOverloadedServerAsks) {
  answer_in_turn({{429, "busy"}, {200, ""}}, "Retry-After: 1\r\n");
  const Instant before = api.loop().now();
  EXPECT_TRUE(ask({.path = "/x", .retries_max = 1}).ok());
  EXPECT_GE(api.loop().now() - before, Millis{900});
}

TEST_F(ApiClientTest, repeatsARequestWhoseConnectionWasCut) {
  api.script = [this](const FakeRequest&, const SessionPtr& session) {
    if (api.requests.size() == 1) return session->cut();
    session->answer(200, "{}");
  };
  EXPECT_TRUE(ask({.path = "/x", .retries_max = 3}).ok());
}

TEST_F(ApiClientTest, saysWhereNobodyAnswers) {
  access.endpoint.url = "http://127.0.0.1:1";
  const Answer answer = ask({.path = "/x"});
  EXPECT_EQ(answer.status, 0);
  EXPECT_TRUE(answer.transient());
  EXPECT_NE(answer.message.find("http://127.0.0.1:1: connection refused"), std::string::npos)
      << answer.message;
}

TEST_F(ApiClientTest, givesUpOnASlowServer) {
  api.script = [](const FakeRequest&, const SessionPtr&) {};
  const Answer answer = ask({.path = "/x", .timeout = Millis{50}});
  EXPECT_EQ(answer.status, 0);
  EXPECT_NE(answer.message.find("no answer in time"), std::string::npos) << answer.message;
}

TEST_F(ApiClientTest, asksOnceMoreWhenItsCredentialsAreRejected) {
  answer_in_turn({{401, status_body("Unauthorized", "Unauthorized")}, {200, "{}"}});
  access.token = "t";
  EXPECT_TRUE(ask({.path = "/x"}).ok());
  EXPECT_EQ(api.requests.size(), 2U);
}

TEST_F(ApiClientTest, doesNotInsistOnRejectedCredentials) {
  answer_in_turn({{401, status_body("Unauthorized", "Unauthorized")}});
  access.token = "very-secret";
  const Answer answer = ask({.path = "/x", .retries_max = 5});
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(api.requests.size(), 2U);
  EXPECT_NE(answer.message.find("missing, expired or not one of this cluster's"),
            std::string::npos);
  EXPECT_EQ(answer.message.find("very-secret"), std::string::npos);
}

TEST_F(ApiClientTest, saysThatThereAreNoCredentials) {
  answer_in_turn({{200, "{}"}});
  access.token_file = "/nonexistent/token";
  const Answer answer = ask({.path = "/x"});
  EXPECT_EQ(answer.status, 0);
  EXPECT_TRUE(answer.message.starts_with("credentials: ")) << answer.message;
  EXPECT_TRUE(api.requests.empty());
}

TEST_F(ApiClientTest, doesNotAnswerACancelledCall) {
  answer_in_turn({{200, "{}"}});
  const net::RequestId id = client().call({.path = "/cancelled"}, [](const Answer&) { FAIL(); });
  client().cancel(id);
  EXPECT_TRUE(ask({.path = "/x"}).ok());
  EXPECT_EQ(client().open_calls(), 0U);
}

TEST_F(ApiClientTest, doesNotRepeatACallThatIsCancelledWhileItWaits) {
  net::RequestId id = 0;
  api.script = [&](const FakeRequest&, const SessionPtr& session) {
    session->answer(500, "");
    // The answer has arrived and the repetition is pending by then.
    api.loop().post([&] {
      client().call({.path = "/then"}, [&](const Answer&) {
        client().cancel(id);
        api.done();
      });
    });
    api.script = [](const FakeRequest&, const SessionPtr& later) { later->answer(200, ""); };
  };
  id = client().call({.path = "/x", .retries_max = 9}, [](const Answer&) { FAIL(); });
  api.run();
  EXPECT_EQ(client().open_calls(), 0U);
}

TEST_F(ApiClientTest, servesMoreCallsThanMayBeInFlight) {
  constexpr std::size_t kCalls = kCallsInFlightMax * 2 + 50;
  std::size_t answered = 0;
  answer_in_turn({{200, ""}});
  for (std::size_t i = 0; i < kCalls; ++i) {
    client().call({.path = fmt::format("/{}", i)}, [&](const Answer& answer) {
      EXPECT_TRUE(answer.ok());
      if (++answered == kCalls) api.done();
    });
  }
  EXPECT_EQ(client().open_calls(), kCalls);
  api.run();
  EXPECT_EQ(client().open_calls(), 0U);
}

TEST_F(ApiClientTest, keepsThePaceItWasGivenAndLosesNoCall) {
  pace = {.per_second = 500, .burst = 2};
  std::size_t answered = 0;
  answer_in_turn({{200, ""}});
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 12; ++i) {
    client().call({.path = "/x"}, [&](const Answer&) {
      if (++answered == 12) api.done();
    });
  }
  api.run();
  EXPECT_EQ(answered, 12U);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(20))
      << "two at once, ten at 2 ms each";
}

TEST_F(ApiClientTest, handsOnAWatchAsItComes) {
  api.script = [](const FakeRequest&, const SessionPtr& session) {
    session->open_stream();
    session->send("ab");
    session->send("c\n");
    session->end_stream();
  };
  bool opened = false;
  std::string text;
  client().watch("/w", {.opened = [&] { opened = text.empty(); },
                        .data = [&](std::string_view piece) { text += piece; },
                        .ended =
                            [&](const Answer& answer) {
                              EXPECT_EQ(answer.status, 200);
                              api.done();
                            }});
  api.run();
  EXPECT_TRUE(opened);
  EXPECT_EQ(text, "abc\n");
}

TEST_F(ApiClientTest, tellsARefusedWatchFromACutOne) {
  answer_in_turn({{410, status_body("Expired", "too old")}});
  Answer refused;
  client().watch("/w", {.opened = [] { FAIL(); },
                        .data = [](std::string_view) { FAIL(); },
                        .ended =
                            [&](Answer answer) {
                              refused = std::move(answer);
                              api.done();
                            }});
  api.run();
  EXPECT_EQ(refused.status, 410);
  EXPECT_EQ(refused.reason, "Expired");

  api.script = [](const FakeRequest&, const SessionPtr& session) {
    session->open_stream();
    session->send("ab");
    session->cut();
  };
  Answer cut;
  client().watch("/w", {.data = [](std::string_view) {},
                        .ended =
                            [&](Answer answer) {
                              cut = std::move(answer);
                              api.done();
                            }});
  api.run();
  EXPECT_EQ(cut.status, 0);
  EXPECT_NE(cut.message, "");
}

}  // namespace
}  // namespace tutti::kube
