#include "net/http_server.h"

#include <gtest/gtest.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "net/http_client.h"

namespace tutti::net {
namespace {

namespace asio = boost::asio;

ServerResponse serve_echo(const ServerRequest& request) {
  if (request.target == "/missing") return {.status = 404, .body = "no"};
  return {.content_type = "text/x", .body = request.method + ' ' + request.target};
}

// A client that writes what a proper one would not, and reads until the server closes.
class RawClient {
 public:
  RawClient(Loop& loop, std::uint16_t port) : state_(std::make_shared<State>(loop)) {
    state_->socket.connect({asio::ip::address_v4::loopback(), port});
  }
  ~RawClient() { state_->socket.close(); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  void send(const std::string& bytes, std::function<void()> closed) {
    State& state = *state_;
    state.outgoing = bytes;
    asio::async_write(state.socket, asio::buffer(state.outgoing),
                      [keep = state_](auto, std::size_t) {});
    asio::async_read(state.socket, asio::dynamic_buffer(state.received),
                     [keep = state_, closed = std::move(closed)](auto error, std::size_t) {
                       if (error != asio::error::operation_aborted) closed();
                     });
  }
  const std::string& received() const { return state_->received; }

 private:
  struct State {
    explicit State(Loop& loop) : socket(loop.context()) {}
    asio::ip::tcp::socket socket;
    std::string outgoing, received;
  };
  std::shared_ptr<State> state_;
};

class HttpServerTest : public testing::Test {
 protected:
  void listen(HttpServer::Handler handler) {
    auto server = HttpServer::listen(loop_, "127.0.0.1", 0, std::move(handler));
    ASSERT_TRUE(server.ok()) << server.error().message;
    server_ = std::move(*server);
  }
  void run() {
    const Timer watchdog = loop_.after(Millis{20'000}, [this] {
      ADD_FAILURE() << "nothing more happens";
      loop_.stop();
    });
    loop_.run();
  }
  std::string exchange(const std::string& bytes) {
    RawClient client(loop_, server_->port());
    client.send(bytes, [this] { loop_.stop(); });
    run();
    return client.received();
  }

  Loop loop_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, mayReplyLater) {
  Timer later;
  auto server = HttpServer::listen_patiently(
      loop_, "127.0.0.1", 0, [&](const ServerRequest& request, HttpServer::Reply reply) {
        later = loop_.after(Millis{5}, [reply = std::move(reply), target = request.target] {
          reply({.body = "at last " + target});
        });
      });
  ASSERT_TRUE(server.ok()) << server.error().message;
  server_ = std::move(*server);
  const std::string answer = exchange("GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_NE(answer.find("HTTP/1.1 200"), std::string::npos) << answer;
  EXPECT_NE(answer.find("at last /a"), std::string::npos) << answer;
}

TEST_F(HttpServerTest, aReplyAfterItsEndGoesNowhere) {
  HttpServer::Reply kept;
  auto server = HttpServer::listen_patiently(loop_, "127.0.0.1", 0,
                                             [&](const ServerRequest&, HttpServer::Reply reply) {
                                               kept = std::move(reply);
                                               server_.reset();
                                             });
  ASSERT_TRUE(server.ok()) << server.error().message;
  server_ = std::move(*server);
  EXPECT_EQ(exchange("GET /a HTTP/1.1\r\nHost: x\r\n\r\n"), "");
  kept({.body = "too late"});
}

TEST_F(HttpServerTest, answersWithWhatTheHandlerSays) {
  listen(serve_echo);
  const std::string answer =
      exchange("GET /healthz?verbose HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
  EXPECT_NE(answer.find("Content-Type: text/x\r\n"), std::string::npos) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\nGET /healthz?verbose")) << answer;
}

TEST_F(HttpServerTest, tellsWhetherThePeerIsOnThisMachine) {
  for (const char* address : {"127.0.0.1", "::"}) {  // the latter sees IPv4 as IPv6
    SCOPED_TRACE(address);
    std::optional<bool> local;
    auto server = HttpServer::listen(loop_, address, 0, [&](const ServerRequest& request) {
      local = request.from_loopback;
      return ServerResponse{};
    });
    if (!server.ok()) continue;  // no IPv6 here
    server_ = std::move(*server);
    exchange("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(local, true);
  }
}

TEST_F(HttpServerTest, keepsAConnectionForSeveralRequests) {
  listen(serve_echo);
  const std::string answer = exchange(
      "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
      "POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
      "GET /missing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_NE(answer.find("GET /aHTTP/1.1 200"), std::string::npos) << answer;
  EXPECT_NE(answer.find("POST /bHTTP/1.1 404 Not Found"), std::string::npos) << answer;
}

TEST_F(HttpServerTest, answersHeadWithoutABody) {
  listen(serve_echo);
  const std::string answer = exchange("HEAD /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_NE(answer.find("Content-Length: 7\r\n"), std::string::npos) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\n")) << answer;
}

TEST_F(HttpServerTest, refusesWhatItCannotReadOrWillNot) {
  struct Case {
    std::string name, bytes, begin;
  };
  const Case cases[] = {
      {"no HTTP", std::string("\x16\x03\x01\x02\x00 hello\r\n\r\n", 14), "HTTP/1.1 400"},
      {"a long head", "GET / HTTP/1.1\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n",
       "HTTP/1.1 431"},
      {"a long body", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\n\r\n",
       "HTTP/1.1 413"},
      {"a broken length", "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 400"},
  };
  listen(serve_echo);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const std::string answer = exchange(c.bytes);
    EXPECT_TRUE(answer.starts_with(c.begin)) << answer;
  }
}

TEST_F(HttpServerTest, closesConnectionsBeyondItsLimit) {
  listen(serve_echo);
  std::vector<std::unique_ptr<RawClient>> clients;
  int closed = 0;
  for (int i = 0; i < 66; ++i) {
    clients.push_back(std::make_unique<RawClient>(loop_, server_->port()));
    clients.back()->send("", [&] {
      if (++closed == 2) loop_.stop();
    });
  }
  run();
  EXPECT_EQ(closed, 2);
  clients.clear();
  EXPECT_NE(exchange("GET /a HTTP/1.1\r\nConnection: close\r\n\r\n").find("GET /a"),
            std::string::npos);
}

TEST_F(HttpServerTest, servesManyClientsAtOnce) {
  listen(serve_echo);
  HttpClient client(loop_, {.url = "http://127.0.0.1:" + std::to_string(server_->port())},
                    Millis{10'000});
  int right = 0;
  int done = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string path = "/" + std::to_string(i);
    client.send({.path = path}, [&, path](const Result<Response>& result) {
      right += result.ok() && result->body == "GET " + path ? 1 : 0;
      if (++done == 200) loop_.stop();
    });
  }
  run();
  EXPECT_EQ(right, 200);
}

TEST_F(HttpServerTest, mayEndInsideItsHandler) {
  listen([this](const ServerRequest&) {
    server_.reset();
    return ServerResponse{};
  });
  EXPECT_EQ(exchange("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), "");
}

TEST_F(HttpServerTest, letsTheLoopEndOnceItIsGone) {
  listen(serve_echo);
  RawClient client(loop_, server_->port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n", [] {});
  const Timer later = loop_.after(Millis{20}, [this] { server_.reset(); });
  loop_.run();
  EXPECT_TRUE(client.received().starts_with("HTTP/1.1 200"));
}

TEST_F(HttpServerTest, saysWhyItCannotListen) {
  listen(serve_echo);
  const auto taken = HttpServer::listen(loop_, "127.0.0.1", server_->port(), serve_echo);
  ASSERT_FALSE(taken.ok());
  EXPECT_EQ(taken.error().message, "cannot listen at 127.0.0.1 port " +
                                       std::to_string(server_->port()) +
                                       ": Address already in use");
  const auto unknown = HttpServer::listen(loop_, "localhost", 0, serve_echo);
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().message, "'localhost' is no IP address");
}

}  // namespace
}  // namespace tutti::net
