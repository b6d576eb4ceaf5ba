// HTTP/2, against nghttpd (package nghttp2-server) in a process of its own; skipped where there is
// none.
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "net/http_client.h"
#include "net/test_certificates.h"

namespace tutti::net {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNghttpd = "/usr/sbin/nghttpd";

// nghttpd cannot tell a port that it chose itself.
std::uint16_t free_port(Loop& loop) {
  const boost::asio::ip::tcp::acceptor probe(loop.context(),
                                             {boost::asio::ip::address_v4::loopback(), 0});
  return probe.local_endpoint().port();
}

class Nghttpd {
 public:
  Nghttpd(Loop& loop, const Identity& identity)
      : folder_(fs::temp_directory_path() / ("tutti_h2_" + std::to_string(getpid()))),
        port_(std::to_string(free_port(loop))) {
    fs::create_directories(folder_ / "docs");
    write("docs/small", "small");
    write("docs/medium", std::string(200'000, 'x'));
    write("docs/large", std::string(3'000'000, 'x'));
    write("cert.pem", identity.cert_pem);
    write("key.pem", identity.key_pem);
    spawn();
  }
  ~Nghttpd() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    fs::remove_all(folder_);
  }
  Nghttpd(const Nghttpd&) = delete;
  Nghttpd& operator=(const Nghttpd&) = delete;

  std::string url() const { return "https://127.0.0.1:" + port_; }

  // From its log, in which "[id=7]" begins the lines of the seventh connection.
  std::size_t connections() const {
    std::ifstream log(folder_ / "log");
    const std::string text{std::istreambuf_iterator<char>(log), {}};
    std::size_t count = 0;
    while (text.find("[id=" + std::to_string(count + 1) + "]") != std::string::npos) ++count;
    return count;
  }

 private:
  void write(const char* name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }

  void spawn() {
    std::vector<std::string> words = {kNghttpd,
                                      "-v",
                                      "--max-concurrent-streams=100",
                                      "-a",
                                      "127.0.0.1",
                                      "-d",
                                      (folder_ / "docs").string(),
                                      port_,
                                      (folder_ / "key.pem").string(),
                                      (folder_ / "cert.pem").string()};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, (folder_ / "log").c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    TUTTI_CHECK(posix_spawn(&child_, kNghttpd, &actions, nullptr, arguments.data(), environ) == 0);
    posix_spawn_file_actions_destroy(&actions);
  }

  fs::path folder_;
  std::string port_;
  pid_t child_ = -1;
};

class HttpClientH2 : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kNghttpd)) GTEST_SKIP() << "no nghttpd; install the package nghttp2-server";
    server_.emplace(loop_, authority_.issue("IP:127.0.0.1"));
    client_.emplace(loop_, Endpoint{.url = server_->url(), .ca_pem = authority_.pem()},
                    Millis{10'000});
    await_server();
  }

  // Asks until the new process answers.
  void await_server() {
    Timer pause;
    const Timer watchdog = loop_.after(Millis{20'000}, [this] { loop_.stop(); });
    Task ask = [&] {
      client_->send({.path = "/small"}, [&](const Result<Response>& result) {
        if (result.ok()) return loop_.stop();
        pause = loop_.after(Millis{10}, ask);
      });
    };
    ask();
    loop_.run();
  }

  // How many of `count` requests for `path` brought `size` bytes.
  int fetch(int count, const std::string& path, std::size_t size) {
    int right = 0;
    int done = 0;
    for (int i = 0; i < count; ++i) {
      client_->send({.path = path}, [&](const Result<Response>& result) {
        EXPECT_TRUE(result.ok()) << result.error().message;
        right += result.ok() && result->status == 200 && result->body.size() == size ? 1 : 0;
        if (++done == count) loop_.stop();
      });
    }
    const Timer watchdog = loop_.after(Millis{30'000}, [this] { loop_.stop(); });
    loop_.run();
    return right;
  }

  Loop loop_;
  Authority authority_;
  std::optional<Nghttpd> server_;
  std::optional<HttpClient> client_;
};

TEST_F(HttpClientH2, carriesAHundredCallsOnOneConnection) {
  EXPECT_EQ(fetch(100, "/small", 5), 100);
  EXPECT_EQ(fetch(100, "/small", 5), 100);
  EXPECT_EQ(server_->connections(), 1U);
}

TEST_F(HttpClientH2, opensASecondConnectionForABurstAndNoThird) {
  // Small answers may come faster than the requests leave, and then one connection is enough.
  EXPECT_EQ(fetch(400, "/medium", 200'000), 400);
  EXPECT_EQ(server_->connections(), 2U);
}

TEST_F(HttpClientH2, bringsLargeBodiesBesideEachOther) {
  EXPECT_EQ(fetch(10, "/large", 3'000'000), 10);
  EXPECT_EQ(server_->connections(), 1U);
}

TEST_F(HttpClientH2, keepsStreamsOffTheConnectionOfCalls) {
  std::size_t streamed = 0;
  int ended = 0;
  for (int i = 0; i < 5; ++i) {
    client_->stream({.path = "/large", .timeout = Millis{0}},
                    {.data = [&](std::string_view bytes) { streamed += bytes.size(); },
                     .ended =
                         [&](const Result<Response>& result) {
                           EXPECT_TRUE(result.ok());
                           if (++ended == 5) loop_.stop();
                         }});
  }
  loop_.run();
  EXPECT_EQ(streamed, 15'000'000U);
  EXPECT_EQ(server_->connections(), 2U);
}

TEST_F(HttpClientH2, goesOnAfterACancelledStream) {
  RequestId id = 0;
  id = client_->stream({.path = "/large"},
                       {.data =
                            [&](std::string_view) {
                              client_->cancel(id);
                              loop_.stop();
                            },
                        .ended = [](const Result<Response>&) { FAIL() << "it was cancelled"; }});
  loop_.run();
  EXPECT_EQ(client_->in_flight(), 0U);
  EXPECT_EQ(fetch(10, "/small", 5), 10);
}

}  // namespace
}  // namespace tutti::net
