#include "net/http_client.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "net/test_peer.h"

namespace tutti::net {
namespace {

constexpr Millis kSilence{10'000};

void echo(const PeerRequest& request, PeerSession& session) {
  session.answer(200, request.target() + ' ' + request.body);
}

// A loop that a test cannot hang in.
class HttpClientTest : public testing::Test {
 protected:
  void run() {
    const Timer watchdog = loop_.after(Millis{20'000}, [this] {
      ADD_FAILURE() << "nothing more happens";
      loop_.stop();
    });
    loop_.run();
  }

  Result<Response> ask(HttpClient& client, Request request) {
    std::optional<Result<Response>> got;
    client.send(std::move(request), [&](Result<Response> result) {
      got = std::move(result);
      loop_.stop();
    });
    EXPECT_FALSE(got.has_value()) << "answered from inside send()";
    run();
    return got ? std::move(*got) : Error{Error::Code::io, "no handler ran"};
  }

  // What a stream brought, and how it ended.
  struct Streamed {
    std::string data;
    std::optional<Result<Response>> end;
  };
  Streamed follow(HttpClient& client, Request request) {
    Streamed streamed;
    request.timeout = Millis{0};
    client.stream(std::move(request),
                  {.data = [&](std::string_view bytes) { streamed.data += bytes; },
                   .ended =
                       [&](Result<Response> result) {
                         streamed.end = std::move(result);
                         loop_.stop();
                       }});
    run();
    return streamed;
  }

  std::string failure(Endpoint endpoint, Millis timeout = Millis{5'000}) {
    HttpClient client(loop_, std::move(endpoint), kSilence);
    const auto result = ask(client, {.path = "/", .timeout = timeout});
    if (result.ok()) return "answered " + std::to_string(result->status);
    EXPECT_EQ(result.error().code, Error::Code::unavailable);
    return result.error().message;
  }

  Loop loop_;
};

#define EXPECT_SAYS(text, words) EXPECT_NE((text).find(words), std::string::npos) << (text)

TEST_F(HttpClientTest, bringsTheAnswerOfEachMethod) {
  std::string seen;
  TestPeer peer(loop_, [&](const PeerRequest& request, PeerSession& session) {
    seen = request.head.substr(0, request.head.find(' ')) + ' ' + request.body;
    session.answer(201, "made");
  });
  HttpClient client(loop_, {.url = peer.url()}, kSilence);
  constexpr std::pair<const char*, const char*> cases[] = {
      {"GET", ""},      {"POST", "{}"}, {"GET", ""},  {"PUT", "{\"a\":1}"}, {"PATCH", "[]"},
      {"DELETE", "{}"}, {"DELETE", ""}, {"POST", ""}, {"GET", ""}};
  for (const auto& [method, body] : cases) {
    SCOPED_TRACE(std::string(method) + ' ' + body);
    const auto result = ask(client, {.method = method, .path = "/x", .body = body});
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(result->status, 201);
    EXPECT_EQ(result->body, "made");
    EXPECT_EQ(result->retry_after, std::nullopt);
    EXPECT_EQ(seen, std::string(method) + ' ' + body);
  }
  EXPECT_EQ(peer.connections(), 1U);
}

TEST_F(HttpClientTest, sendsTheHeadersItIsGivenAndNoneThatCurlLikes) {
  std::string head;
  TestPeer peer(loop_, [&](const PeerRequest& request, PeerSession& session) {
    head = request.head;
    session.answer(200, "");
  });
  HttpClient client(loop_, {.url = peer.url() + "/prefix"}, kSilence);
  const Request request{.method = "POST",
                        .path = "/pods?limit=5",
                        .headers = {{"Authorization", "Bearer secret"}, {"X-Empty", ""}},
                        .body = std::string(2'000'000, 'x')};
  ASSERT_TRUE(ask(client, request).ok());
  EXPECT_SAYS(head, "POST /prefix/pods?limit=5 HTTP/1.1\r\n");
  EXPECT_SAYS(head, "Authorization: Bearer secret\r\n");
  EXPECT_SAYS(head, "X-Empty:\r\n");
  EXPECT_EQ(head.find("Expect"), std::string::npos);
  EXPECT_EQ(head.find("Content-Type"), std::string::npos);
}

TEST_F(HttpClientTest, forgetsTheHeadersOfTheRequestBefore) {
  std::string head;
  TestPeer peer(loop_, [&](const PeerRequest& request, PeerSession& session) {
    head = request.head;
    session.answer(200, "");
  });
  HttpClient client(loop_, {.url = peer.url()}, kSilence);
  ASSERT_TRUE(ask(client, {.headers = {{"Authorization", "Bearer old"}}}).ok());
  ASSERT_TRUE(ask(client, {.headers = {{"Accept", "application/json"}}}).ok());
  EXPECT_EQ(head.find("Authorization"), std::string::npos);
}

TEST_F(HttpClientTest, givesEachOfManyConcurrentRequestsItsOwnAnswer) {
  TestPeer peer(loop_, echo);
  HttpClient client(loop_, {.url = peer.url()}, kSilence);
  constexpr int kRequests = 500;
  int right = 0;
  int done = 0;
  for (int i = 0; i < kRequests; ++i) {
    const std::string number = std::to_string(i);
    client.send({.method = "POST", .path = "/" + number, .body = number},
                [&, number](Result<Response> result) {
                  right += result.ok() && result->body == "/" + number + ' ' + number ? 1 : 0;
                  if (++done == kRequests) loop_.stop();
                });
  }
  EXPECT_EQ(client.in_flight(), static_cast<std::size_t>(kRequests));
  run();
  EXPECT_EQ(right, kRequests);
  EXPECT_EQ(client.in_flight(), 0U);
  EXPECT_LE(peer.connections(), 16U);
}

TEST_F(HttpClientTest, readsRetryAfter) {
  struct Case {
    std::string header;
    std::optional<Millis> wait;
  };
  const Case cases[] = {{"Retry-After: 7\r\n", Millis{7'000}},
                        {"", std::nullopt},
                        {"Retry-After: soon\r\n", std::nullopt},
                        {"Retry-After: -3\r\n", std::nullopt},
                        {"Retry-After: 99999999999999999\r\n", Millis{24 * 3600 * 1000}}};
  std::string header;
  TestPeer peer(loop_, [&](const PeerRequest&, PeerSession& session) {
    session.answer(429, "later", header);
  });
  HttpClient client(loop_, {.url = peer.url()}, kSilence);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.header);
    header = c.header;
    const auto result = ask(client, {});
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->status, 429);
    EXPECT_EQ(result->retry_after, c.wait);
  }
}

TEST_F(HttpClientTest, givesUpWhenNoAnswerComesInTime) {
  TestPeer peer(loop_, [](const PeerRequest&, PeerSession&) {});
  EXPECT_SAYS(failure({.url = peer.url()}, Millis{50}), "no answer in time");
}

TEST_F(HttpClientTest, saysThatNothingListens) {
  TestPeer peer(loop_, echo);
  const std::string url = peer.url();
  peer.stop();
  const std::string message = failure({.url = url});
  EXPECT_SAYS(message, url + ": connection refused");
}

TEST_F(HttpClientTest, saysThatAnAddressIsNoUrl) {
  EXPECT_SAYS(failure({.url = "ftp://127.0.0.1"}), "not an http:// or https:// URL");
  EXPECT_SAYS(failure({.url = "http://"}), "not an http:// or https:// URL");
}

TEST_F(HttpClientTest, neverShowsThePasswordOfAnAddress) {
  TestPeer peer(loop_, echo);
  const std::string port = std::to_string(peer.port());
  peer.stop();
  const std::string message = failure({.url = "http://user:hunter2@127.0.0.1:" + port});
  EXPECT_EQ(message.find("hunter2"), std::string::npos) << message;
}

TEST_F(HttpClientTest, asksThroughAProxyThatIsNamed) {
  TestPeer proxy(loop_, echo);
  HttpClient client(loop_, {.url = "http://api.test:6443", .proxy_url = proxy.url()}, kSilence);
  const auto result = ask(client, {.path = "/version"});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->body, "http://api.test:6443/version ");
}

TEST_F(HttpClientTest, saysThatTheAnswerBroke) {
  TestPeer peer(loop_, [](const PeerRequest&, PeerSession& session) {
    session.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this");
    session.close();
  });
  EXPECT_SAYS(failure({.url = peer.url()}), "broke before the answer was complete");
}

TEST_F(HttpClientTest, doesNotRepeatAPostWhoseAnswerNeverCame) {
  int posts = 0;
  TestPeer peer(loop_, [&](const PeerRequest& request, PeerSession& session) {
    if (request.target() == "/first") return session.answer(200, "");
    ++posts;
    session.close();
  });
  HttpClient client(loop_, {.url = peer.url()}, kSilence);
  ASSERT_TRUE(ask(client, {.path = "/first"}).ok());
  const auto result = ask(client, {.method = "POST", .path = "/second", .body = "{}"});
  ASSERT_FALSE(result.ok());
  EXPECT_SAYS(result.error().message, "broke before the answer");
  EXPECT_EQ(posts, 1);
}

TEST_F(HttpClientTest, reconnectsAfterTheServerClosedAnIdleConnection) {
  TestPeer peer(loop_, [](const PeerRequest& request, PeerSession& session) {
    echo(request, session);
    session.close();
  });
  HttpClient client(loop_, {.url = peer.url()}, kSilence);
  for (int i = 0; i < 3; ++i) {
    const auto result = ask(client, {.method = "POST", .path = "/", .body = "{}"});
    ASSERT_TRUE(result.ok()) << result.error().message;
    // Lets the end of the connection arrive.
    const Timer pause = loop_.after(Millis{5}, [this] { loop_.stop(); });
    run();
  }
  EXPECT_EQ(peer.connections(), 3U);
}

TEST_F(HttpClientTest, callsNoHandlerOfACancelledRequest) {
  TestPeer peer(loop_, echo);
  HttpClient client(loop_, {.url = peer.url()}, kSilence);
  bool called = false;
  const RequestId before_start =
      client.send({.path = "/a"}, [&](Result<Response>) { called = true; });
  client.cancel(before_start);
  EXPECT_EQ(client.in_flight(), 0U);
  RequestId other = 0;
  client.send({.path = "/b"}, [&](const Result<Response>&) { client.cancel(other); });
  other = client.send({.path = "/c"}, [&](Result<Response>) { called = true; });
  ASSERT_TRUE(ask(client, {.path = "/d"}).ok());
  client.cancel(other);
  client.cancel(before_start);
  EXPECT_EQ(client.in_flight(), 0U);
  EXPECT_FALSE(called);
}

TEST_F(HttpClientTest, leavesTheNextUserOfASlotAloneWhenAnOldIdIsCancelled) {
  TestPeer peer(loop_, echo);
  HttpClient client(loop_, {.url = peer.url()}, kSilence);
  const RequestId old = client.send({}, [](const Result<Response>&) {});
  client.cancel(old);
  bool called = false;
  client.send({}, [&](const Result<Response>& result) {
    called = result.ok();
    loop_.stop();
  });
  client.cancel(old);
  run();
  EXPECT_TRUE(called);
}

TEST_F(HttpClientTest, letsAHandlerAskAgain) {
  TestPeer peer(loop_, echo);
  HttpClient client(loop_, {.url = peer.url()}, kSilence);
  int answers = 0;
  ResponseHandler again = [&](const Result<Response>& result) {
    EXPECT_TRUE(result.ok());
    if (++answers == 10) return loop_.stop();
    client.send({.path = "/"}, again);
  };
  client.send({.path = "/"}, again);
  run();
  EXPECT_EQ(answers, 10);
  EXPECT_EQ(peer.connections(), 1U);
}

TEST_F(HttpClientTest, mayEndInsideAHandler) {
  TestPeer peer(loop_, echo);
  auto client = std::make_unique<HttpClient>(loop_, Endpoint{.url = peer.url()}, kSilence);
  int called = 0;
  for (int i = 0; i < 5; ++i) {
    client->send({.path = "/"}, [&](const Result<Response>&) {
      ++called;
      client.reset();
    });
  }
  const Timer later = loop_.after(Millis{50}, [this] { loop_.stop(); });
  run();
  EXPECT_EQ(called, 1);
}

TEST_F(HttpClientTest, mayEndWithRequestsUnderWay) {
  TestPeer peer(loop_, [](const PeerRequest&, PeerSession& session) { session.begin_chunks(); });
  auto client = std::make_unique<HttpClient>(loop_, Endpoint{.url = peer.url()}, kSilence);
  bool called = false;
  client->send({}, [&](Result<Response>) { called = true; });
  client->stream({}, {.data = [&](std::string_view) { called = true; },
                      .ended = [&](Result<Response>) { called = true; }});
  const Timer later = loop_.after(Millis{20}, [&] {
    client.reset();
    loop_.post([this] { loop_.stop(); });
  });
  run();
  EXPECT_FALSE(called);
}

TEST_F(HttpClientTest, letsTheLoopEndWhenNothingIsUnderWay) {
  TestPeer peer(loop_, [](const PeerRequest& request, PeerSession& session) {
    echo(request, session);
    session.close();
  });
  HttpClient client(loop_, {.url = peer.url()}, kSilence);
  bool answered = false;
  client.send({}, [&](const Result<Response>&) {
    answered = true;
    peer.stop();
  });
  client.cancel(client.stream({}, {.data = [](std::string_view) {}, .ended = [](auto) {}}));
  loop_.run();
  EXPECT_TRUE(answered);
}

TEST_F(HttpClientTest, streamsDataAsItArrivesAndThenTheEnd) {
  PeerSession* session = nullptr;
  TestPeer peer(loop_, [&](const PeerRequest&, PeerSession& its) {
    session = &its;
    session->begin_chunks();
    session->chunk("first");
  });
  HttpClient client(loop_, {.url = peer.url()}, kSilence);
  std::string log;
  client.stream({.timeout = Millis{0}}, {.data =
                                             [&](std::string_view bytes) {
                                               log.append(bytes).append("|");
                                               if (bytes == "first") return session->chunk("again");
                                               session->end_chunks();
                                             },
                                         .ended =
                                             [&](const Result<Response>& result) {
                                               ASSERT_TRUE(result.ok());
                                               log += std::to_string(result->status) + result->body;
                                               loop_.stop();
                                             }});
  run();
  EXPECT_EQ(log, "first|again|200");
}

TEST_F(HttpClientTest, endsACutStreamWithAnError) {
  TestPeer peer(loop_, [](const PeerRequest&, PeerSession& session) {
    session.begin_chunks();
    session.chunk("event");
    session.close();
  });
  HttpClient client(loop_, {.url = peer.url()}, kSilence);
  const Streamed streamed = follow(client, {});
  EXPECT_EQ(streamed.data, "event");
  ASSERT_TRUE(streamed.end && !streamed.end->ok());
  EXPECT_SAYS(streamed.end->error().message, "broke before the answer was complete");
}

TEST_F(HttpClientTest, endsASilentStream) {
  TestPeer peer(loop_, [](const PeerRequest&, PeerSession& session) {
    session.begin_chunks();
    session.chunk("event");
  });
  HttpClient client(loop_, {.url = peer.url()}, Millis{50});
  const Streamed streamed = follow(client, {});
  EXPECT_EQ(streamed.data, "event");
  ASSERT_TRUE(streamed.end && !streamed.end->ok());
  EXPECT_SAYS(streamed.end->error().message, "the stream brought nothing for 50ms");
  EXPECT_EQ(client.in_flight(), 0U);
}

TEST_F(HttpClientTest, keepsAStreamThatSpeaksWithinTheLimit) {
  std::vector<Timer> timers;
  TestPeer peer(loop_, [&](const PeerRequest&, PeerSession& session) {
    session.begin_chunks();
    for (int i = 1; i <= 10; ++i) {
      timers.push_back(loop_.after(Millis{20 * i}, [&session] { session.chunk("event"); }));
    }
    timers.push_back(loop_.after(Millis{220}, [&session] { session.end_chunks(); }));
  });
  HttpClient client(loop_, {.url = peer.url()}, Millis{150});
  const Streamed streamed = follow(client, {});
  EXPECT_EQ(streamed.data.size(), 50U);
  ASSERT_TRUE(streamed.end && streamed.end->ok());
}

TEST_F(HttpClientTest, bringsTheBodyOfARefusedStreamWithItsEnd) {
  TestPeer peer(loop_, [](const PeerRequest&, PeerSession& session) {
    session.answer(410, "too old", "Retry-After: 1\r\n");
  });
  HttpClient client(loop_, {.url = peer.url()}, kSilence);
  const Streamed streamed = follow(client, {});
  EXPECT_EQ(streamed.data, "");
  ASSERT_TRUE(streamed.end && streamed.end->ok());
  EXPECT_EQ((*streamed.end)->status, 410);
  EXPECT_EQ((*streamed.end)->body, "too old");
  EXPECT_EQ((*streamed.end)->retry_after, Millis{1'000});
}

TEST_F(HttpClientTest, cutsTheLongBodyOfARefusedStream) {
  TestPeer peer(loop_, [](const PeerRequest&, PeerSession& session) {
    session.answer(500, std::string(1'000'000, 'x'));
  });
  HttpClient client(loop_, {.url = peer.url()}, kSilence);
  const Streamed streamed = follow(client, {});
  ASSERT_TRUE(streamed.end && streamed.end->ok());
  EXPECT_EQ((*streamed.end)->status, 500);
  EXPECT_EQ((*streamed.end)->body.size(), 65'536U);
}

TEST_F(HttpClientTest, stopsAStreamThatItsOwnDataHandlerCancels) {
  TestPeer peer(loop_, [](const PeerRequest&, PeerSession& session) {
    session.begin_chunks();
    session.chunk("event");
    session.chunk("event");
    session.end_chunks();
  });
  HttpClient client(loop_, {.url = peer.url()}, kSilence);
  RequestId id = 0;
  int pieces = 0;
  bool ended = false;
  const auto owned = std::make_shared<int>(0);
  id = client.stream({}, {.data =
                              [&, owned](std::string_view) {
                                ++pieces;
                                client.cancel(id);
                                ++*owned;  // the handler outlives its own cancelling
                                client.send({}, [&](const Result<Response>&) { loop_.stop(); });
                              },
                          .ended = [&](const Result<Response>&) { ended = true; }});
  run();
  EXPECT_EQ(pieces, 1);
  EXPECT_FALSE(ended);
  EXPECT_EQ(owned.use_count(), 1);
}

TEST_F(HttpClientTest, startsAndCancelsStreamsFromInsideADataHandler) {
  TestPeer peer(loop_, [](const PeerRequest&, PeerSession& session) {
    session.begin_chunks();
    session.chunk("event");
    session.end_chunks();
  });
  HttpClient client(loop_, {.url = peer.url()}, kSilence);
  bool wrong = false;
  int ends = 0;
  const auto end = [&](const Result<Response>& result) {
    wrong |= !result.ok();
    if (++ends == 2) loop_.stop();
  };
  client.stream({}, {.data =
                         [&](std::string_view) {
                           client.stream({}, {.data = [](std::string_view) {}, .ended = end});
                           client.cancel(client.stream(
                               {}, {.data = [&](std::string_view) { wrong = true; },
                                    .ended = [&](const Result<Response>&) { wrong = true; }}));
                         },
                     .ended = end});
  run();
  EXPECT_EQ(ends, 2);
  EXPECT_FALSE(wrong);
  EXPECT_EQ(client.in_flight(), 0U);
}

TEST_F(HttpClientTest, mayEndInsideADataHandler) {
  TestPeer peer(loop_, [](const PeerRequest&, PeerSession& session) {
    session.begin_chunks();
    session.chunk("event");
    session.chunk("event");
    session.end_chunks();
  });
  auto client = std::make_unique<HttpClient>(loop_, Endpoint{.url = peer.url()}, kSilence);
  std::string log;
  const auto handler = StreamHandler{.data =
                                         [&](std::string_view) {
                                           log += 'd';
                                           client->stream({}, {});
                                           client.reset();
                                         },
                                     .ended = [&](const Result<Response>&) { log += 'e'; }};
  client->stream({}, handler);
  client->stream({}, handler);
  const Timer later = loop_.after(Millis{50}, [this] { loop_.stop(); });
  run();
  EXPECT_EQ(log, "d");
}

}  // namespace
}  // namespace tutti::net
