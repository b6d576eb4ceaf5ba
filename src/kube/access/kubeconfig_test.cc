#include "kube/access/kubeconfig.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "support/temp_folder.h"

namespace tutti::kube {
namespace {

using test::TempFolder;

constexpr std::string_view kPem = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";

// A kubeconfig with one of everything; `cluster` and `user` are flow mappings.
std::string config(std::string_view cluster, std::string_view user) {
  return fmt::format(
      "apiVersion: v1\nkind: Config\ncurrent-context: dev\n"
      "contexts:\n- name: dev\n  context: {{cluster: c, user: u, namespace: team}}\n"
      "clusters:\n- name: c\n  cluster: {}\nusers:\n- name: u\n  user: {}\n",
      cluster, user);
}

constexpr std::string_view kServer = "{server: 'https://10.0.0.1:6443'}";

Access must_parse(std::string_view text, const std::string& context = "") {
  Result<Access> access = parse_kubeconfig(text, "config", context);
  EXPECT_TRUE(access.ok()) << (access.ok() ? "" : access.error().message);
  return access.ok() ? *std::move(access) : Access{};
}

std::string config_error(std::string_view text, const std::string& context = "") {
  const Result<Access> access = parse_kubeconfig(text, "config", context);
  EXPECT_FALSE(access.ok());
  return access.ok() ? "" : access.error().message;
}

TEST(Kubeconfig, readsServerTrustAndNamespace) {
  const std::string cluster = fmt::format(
      "{{server: 'https://host:6443/prefix/', certificate-authority-data: {}, "
      "tls-server-name: kube.example, proxy-url: 'socks5://proxy:1080'}}",
      encode_base64(kPem));

  const Access access = must_parse(config(cluster, "{token: t0ken}"));

  EXPECT_EQ(access.endpoint.url, "https://host:6443/prefix");
  EXPECT_EQ(access.endpoint.ca_pem, kPem);
  EXPECT_EQ(access.endpoint.tls_server_name, "kube.example");
  EXPECT_EQ(access.endpoint.proxy_url, "socks5://proxy:1080");
  EXPECT_FALSE(access.endpoint.insecure_skip_verify);
  EXPECT_EQ(access.ns, "team");
  EXPECT_EQ(access.cluster_name, "c");
  EXPECT_EQ(access.token, "t0ken");
}

TEST(Kubeconfig, readsEveryWayToSayWhoWeAre) {
  EXPECT_EQ(must_parse(config(kServer, "{}")).token, "");
  const Access basic = must_parse(config(kServer, "{username: ada, password: secret}"));
  EXPECT_EQ(basic.username, "ada");
  EXPECT_EQ(basic.password, "secret");
  const std::string pem = encode_base64(kPem);
  const Access certificate = must_parse(config(
      kServer, fmt::format("{{client-certificate-data: {}, client-key-data: {}}}", pem, pem)));
  EXPECT_EQ(certificate.endpoint.client_cert_pem, kPem);
  EXPECT_EQ(certificate.endpoint.client_key_pem, kPem);
}

TEST(Kubeconfig, readsAnExecPluginWithWhatTheClusterSaysToIt) {
  const std::string cluster =
      "{server: 'https://h', extensions: [{name: other, extension: 1}, "
      "{name: client.authentication.k8s.io/exec, extension: {audience: a, ttl: 1}}]}";
  const std::string user =
      "{exec: {apiVersion: client.authentication.k8s.io/v1, command: get-token, args: [-c, prod], "
      "env: [{name: REGION, value: eu}, {name: EMPTY}], installHint: 'apt install get-token', "
      "provideClusterInfo: true, interactiveMode: IfAvailable}}";

  const ExecPlugin plugin = must_parse(config(cluster, user)).exec;

  EXPECT_EQ(plugin.api_version, "client.authentication.k8s.io/v1");
  EXPECT_EQ(plugin.command, "get-token");
  EXPECT_EQ(plugin.args, (std::vector<std::string>{"-c", "prod"}));
  EXPECT_EQ(plugin.env,
            (std::vector<std::pair<std::string, std::string>>{{"REGION", "eu"}, {"EMPTY", ""}}));
  EXPECT_EQ(plugin.install_hint, "apt install get-token");
  EXPECT_TRUE(plugin.provide_cluster_info);
  EXPECT_EQ(plugin.cluster_config, R"({"audience":"a","ttl":1})");
}

TEST(Kubeconfig, takesTheContextThatIsAskedFor) {
  const std::string text =
      "current-context: a\n"
      "contexts:\n- {name: a, context: {cluster: one, user: u}}\n"
      "- {name: b, context: {cluster: two}}\n"
      "clusters:\n- {name: one, cluster: {server: 'https://one'}}\n"
      "- {name: two, cluster: {server: 'http://two/'}}\n"
      "users:\n- {name: u, user: {token: t}}\n";

  EXPECT_EQ(must_parse(text).endpoint.url, "https://one");
  EXPECT_EQ(must_parse(text, "b").endpoint.url, "http://two");
  EXPECT_EQ(must_parse(text, "b").token, "");
  EXPECT_EQ(config_error(text, "c"),
            "config: context 'c' does not exist; choose one with --context: a, b");
}

TEST(Kubeconfig, readsJsonAndLeavesUnknownFieldsAlone) {
  const Access access = must_parse(
      R"({"kind": "Config", "preferences": {}, "current-context": "x", "extensions": [],
          "contexts": [{"name": "x", "context": {"cluster": "c", "extensions": []}}],
          "clusters": [{"name": "c", "cluster": {"server": "https://h", "disable-compression": true}}],
          "users": null})");

  EXPECT_EQ(access.endpoint.url, "https://h");
}

TEST(Kubeconfig, saysWhereAndWhatIsWrong) {
  struct Case {
    std::string_view cluster, user, error;
  };
  constexpr std::string_view kExec =
      "{exec: {apiVersion: client.authentication.k8s.io/v1, command: c, interactiveMode: Always}}";
  const Case cases[] = {
      {"{}", "{}", "config:9: cluster 'c': server: required"},
      {"{server: h}", "{}", "config:9: cluster 'c': server: must begin with https:// or http://"},
      {"{server: 'https://'}", "{}", "config:9: cluster 'c': server: has no host"},
      {"{server: 'https://u:p@h'}", "{}",
       "config:9: cluster 'c': server: must be scheme, host, port and path only"},
      {"{server: 'https://h', certificate-authority-data: '%%%'}", "{}",
       "config:9: cluster 'c': certificate-authority-data: not base64"},
      {"{server: 'https://h', certificate-authority-data: Zm9v}", "{}",
       "config:9: cluster 'c': certificate-authority-data: no PEM text (-----BEGIN …) after "
       "decoding base64"},
      {"{server: 'https://h', insecure-skip-tls-verify: 1}", "{}",
       "config:9: cluster 'c': insecure-skip-tls-verify: expected a boolean, found an integer"},
      {"{server: 'https://h', proxy-url: 'ftp://h'}", "{}",
       "config:9: cluster 'c': proxy-url: must begin with http://, https:// or socks5://"},
      {kServer, "{token: 1}", "config:12: user 'u': token: expected a string, found an integer"},
      {kServer, "{as: root}",
       "config:12: user 'u': as: impersonation is not supported; use credentials of that user "
       "itself"},
      {kServer, "{auth-provider: {name: gcp}}",
       "config:12: user 'u': auth-provider: not supported (kubectl has dropped it too); use the "
       "provider's exec plugin"},
      {kServer, "{token: a, username: b}",
       "config:12: user 'u': more than one of token, username and exec is given; keep one"},
      {kServer, "{client-key-data: LS0tLS1CRUdJTiBLRVktLS0tLQ==}",
       "config:12: user 'u': client-certificate: required beside client-key; "
       "client-certificate-data does too"},
      {kServer, kExec,
       "config:12: user 'u': exec.interactiveMode: Always needs a terminal, and there is none "
       "here; use Never"},
      {kServer, "{exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: c}}",
       "config:12: user 'u': exec.apiVersion: must be client.authentication.k8s.io/v1 or v1beta1, "
       "is 'client.authentication.k8s.io/v1alpha1'"},
      {kServer, "{exec: {apiVersion: client.authentication.k8s.io/v1beta1}}",
       "config:12: user 'u': exec.command: required"},
  };
  for (const auto& [cluster, user, error] : cases) {
    SCOPED_TRACE(error);
    EXPECT_EQ(config_error(config(cluster, user)), error);
  }
}

TEST(Kubeconfig, saysWhichNamesExist) {
  EXPECT_EQ(config_error(""), "config: no current-context; choose one with --context: none");
  EXPECT_EQ(config_error("current-context: x"),
            "config: current-context 'x' does not exist; choose one with --context: none");
  EXPECT_EQ(config_error("current-context: x\ncontexts: [{name: x, context: {cluster: d}}]\n"
                         "clusters: [{name: c, cluster: {}}]"),
            "config:2: context 'x': cluster: 'd' does not exist; there are: c");
  EXPECT_EQ(config_error("users:\n- {name: a, user: {}}\n- {name: a, user: {}}\n"),
            "config:3: users[1]: a second user 'a'");
  EXPECT_EQ(config_error("apiVersion: v2"),
            "config:1: apiVersion: must be v1: is this a kubeconfig?");
  EXPECT_EQ(config_error("a: 1\n---\nb: 2\n"), "config:3: a second document; a kubeconfig is one");
}

// Each text goes wrong at a secret, which is always the same word.
TEST(Kubeconfig, neverRepeatsASecret) {
  const std::string secret = "hunter2hunter2";
  const std::vector<std::string> users = {
      "{token: [" + secret + "]}",
      "{token: {" + secret + ": " + secret + "}}",
      "{token: !!int " + secret + "}",
      "{token: *" + secret + "}",
      "{" + secret + ": 1, " + secret + ": 2}",
      "{password: \"" + secret + "}",
      "{password: " + secret + ", token: " + secret + "}",
      "{client-key-data: " + secret + "}",
      "{client-key-data: " + encode_base64(secret) + "}",
      "{token: " + secret + ", as: x}",
      "{exec: {apiVersion: client.authentication.k8s.io/v1, command: c, env: [{name: A, value: [" +
          secret + "]}]}}",
      "{exec: {apiVersion: client.authentication.k8s.io/v1, command: c, args: [[" + secret + "]]}}",
  };
  for (const std::string& user : users) {
    SCOPED_TRACE(user);
    const std::string error = config_error(config(kServer, user));
    EXPECT_EQ(error.find(secret), std::string::npos) << error;
    EXPECT_TRUE(error.starts_with("config:1")) << error;
  }
  const std::vector<std::string> clusters = {
      "{server: 'ftp://ada:" + secret + "@h'}", "{server: 'https://ada:" + secret + "@h'}",
      "{server: 'https://h', proxy-url: 'ftp://ada:" + secret + "@h'}",
      "{server: !!float " + secret + "}"};
  for (const std::string& cluster : clusters) {
    SCOPED_TRACE(cluster);
    const std::string error = config_error(config(cluster, "{}"));
    EXPECT_EQ(error.find(secret), std::string::npos) << error;
  }
}

TEST(Kubeconfig, stillNamesTheFieldThatIsSetTwice) {
  EXPECT_EQ(config_error(config(kServer, "{token: abcdef, token: abcdef}")),
            "config:12: key \"token\" is already set on line 12");
}

// --- files ---------------------------------------------------------------------------------------

TEST(KubeconfigFiles, areResolvedRelativeToTheFileThatNamesThem) {
  const TempFolder folder;
  folder.write("pki/ca.crt", kPem);
  folder.write("pki/me.crt", kPem);
  folder.write("pki/me.key", kPem);
  folder.write("token", "t");
  const std::string path = folder.write(
      "config", config("{server: 'https://h', certificate-authority: pki/ca.crt}",
                       "{client-certificate: pki/me.crt, client-key: pki/me.key, tokenFile: token, "
                       "token: ignored}"));

  const Result<Access> access = load_kubeconfig({.path = path});

  ASSERT_TRUE(access.ok()) << access.error().message;
  EXPECT_EQ(access->endpoint.ca_file, folder.path("pki/ca.crt"));
  EXPECT_EQ(access->endpoint.client_cert_file, folder.path("pki/me.crt"));
  EXPECT_EQ(access->endpoint.client_key_file, folder.path("pki/me.key"));
  EXPECT_EQ(access->token_file, folder.path("token"));
  EXPECT_EQ(access->token, "");
}

TEST(KubeconfigFiles, thatAreMissingAreNamedWithTheField) {
  const TempFolder folder;
  const std::string path = folder.write("config", config(kServer, "{tokenFile: nowhere}"));

  const Result<Access> access = load_kubeconfig({.path = path});

  ASSERT_FALSE(access.ok());
  EXPECT_EQ(access.error().message,
            fmt::format("{}:12: user 'u': tokenFile: {} cannot be read: No such file or directory",
                        path, folder.path("nowhere")));
}

TEST(KubeconfigFiles, ofAnExecPluginAreRelativeOnlyWithASlash) {
  const TempFolder folder;
  const auto command_of = [&](const std::string& command) {
    const std::string path =
        folder.write("config", config(kServer,
                                      "{exec: {apiVersion: client.authentication.k8s.io/v1beta1, "
                                      "command: " +
                                          command + "}}"));
    const Result<Access> access = load_kubeconfig({.path = path});
    return access.ok() ? access->exec.command : access.error().message;
  };

  EXPECT_EQ(command_of("aws"), "aws");
  EXPECT_EQ(command_of("bin/aws"), folder.path("bin/aws"));
  EXPECT_EQ(command_of("/usr/bin/aws"), "/usr/bin/aws");
}

TEST(KubeconfigFiles, mergeSoThatTheFirstEntryCountsWhole) {
  const TempFolder folder;
  const std::string first = folder.write("first",
                                         "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
                                         "users: [{name: u, user: {token: first}}]\n");
  const std::string second =
      folder.write("second",
                   "current-context: x\nusers: [{name: u, user: {username: second}}]\n"
                   "clusters: [{name: c, cluster: {server: 'https://h'}}]\n");

  const Result<Access> access = load_kubeconfig(
      {.environment = ":" + first + ":" + folder.path("missing") + ":" + second + ":"});

  ASSERT_TRUE(access.ok()) << access.error().message;
  EXPECT_EQ(access->endpoint.url, "https://h");
  EXPECT_EQ(access->token, "first");
  EXPECT_EQ(access->username, "");
}

TEST(KubeconfigFiles, areLookedForByPathThenEnvironmentThenHome) {
  const TempFolder folder;
  const std::string named = folder.write("named", config("{server: 'https://named'}", "{}"));
  const std::string listed = folder.write("listed", config("{server: 'https://listed'}", "{}"));
  folder.write(".kube/config", config("{server: 'https://home'}", "{}"));
  const auto url_of = [](const KubeconfigSource& source) {
    const Result<Access> access = load_kubeconfig(source);
    return access.ok() ? access->endpoint.url : access.error().message;
  };

  EXPECT_EQ(url_of({.path = named, .environment = listed, .home = folder.path()}), "https://named");
  EXPECT_EQ(url_of({.environment = listed, .home = folder.path()}), "https://listed");
  EXPECT_EQ(url_of({.environment = ":", .home = folder.path()}), "https://home");
  EXPECT_EQ(url_of({}), "no kubeconfig; name one with --kubeconfig or $KUBECONFIG");
  EXPECT_EQ(url_of({.path = "/nowhere/config", .home = folder.path()}),
            "/nowhere/config: no such kubeconfig; name one with --kubeconfig or $KUBECONFIG");
  EXPECT_EQ(url_of({.path = folder.path()}), folder.path() + ": cannot be read: Is a directory");
}

}  // namespace
}  // namespace tutti::kube
