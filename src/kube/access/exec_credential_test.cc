#include "kube/access/exec_credential.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace tutti::kube {
namespace {

using namespace std::chrono_literals;

const std::string kExecVersion = "client.authentication.k8s.io/v1";

std::string printed(const std::string& status) {
  return R"({"apiVersion": ")" + kExecVersion + R"(", "kind": "ExecCredential", "status": )" +
         status + "}\n";
}

std::string exec_error(const std::string& text) {
  const Result<ExecCredential> credential = parse_exec_credential(text, kExecVersion);
  EXPECT_FALSE(credential.ok());
  return credential.ok() ? "" : credential.error().message;
}

TEST(ExecCredential, carriesATokenAndItsEnd) {
  const Result<ExecCredential> credential = parse_exec_credential(
      printed(R"({"token": "t", "expirationTimestamp": "2026-11-16T01:02:03Z"})"), kExecVersion);

  ASSERT_TRUE(credential.ok()) << credential.error().message;
  EXPECT_EQ(credential->token, "t");
  EXPECT_EQ(format_rfc3339(*credential->expires), "2026-11-16T01:02:03Z");
}

TEST(ExecCredential, carriesAClientCertificate) {
  const Result<ExecCredential> credential = parse_exec_credential(
      printed(R"({"clientCertificateData": "c", "clientKeyData": "k"})"), kExecVersion);

  ASSERT_TRUE(credential.ok()) << credential.error().message;
  EXPECT_EQ(credential->client_cert_pem, "c");
  EXPECT_EQ(credential->client_key_pem, "k");
  EXPECT_FALSE(credential->expires);
}

TEST(ExecCredential, isRefusedWithoutRepeatingIt) {
  struct Case {
    std::string text, error;
  };
  const Case cases[] = {
      {"s3cr3t", "did not print one ExecCredential as JSON"},
      {"", "did not print one ExecCredential as JSON"},
      {printed("{}") + printed("{}"), "did not print one ExecCredential as JSON"},
      {"[\"s3cr3t\"]", "printed a wrong ExecCredential: expected an object, found an array"},
      {R"({"apiVersion": "s3cr3t", "kind": "ExecCredential", "status": {"token": "t"}})",
       "printed a wrong ExecCredential: apiVersion: must be client.authentication.k8s.io/v1, as "
       "the kubeconfig says"},
      {R"({"apiVersion": "s3cr3t", "kind": "s3cr3t"})",
       "printed a wrong ExecCredential: kind: must be ExecCredential"},
      {printed(R"({"token": ["s3cr3t"]})"),
       "printed a wrong ExecCredential: status.token: expected a string, found an array"},
      {printed("{}"),
       "printed a wrong ExecCredential: status: neither a token nor a client certificate"},
      {printed(R"({"clientKeyData": "s3cr3t"})"),
       "printed a wrong ExecCredential: status: clientCertificateData and clientKeyData go "
       "together"},
      {printed(R"({"token": "t", "expirationTimestamp": "s3cr3t"})"),
       "printed a wrong ExecCredential: status.expirationTimestamp: not a time in RFC 3339"},
  };
  for (const auto& [text, error] : cases) {
    SCOPED_TRACE(text);
    EXPECT_EQ(exec_error(text), error);
  }
}

TEST(ExecInfo, tellsAboutTheClusterOnlyWhenAsked) {
  ExecPlugin plugin;
  plugin.api_version = kExecVersion;
  plugin.cluster_config = R"({"audience":"a"})";
  net::Endpoint endpoint;
  endpoint.url = "https://h:6443";
  endpoint.ca_pem = "foo";
  endpoint.tls_server_name = "kube";

  const Result<std::string> silent = exec_info(plugin, endpoint);
  plugin.provide_cluster_info = true;
  const Result<std::string> full = exec_info(plugin, endpoint);

  ASSERT_TRUE(silent.ok() && full.ok());
  EXPECT_EQ(*silent, R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)"
                     R"("spec":{"interactive":false}})");
  EXPECT_EQ(*full, R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)"
                   R"("spec":{"interactive":false,"cluster":{"server":"https://h:6443",)"
                   R"("tls-server-name":"kube","certificate-authority-data":"Zm9v",)"
                   R"("config":{"audience":"a"}}}})");
}

TEST(ExecComplaint, isTheLastLineWithoutWhatMayBeSecret) {
  ExecPlugin plugin;
  plugin.env = {{"KEY", "hunter2"}};

  EXPECT_EQ(exec_complaint("usage: …\nerror: please log in\n\n", plugin), "error: please log in");
  EXPECT_EQ(exec_complaint("key hunter2 is wrong", plugin), "key … is wrong");
  EXPECT_EQ(exec_complaint("got eyJhbGciOiJSUzI1NiIsImtpZCI6 back", plugin), "got … back");
  EXPECT_EQ(exec_complaint("", plugin), "");
}

TEST(ExecCredential, wearsOutBeforeItExpiresButNotWithinAMoment) {
  const Instant given = *parse_rfc3339("2026-11-16T00:00:00Z");
  const auto worn_out = [&](std::optional<Millis> lifetime, Millis later) {
    ExecCredential credential;
    if (lifetime) credential.expires = given + *lifetime;
    return has_worn_out(credential, given, given + later);
  };

  EXPECT_FALSE(worn_out(std::nullopt, 1000h));
  EXPECT_FALSE(worn_out(1h, 59min));
  EXPECT_TRUE(worn_out(1h, 59min + 31s));
  EXPECT_TRUE(worn_out(1h, 2h));
  EXPECT_FALSE(worn_out(5s, 1s)) << "one run a moment, however short its answers live";
  EXPECT_TRUE(worn_out(5s, 3s));
}

}  // namespace
}  // namespace tutti::kube
