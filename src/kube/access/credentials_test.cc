#include "kube/access/credentials.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "kube/access/small_file.h"
#include "support/temp_folder.h"

namespace tutti::kube {
namespace {

using test::TempFolder;

// The header, or the error after a '!'.
std::string text_of(const Result<std::string>& header) {
  return header.ok() ? *header : "!" + header.error().message;
}

class CredentialsTest : public testing::Test {
 protected:
  // Waits for the answer.
  std::string ask(Credentials& credentials) {
    std::optional<std::string> answer;
    credentials.header([&](const Result<std::string>& header) {
      answer = text_of(header);
      loop_.stop();
    });
    if (!answer) loop_.run();
    return answer.value_or("no answer");
  }

  // A plugin that counts its runs in the file "runs" and then does what the body says.
  Access plugin(const std::string& body) const {
    Access access;
    access.exec.api_version = "client.authentication.k8s.io/v1";
    access.exec.command = folder_.write_script(
        "plugin", fmt::format("echo run >>{}\n{}", folder_.path("runs"), body));
    return access;
  }
  std::size_t runs() const {
    const Result<std::string> text = read_small_file(folder_.path("runs"));
    return text.ok() ? text->size() / 4 : 0;
  }

  TempFolder folder_;
  net::Loop loop_;
};

std::string print_token(const std::string& status) {
  return "echo '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\","
         "\"status\":" +
         status + "}'\n";
}

TEST_F(CredentialsTest, giveOutWhatIsFixed) {
  Access access;
  EXPECT_EQ(ask(*std::make_unique<Credentials>(loop_, access)), "");
  access.username = "ada";
  access.password = "pass";
  EXPECT_EQ(ask(*std::make_unique<Credentials>(loop_, access)), "Basic YWRhOnBhc3M=");
  access = {};
  access.token = "t";
  EXPECT_EQ(ask(*std::make_unique<Credentials>(loop_, access)), "Bearer t");
}

TEST_F(CredentialsTest, readATokenFileAgainWhenItsTokenWasRejected) {
  Access access;
  access.token_file = folder_.write("token", "  first\n");
  Credentials credentials(loop_, access);

  EXPECT_EQ(ask(credentials), "Bearer first");
  folder_.write("token", "second");
  EXPECT_EQ(ask(credentials), "Bearer first") << "the file is not read for every request";
  credentials.rejected();
  EXPECT_EQ(ask(credentials), "Bearer second");
}

TEST_F(CredentialsTest, keepTheLastTokenWhileTheFileIsGone) {
  Access access;
  access.token_file = folder_.write("token", "first");
  Credentials credentials(loop_, access);

  EXPECT_EQ(ask(credentials), "Bearer first");
  std::filesystem::remove(access.token_file);
  credentials.rejected();
  EXPECT_EQ(ask(credentials), "Bearer first");
}

TEST_F(CredentialsTest, sayWhenATokenFileHoldsNone) {
  Access access;
  access.token_file = folder_.path("token");
  EXPECT_EQ(ask(*std::make_unique<Credentials>(loop_, access)),
            "!" + access.token_file + ": cannot be read: No such file or directory");
  folder_.write("token", "s3cr3t\nX-Header: injected");
  EXPECT_EQ(ask(*std::make_unique<Credentials>(loop_, access)),
            "!" + access.token_file + ": does not hold a token");
}

TEST_F(CredentialsTest, runThePluginOnceForManyCallersAndKeepWhatItPrints) {
  Credentials credentials(loop_, plugin(print_token(R"({"token":"abc"})")));
  std::vector<std::string> answers;
  for (int caller = 0; caller < 5; ++caller) {
    credentials.header([&](const Result<std::string>& header) {
      answers.push_back(text_of(header));
      if (answers.size() == 5) loop_.stop();
    });
  }

  loop_.run();

  EXPECT_EQ(answers, std::vector<std::string>(5, "Bearer abc"));
  EXPECT_EQ(ask(credentials), "Bearer abc");
  credentials.rejected();
  EXPECT_EQ(ask(credentials), "Bearer abc") << "it was run a moment ago";
  EXPECT_EQ(runs(), 1U);
  EXPECT_EQ(credentials.endpoint_revision(), 0U);
}

TEST_F(CredentialsTest, passArgumentsEnvironmentAndTheClusterToThePlugin) {
  Access access = plugin(R"(printf '%s|%s|%s' "$1" "$REGION" "$KUBERNETES_EXEC_INFO" >)" +
                         folder_.path("seen") + "\n" + print_token(R"({"token":"abc"})"));
  access.exec.args = {"two words"};
  access.exec.env = {{"REGION", "eu"}};
  access.exec.provide_cluster_info = true;
  access.endpoint.url = "https://h";
  Credentials credentials(loop_, access);

  EXPECT_EQ(ask(credentials), "Bearer abc");

  const Result<std::string> seen = read_small_file(folder_.path("seen"));
  ASSERT_TRUE(seen.ok());
  EXPECT_EQ(*seen,
            "two words|eu|{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":"
            "\"ExecCredential\",\"spec\":{\"interactive\":false,\"cluster\":{\"server\":"
            "\"https://h\"}}}");
}

TEST_F(CredentialsTest, putThePluginsCertificateIntoTheEndpoint) {
  Credentials credentials(
      loop_, plugin(print_token(R"({"clientCertificateData":"cert","clientKeyData":"key"})")));

  EXPECT_EQ(ask(credentials), "") << "a certificate needs no header";
  EXPECT_EQ(credentials.endpoint().client_cert_pem, "cert");
  EXPECT_EQ(credentials.endpoint().client_key_pem, "key");
  EXPECT_EQ(credentials.endpoint_revision(), 1U);
}

TEST_F(CredentialsTest, sayWhyThePluginFailedAndDoNotRunItAgainAtOnce) {
  Credentials credentials(loop_, plugin("echo 'please log in' >&2\nexit 7"));
  const std::string expected =
      "!credential plugin " + folder_.path("plugin") + ": ended with code 7: please log in";

  EXPECT_EQ(ask(credentials), expected);
  EXPECT_EQ(ask(credentials), expected);
  EXPECT_EQ(runs(), 1U);
}

TEST_F(CredentialsTest, repeatNothingThatThePluginPrinted) {
  const std::string status = R"({"token":"s3cr3t s3cr3t"})";
  for (const std::string& body : {std::string("echo s3cr3t"), print_token(status)}) {
    Credentials credentials(loop_, plugin(body));
    const std::string answer = ask(credentials);
    EXPECT_TRUE(answer.starts_with("!credential plugin ")) << answer;
    EXPECT_EQ(answer.find("s3cr3t"), std::string::npos) << answer;
  }
}

TEST_F(CredentialsTest, giveTheInstallHintWhenThePluginIsNotThere) {
  Access access;
  access.exec.command = "no-such-plugin-anywhere";
  access.exec.install_hint = "run: apt install it";
  Credentials credentials(loop_, access);

  EXPECT_EQ(ask(credentials),
            "!credential plugin no-such-plugin-anywhere: no such command; run: apt install it");
}

TEST_F(CredentialsTest, endThePluginWhenTheyGo) {
  bool called = false;
  {
    Credentials credentials(loop_, plugin("sleep 600"));
    credentials.header([&](const auto&) { called = true; });
  }
  loop_.run();

  EXPECT_FALSE(called);
}

}  // namespace
}  // namespace tutti::kube
