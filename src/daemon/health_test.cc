#include "daemon/health.h"

#include <functional>
#include <string>

#include <gtest/gtest.h>

namespace tutti::daemon {
namespace {

Health well() {
  Health health;
  health.watches = {{.resource = "pods", .synced = true, .healthy = true},
                    {.resource = "nodes", .synced = true, .healthy = true}};
  health.leading = true;
  health.since_renewal = Millis(1000);
  return health;
}

net::ServerResponse get(const std::string& target, const Health& health = well(),
                        const std::string& method = "GET") {
  return answer({.method = method, .target = target}, health, [] { return "metrics here\n"; });
}

TEST(HealthAnswer, isOkInAWordWhenAllIsWell) {
  for (const char* path : {"/healthz", "/livez", "/readyz"}) {
    SCOPED_TRACE(path);
    EXPECT_EQ(get(path).status, 200);
    EXPECT_EQ(get(path).body, "ok");
    EXPECT_EQ(get(path).content_type, "text/plain; charset=utf-8");
  }
}

TEST(HealthAnswer, listsEveryCheckWhenAskedTo) {
  EXPECT_EQ(get("/livez?verbose").body,
            "[+]ping ok\n[+]loop ok\n[+]leaderElection ok\nlivez check passed\n");
  EXPECT_EQ(get("/healthz?timeout=5s&verbose=true").body,
            "[+]ping ok\n[+]loop ok\n[+]leaderElection ok\nhealthz check passed\n");
  EXPECT_EQ(get("/readyz?verbose").body,
            "[+]ping ok\n[+]loop ok\n[+]leaderElection ok\n[+]informer-sync ok\n"
            "[+]watch-pods ok\n[+]watch-nodes ok\n[+]shutdown ok\nreadyz check passed\n");
  EXPECT_EQ(get("/readyz?verbosely").body, "ok");
}

struct ProblemCase {
  std::string name;
  std::function<void(Health&)> change;
  bool live, ready;
  std::string line;  // in the answer of /readyz
};

TEST(HealthAnswer, saysWhatIsWrongAndOnlyWhereItMatters) {
  const ProblemCase cases[] = {
      {"standing by",
       [](Health& h) {
         h.leading = false;
         h.since_renewal.reset();
       },
       true, true, "ok"},
      {"once led, long ago",
       [](Health& h) {
         h.leading = false;
         h.since_renewal = Millis(3'600'000);
       },
       true, true, "ok"},
      {"not listed yet", [](Health& h) { h.watches[0] = {.resource = "pods"}; }, true, false,
       "[-]informer-sync failed: not yet listed: pods\n"},
      {"forbidden",
       [](Health& h) {
         h.watches[1].healthy = false;
         h.watches[1].trouble = "nodes is forbidden";
       },
       true, false, "[-]watch-nodes failed: nodes is forbidden\n"},
      {"cut off without a word", [](Health& h) { h.watches[1].healthy = false; }, true, false,
       "[-]watch-nodes failed: not in touch with the API server\n"},
      {"trouble that is over for now", [](Health& h) { h.watches[1].trouble = "one bad object"; },
       true, true, "ok"},
      {"slow loop", [](Health& h) { h.loop_lag = Millis(10'001); }, false, false,
       "[-]loop failed: 10.001s late\n"},
      {"busy loop", [](Health& h) { h.loop_lag = Millis(10'000); }, true, true, "ok"},
      {"lease long expired", [](Health& h) { h.since_renewal = Millis(35'001); }, false, false,
       "[-]leaderElection failed: leads, but renewed its lease 35.001s ago\n"},
      {"lease just expired", [](Health& h) { h.since_renewal = Millis(35'000); }, true, true, "ok"},
      {"stopping", [](Health& h) { h.stopping = true; }, true, false,
       "[-]shutdown failed: stopping\n"},
  };
  for (const ProblemCase& c : cases) {
    SCOPED_TRACE(c.name);
    Health health = well();
    c.change(health);
    EXPECT_EQ(get("/livez", health).status, c.live ? 200 : 500);
    EXPECT_EQ(get("/healthz", health).status, c.live ? 200 : 500);
    const net::ServerResponse ready = get("/readyz", health);
    EXPECT_EQ(ready.status, c.ready ? 200 : 500);
    EXPECT_NE(ready.body.find(c.line), std::string::npos) << ready.body;
    EXPECT_EQ(ready.body.ends_with("readyz check failed\n"), !c.ready);
  }
}

TEST(HealthAnswer, keepsTroubleOnItsLine) {
  Health health = well();
  health.watches[0].healthy = false;
  health.watches[0].trouble = "a\n[+]watch-pods ok";
  EXPECT_NE(get("/readyz", health).body.find("[-]watch-pods failed: a\\n[+]watch-pods ok\n"),
            std::string::npos);
}

TEST(HealthAnswer, givesMetricsInTheirFormat) {
  const net::ServerResponse metrics = get("/metrics");
  EXPECT_EQ(metrics.status, 200);
  EXPECT_EQ(metrics.body, "metrics here\n");
  EXPECT_EQ(metrics.content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(get("/metrics?name=x").status, 200);
}

TEST(HealthAnswer, knowsNothingElse) {
  for (const char* path : {"/", "", "/healthz/", "/healthzx", "/metrics/x", "?verbose", "/debug"}) {
    SCOPED_TRACE(path);
    EXPECT_EQ(get(path).status, 404);
  }
  EXPECT_EQ(get("/healthz", well(), "POST").status, 405);
  EXPECT_EQ(get("/metrics", well(), "DELETE").status, 405);
  EXPECT_EQ(get("/nowhere", well(), "POST").status, 404);
  EXPECT_EQ(get("/healthz", well(), "HEAD").status, 200);
}

}  // namespace
}  // namespace tutti::daemon
