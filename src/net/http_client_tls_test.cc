// Trust, names and client certificates, against a TLS peer with certificates made on the spot.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "net/http_client.h"
#include "net/http_server.h"
#include "net/test_certificates.h"
#include "net/test_peer.h"

namespace tutti::net {
namespace {

class HttpClientTls : public testing::Test {
 protected:
  std::string say(Endpoint endpoint) {
    HttpClient client(loop_, std::move(endpoint), Millis{10'000});
    std::string said;
    client.send({.path = "/", .timeout = Millis{5'000}}, [&](Result<Response> result) {
      said = result.ok() ? result->body : result.error().message;
      loop_.stop();
    });
    loop_.run();
    return said;
  }

  static void host(const PeerRequest& request, PeerSession& session) {
    const auto begin = request.head.find("Host: ");
    session.answer(200, request.head.substr(begin, request.head.find('\r', begin) - begin));
  }

  Loop loop_;
  Authority authority_;
  Identity server_ = authority_.issue("IP:127.0.0.1,DNS:localhost");
};

#define EXPECT_SAYS(text, words) EXPECT_NE((text).find(words), std::string::npos) << (text)

TEST_F(HttpClientTls, trustsTheGivenAuthorityAndFallsBackToHttp1) {
  TestPeer peer(loop_, host, &server_);
  EXPECT_EQ(say({.url = peer.url(), .ca_pem = authority_.pem()}),
            "Host: 127.0.0.1:" + std::to_string(peer.port()));
  EXPECT_SAYS(say({.url = peer.url(), .ca_pem = authority_.pem(), .http1_only = true}), "Host: ");
}

TEST_F(HttpClientTls, refusesAnAuthorityThatItDoesNotKnow) {
  TestPeer peer(loop_, host, &server_);
  const Authority other;
  EXPECT_SAYS(say({.url = peer.url(), .ca_pem = other.pem()}), "signed by an unknown authority");
  EXPECT_SAYS(say({.url = peer.url()}), "signed by an unknown authority");
}

TEST_F(HttpClientTls, acceptsAnythingWhenToldNotToVerify) {
  TestPeer peer(loop_, host, &server_);
  EXPECT_SAYS(say({.url = peer.url(), .insecure_skip_verify = true}), "Host: ");
}

TEST_F(HttpClientTls, refusesAnExpiredCertificate) {
  const Identity expired = authority_.issue("IP:127.0.0.1", -60);
  TestPeer peer(loop_, host, &expired);
  EXPECT_SAYS(say({.url = peer.url(), .ca_pem = authority_.pem()}), "certificate has expired");
}

TEST_F(HttpClientTls, refusesACertificateForAnotherName) {
  const Identity elsewhere = authority_.issue("DNS:elsewhere.test");
  TestPeer peer(loop_, host, &elsewhere);
  EXPECT_SAYS(say({.url = peer.url(), .ca_pem = authority_.pem()}), "is for another name");
}

TEST_F(HttpClientTls, verifiesTheServerNameThatItIsTold) {
  const Identity elsewhere = authority_.issue("DNS:elsewhere.test");
  TestPeer peer(loop_, host, &elsewhere);
  Endpoint endpoint{.url = peer.url(), .ca_pem = authority_.pem()};
  endpoint.tls_server_name = "elsewhere.test";
  EXPECT_EQ(say(endpoint), "Host: 127.0.0.1:" + std::to_string(peer.port()));
  endpoint.tls_server_name = "nowhere.test";
  EXPECT_SAYS(say(endpoint), "is for another name");
}

TEST_F(HttpClientTls, showsItsClientCertificate) {
  const Identity client = authority_.issue("DNS:client.test");
  TestPeer peer(loop_, host, &server_, authority_.pem());
  Endpoint endpoint{.url = peer.url(), .ca_pem = authority_.pem()};
  EXPECT_SAYS(say(endpoint), "the server refuses the client certificate");
  endpoint.client_cert_pem = client.cert_pem;
  endpoint.client_key_pem = client.key_pem;
  EXPECT_SAYS(say(endpoint), "Host: ");
}

TEST_F(HttpClientTls, readsFilesAndSaysWhichKindIsBad) {
  const auto folder = std::filesystem::temp_directory_path() /
                      ("tutti_net_" + std::to_string(static_cast<long>(getpid())));
  std::filesystem::create_directories(folder);
  const auto file = [&](const char* name, const std::string& text) {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  };
  const Identity client = authority_.issue("DNS:client.test");
  TestPeer peer(loop_, host, &server_, authority_.pem());
  Endpoint endpoint{.url = peer.url(), .ca_file = file("ca.pem", authority_.pem())};
  endpoint.client_cert_file = file("cert.pem", client.cert_pem);
  endpoint.client_key_file = file("key.pem", client.key_pem);
  EXPECT_SAYS(say(endpoint), "Host: ");

  Endpoint bad_key = endpoint;
  bad_key.client_key_file = file("other.pem", server_.key_pem);
  EXPECT_SAYS(say(bad_key), "the client certificate or its key cannot be used");
  Endpoint no_authority = endpoint;
  no_authority.ca_file = (folder / "missing.pem").string();
  EXPECT_SAYS(say(no_authority), "the certificate authority cannot be read");
  std::filesystem::remove_all(folder);
}

TEST_F(HttpClientTls, usesACertificateReplacedOnDiskForTheNextConnection) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("tutti_net_ca_" + std::to_string(static_cast<long>(getpid())));
  TestPeer peer(
      loop_,
      [](const PeerRequest& request, PeerSession& session) {
        host(request, session);
        session.close();
      },
      &server_);
  std::ofstream(path) << Authority().pem();
  HttpClient client(loop_, {.url = peer.url(), .ca_file = path.string()}, Millis{10'000});
  const auto ask = [&] {
    bool answered = false;
    client.send({.path = "/"}, [&](const Result<Response>& result) {
      answered = result.ok();
      loop_.stop();
    });
    loop_.run();
    return answered;
  };
  EXPECT_FALSE(ask());
  std::ofstream(path) << authority_.pem();
  EXPECT_TRUE(ask());
  std::ofstream(path) << Authority().pem();
  EXPECT_FALSE(ask());
  std::filesystem::remove(path);
}

TEST_F(HttpClientTls, saysThatThePortDoesNotSpeakTls) {
  const auto plain = HttpServer::listen(loop_, "127.0.0.1", 0,
                                        [](const ServerRequest&) { return ServerResponse{}; });
  ASSERT_TRUE(plain.ok());
  EXPECT_SAYS(say({.url = "https://127.0.0.1:" + std::to_string((*plain)->port())}),
              "does not speak TLS");
}

}  // namespace
}  // namespace tutti::net
