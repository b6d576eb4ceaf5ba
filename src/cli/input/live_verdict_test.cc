// The command against servers that run beside it: a scheduler's answers, and everything else that
// may listen at an address.
#include "cli/input/live_verdict.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "cli/test_server.h"
#include "support/temp_folder.h"

namespace tutti::cli {
namespace {

constexpr const char* kVerdict = R"({
    "object": {
        "kind": "Pod",
        "namespace": "t",
        "name": "a"
    },
    "state": "Waiting",
    "blocker": "capacity",
    "summary": "needs 4 cpu",
    "later": [
        1
    ]
}
)";
constexpr const char* kPage = "object   Pod t/a\nstate    Waiting\n";

net::ServerResponse verdicts(const net::ServerRequest& request) {
  if (request.target.ends_with("?output=table")) return {.body = kPage};
  return {.content_type = "application/json", .body = kVerdict};
}

TEST(LiveVerdict, isPrintedAsTheSchedulerGivesIt) {
  StubServer server(verdicts);
  const auto page = tutti({"explain", "pod/a", "-n", "t", "--server", server.url()});
  EXPECT_EQ(page.code, ExitCode::done) << page.err;
  EXPECT_EQ(page.out, kPage);
  EXPECT_EQ(page.err, "");
  EXPECT_EQ(tutti({"explain", "po/a", "-o", "json", "--server", server.url() + "/"}).out, kVerdict);
  const auto yaml = tutti({"explain", "pg/g", "-n", "ml", "-o", "yaml", "--server", server.url()});
  EXPECT_TRUE(yaml.out.starts_with("object:\n  kind: Pod\n")) << yaml.out;
  EXPECT_EQ(server.asked(),
            (std::vector<std::string>{"/explain/pods/t/a?output=table", "/explain/pods/default/a",
                                      "/explain/podgroups/ml/g"}));
}

TEST(LiveVerdict, isAskedForInAnyOfThePeoplesWords) {
  StubServer server(verdicts);
  const std::string at = server.url();
  EXPECT_EQ(tutti({"explain", "pod", "a", "-n", "t", "--server", at}).out, kPage);
  EXPECT_EQ(tutti({"explain", "a", "-n", "t", "--server", at}).out, kPage);
  EXPECT_EQ(tutti({"explain", "lws/llm", "-n", "t", "--server", at}).out, kPage);
  EXPECT_EQ(server.asked(), (std::vector<std::string>{"/explain/pods/t/a?output=table",
                                                      "/explain/any/t/a?output=table",
                                                      "/explain/lws/t/llm?output=table"}));
}

TEST(LiveVerdict, ofAllThatWaitsHasTheWorstFirst) {
  const std::string list = R"({"total": 2, "items": [
    {"object": {"kind": "Pod", "namespace": "t", "name": "a"}, "state": "Waiting",
     "blocker": "capacity", "summary": "needs 4 cpu"},
    {"object": {"kind": "Job", "namespace": "t", "name": "j"}, "state": "Impossible",
     "blocker": "badRequest", "summary": "too large"}]})";
  StubServer server([&](const net::ServerRequest&) -> net::ServerResponse {
    return {.content_type = "application/json", .body = list};
  });
  EXPECT_EQ(tutti({"explain", "-A", "--server", server.url()}).out,
            "object   Job t/j\nstate    Impossible\nblocker  badRequest\nsummary  too large\n\n"
            "object   Pod t/a\nstate    Waiting\nblocker  capacity\nsummary  needs 4 cpu\n");
  EXPECT_EQ(server.asked(), (std::vector<std::string>{"/explain?limit=1000"}));
}

TEST(LiveVerdict, movesNoTerminal) {
  StubServer server([](const net::ServerRequest&) -> net::ServerResponse {
    return {.body = "object   Pod t/a\x1b[2J\n"};
  });
  EXPECT_EQ(tutti({"explain", "pod/a", "--server", server.url()}).out,
            "object   Pod t/a\\x1b[2J\n");
}

TEST(LiveVerdict, thatNobodyCanGiveSaysWhatToTry) {
  std::string url;
  {
    StubServer gone(verdicts);
    url = gone.url();
  }
  const auto nobody = tutti({"explain", "pod/a", "--server", url});
  EXPECT_EQ(nobody.code, ExitCode::failed);
  EXPECT_EQ(nobody.out, "");
  EXPECT_EQ(nobody.err.find('\n'), nobody.err.size() - 1) << "one line: " << nobody.err;
  for (const char* hint : {"-f", "--server", "port-forward"}) {
    EXPECT_NE(nobody.err.find(hint), std::string::npos) << nobody.err;
  }
}

struct RefusedCase {
  std::string name;
  net::ServerResponse answer;
  ExitCode code;
  std::string says;
};

TEST(LiveVerdict, ofUnexpectedShapeIsRefused) {
  const RefusedCase cases[] = {
      {"unknown object", failure(404, "the scheduler knows no Pod t/a"), ExitCode::bad_input,
       "knows no Pod t/a"},
      {"stands by", failure(503, "this replica stands by"), ExitCode::failed, "stands by"},
      {"not for us", failure(421, "use kubectl port-forward"), ExitCode::failed, "port-forward"},
      {"another server's page", {.body = "<html>hello</html>"}, ExitCode::failed, "no verdict"},
      {"another server's object", {.body = R"({"kind":"Pod"})"}, ExitCode::failed, "no verdict"},
      {"a list", {.body = R"([1, 2])"}, ExitCode::failed, "no verdict"},
      {"two verdicts", {.body = std::string(kVerdict) + kVerdict}, ExitCode::failed, "no verdict"},
      {"half a verdict",
       {.body = std::string(kVerdict).substr(0, 60)},
       ExitCode::failed,
       "no verdict"},
      {"nothing", {.body = ""}, ExitCode::failed, "no verdict"},
      {"a state of another type",
       {.body = R"({"object":{"kind":"","name":""},"state":1,"blocker":"","summary":""})"},
       ExitCode::failed,
       "no verdict"},
      {"too much", {.body = std::string((16U << 20U) + 1, 'x')}, ExitCode::failed, "16 MiB"},
      {"an empty failure", {.status = 500, .body = ""}, ExitCode::failed, "HTTP 500"},
  };
  for (const RefusedCase& c : cases) {
    SCOPED_TRACE(c.name);
    StubServer server([&](const net::ServerRequest&) { return c.answer; });
    const auto refused = tutti({"explain", "pod/a", "-o", "json", "--server", server.url()});
    EXPECT_EQ(refused.code, c.code);
    EXPECT_EQ(refused.out, "");
    EXPECT_NE(refused.err.find(c.says), std::string::npos) << refused.err.substr(0, 500);
    EXPECT_EQ(refused.err.find('\n'), refused.err.size() - 1);
  }
}

TEST(LiveVerdict, isNotAskedForWithNamesThatNoObjectHas) {
  StubServer server(verdicts);
  for (const char* name : {"pod/A", "pod/a%2f", "pod/a?b", "pod/a/b", "pod/ä"}) {
    SCOPED_TRACE(name);
    EXPECT_EQ(tutti({"explain", name, "--server", server.url()}).code, ExitCode::bad_input);
  }
  EXPECT_EQ(tutti({"explain", "pod/a", "-n", "a/b", "--server", server.url()}).code,
            ExitCode::bad_input);
  EXPECT_TRUE(server.asked().empty());
}

TEST(LiveVerdict, isNotMixedWithManifests) {
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"-f", "-", "--server", "http://x"},
                                             {"-f", "-", "--kubeconfig", "x"},
                                             {"--server", "http://x", "--kubeconfig", "x"},
                                             {"--server", "http://x", "--until", "5s"},
                                             {"--server", "http://x", "--seed", "5"},
                                             {"--server", "127.0.0.1:10259"},
                                             {"cluster.yaml"}}) {
    SCOPED_TRACE(more.front() + " " + more.back());
    std::vector<std::string> words = {"explain", "pod/a"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(tutti(words).code, ExitCode::bad_input);
  }
}

// --- through an API server -----------------------------------------------------------------------

class ClusterVerdictTest : public testing::Test {
 protected:
  std::string kubeconfig(const StubServer& server) { return write_kubeconfig(folder_, server); }
  test::TempFolder folder_;
};

constexpr const char* kLeaseTarget =
    "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/tutti";

net::ServerResponse api_server(const net::ServerRequest& request) {
  if (request.target == kLeaseTarget) {
    return {.body = R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease",
      "metadata":{"name":"tutti","namespace":"kube-system"},
      "spec":{"holderIdentity":"tutti-7d9-x2_00ff"}})"};
  }
  return verdicts(request);
}

TEST_F(ClusterVerdictTest, comesFromThePodThatLeads) {
  StubServer server(api_server);
  const auto page = tutti({"explain", "pod/a", "--kubeconfig", kubeconfig(server)});
  EXPECT_EQ(page.code, ExitCode::done) << page.err;
  EXPECT_EQ(page.out, kPage);
  EXPECT_EQ(server.asked(),
            (std::vector<std::string>{kLeaseTarget,
                                      "/api/v1/namespaces/tutti-system/pods/tutti-7d9-x2:10259"
                                      "/proxy/explain/pods/ml/a?output=table"}));
}

TEST_F(ClusterVerdictTest, isWhatAKubectlPluginAsksForByItself) {
  StubServer server(api_server);
  terminal::ProcessEnvironment kubectl;
  kubectl.kubectl_plugin = true;
  kubectl.kubeconfig = kubeconfig(server);
  const auto page = tutti({"explain", "pod/a", "-n", "t", "-o", "json"}, kubectl);
  EXPECT_EQ(page.out, kVerdict) << page.err;
  ASSERT_EQ(server.asked().size(), 2U);
  EXPECT_TRUE(server.asked()[1].ends_with("/explain/pods/t/a"));
}

TEST_F(ClusterVerdictTest, comesFromThePodThatIsNamed) {
  StubServer server(api_server);
  const std::string config = kubeconfig(server);
  const auto ask = [&](const std::string& pod) {
    return tutti({"explain", "pod/a", "--kubeconfig", config, "--scheduler-pod", pod}).code;
  };
  EXPECT_EQ(ask("kube-system/tutti-n1:81"), ExitCode::done);
  EXPECT_EQ(server.asked(), (std::vector<std::string>{
                                "/api/v1/namespaces/kube-system/pods/tutti-n1:81/proxy/explain/"
                                "pods/ml/a?output=table"}));
  for (const char* pod : {"tutti", "a/b:c", "a/b:0", "a/b:70000", "/b", "a/", "a/b/c"}) {
    SCOPED_TRACE(pod);
    EXPECT_EQ(ask(pod), ExitCode::bad_input);
  }
}

TEST_F(ClusterVerdictTest, thatNobodyCanGiveSaysWhy) {
  struct Case {
    std::string name;
    net::HttpServer::Handler handler;
    std::string says;
  };
  const Case cases[] = {
      {"no lease", [](const auto&) { return failure(404, "not found"); }, "--scheduler-pod"},
      {"no permission", [](const auto&) { return failure(403, "leases is forbidden"); },
       "leases is forbidden"},
      {"nobody leads",
       [](const auto&) -> net::ServerResponse {
         return {.body = R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease",
           "metadata":{"name":"tutti"},"spec":{"holderIdentity":""}})"};
       },
       "no scheduler leads"},
      {"the pod refuses",
       [](const net::ServerRequest& request) {
         return request.target == kLeaseTarget ? api_server(request)
                                               : failure(421, "use kubectl port-forward");
       },
       "port-forward"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    StubServer server(c.handler);
    const auto refused = tutti({"explain", "pod/a", "--kubeconfig", kubeconfig(server)});
    EXPECT_EQ(refused.code, ExitCode::failed);
    EXPECT_NE(refused.err.find(c.says), std::string::npos) << refused.err;
  }
}

}  // namespace
}  // namespace tutti::cli
