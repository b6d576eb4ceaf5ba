#include "daemon/verdict_answers.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "answers/lookup.h"
#include "core/scheduler/scheduler.h"
#include "explain/document/commands.h"
#include "explain/document/verdict_value.h"
#include "explain/verdict/text.h"
#include "support/build.h"
#include "support/default_profile.h"
#include "support/fake_port.h"
#include "whatif/ways.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace tutti::daemon {
namespace {

core::SchedulerOptions options() {
  core::SchedulerOptions made;
  made.config = test::default_config();
  return made;
}

// A scheduler with its cluster, and questions about it.
class VerdictAnswersTest : public testing::Test {
 protected:
  VerdictAnswersTest() { port.serve(scheduler); }

  net::ServerResponse get(const std::string& target, const VerdictGate& gate = {},
                          const std::string& method = "GET", bool local = true) {
    return answer_verdicts({.method = method, .target = target, .from_loopback = local}, gate,
                           [this] { return knowledge(); });
  }
  Knowledge knowledge() {
    return {explain::sources_of(scheduler), [this](const whatif::Asker& asker) {
              return whatif::find_ways(scheduler, port.now(), asker, {});
            }};
  }
  // Returns the verdict of a waiting pod, with all that a running scheduler adds.
  explain::Verdict expected(const std::string& pod) {
    const Knowledge known = knowledge();
    auto found = answers::find_verdict(known.sources, model::Kind::pod, "t", pod);
    found->verdict.next = "unknown: tutti explain --live reads the cluster and plays it ahead";
    found->verdict.ways = known.ways(*found->asker);
    return found->verdict;
  }
  // The members of the answer, which must be JSON.
  static std::string text(const net::ServerResponse& response, std::string_view field) {
    std::string found = "(none)";
    const Status read = wire::read_json(response.body, [&](wire::Document&& document) {
      const wire::Value* member = document.root().find(field);
      if (member != nullptr) found = member->is_string() ? member->text() : wire::to_json(*member);
      return ok_status();
    });
    EXPECT_TRUE(read.ok()) << response.body;
    return found;
  }
  void one_node(const std::string& cpu) { port.apply(test::node("n1").cpu(cpu).build()); }

  test::FakePort port;
  core::Scheduler scheduler{options(), test::default_profiles(), port};
};

TEST_F(VerdictAnswersTest, givesThePodsVerdictInTheFormOfTheCommand) {
  one_node("2");
  port.apply(test::pod("a").cpu("4").build());
  ASSERT_TRUE(port.settle());
  const auto response = get("/explain/pods/t/a");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type, "application/json");
  const explain::Verdict verdict = expected("a");
  EXPECT_FALSE(verdict.ways.empty()) << "a smaller request";
  wire::Document document;
  EXPECT_EQ(response.body,
            wire::to_json(explain::verdict_value(verdict, document), {.indent = 4}) + "\n");
  EXPECT_TRUE(text(response, "next").starts_with("unknown: "));
  EXPECT_EQ(text(response, "state"), "Impossible");
  EXPECT_EQ(text(response, "blocker"), "badRequest");
}

TEST_F(VerdictAnswersTest, givesTheSamePageAsTheCommandForPeople) {
  one_node("2");
  port.apply(test::pod("a").cpu("1").node_selector("gpu", "h100").build());
  ASSERT_TRUE(port.settle());
  const auto response = get("/explain/pod/t/a?output=table");
  EXPECT_EQ(response.content_type, "text/plain; charset=utf-8");
  EXPECT_EQ(response.body, explain::render_text(expected("a"), explain::commands_of));
  EXPECT_NE(response.body.find("no node has label gpu=h100"), std::string::npos) << response.body;
}

// As grouped in memory: one replica runs, the other waits.
TEST_F(VerdictAnswersTest, ofALeaderWorkerSetSpeaksTheReplicaThatWaits) {
  one_node("12");
  auto set = std::make_shared<model::CompositePodGroup>();
  set->meta.ns = "t";
  set->meta.name = "leaderworkerset:llm";
  set->spec.policy = {false, 1};
  port.apply(std::shared_ptr<const model::CompositePodGroup>(set));
  for (const std::string replica : {"0", "1"}) {
    const std::string group = "leaderworkerset:llm-" + replica;
    port.apply(test::pod_group(group).gang(2).parent("leaderworkerset:llm").build());
    for (const std::string worker : {"0", "1"}) {
      port.apply(test::pod("llm-" + replica + "-" + worker)
                     .cpu("4")
                     .group(group)
                     .label("leaderworkerset.sigs.k8s.io/name", "llm")
                     .build());
    }
  }
  ASSERT_TRUE(port.settle());
  for (const std::string target : {"/explain/lws/t/llm", "/explain/any/t/llm"}) {
    const auto of_set = get(target);
    EXPECT_EQ(text(of_set, "object"), R"({"kind":"LeaderWorkerSet","namespace":"t","name":"llm"})");
    EXPECT_EQ(text(of_set, "blocker"), "capacity");
    EXPECT_EQ(text(of_set, "need"), R"({"members":"2","cpu":"8"})");
    EXPECT_EQ(text(of_set, "have"), R"({"members":"1","cpu":"4"})");
  }
  const auto of_pod = get("/explain/pod/t/llm-1-0");
  EXPECT_EQ(text(of_pod, "blocker"), "capacity");
  EXPECT_EQ(text(of_pod, "need"), R"({"members":"2","cpu":"8"})");
  EXPECT_NE(get("/explain").body.find(R"("kind": "LeaderWorkerSet")"), std::string::npos);
}

TEST_F(VerdictAnswersTest, suggestsWhatMayHaveBeenMeant) {
  one_node("4");
  port.apply(test::pod_group("train").gang(3).build());
  port.apply(test::pod("train-0").cpu("1").group("train").build());
  ASSERT_TRUE(port.settle());
  const auto ends = [&](const std::string& target, const std::string& hint) {
    return text(get(target), "message").ends_with(hint);
  };
  EXPECT_TRUE(ends("/explain/pod/t/train", "; there is a PodGroup t/train"));
  EXPECT_TRUE(ends("/explain/podgroup/ml/train", "; there is a PodGroup t/train"));
  EXPECT_TRUE(ends("/explain/any/t/trian-0", "; did you mean train-0?"));
  EXPECT_TRUE(ends("/explain/any/t/other", "it is another scheduler's"));
}

TEST_F(VerdictAnswersTest, knowsWhichJobsTheServerMayBeAskedAbout) {
  one_node("4");
  const net::ServerRequest asked{.method = "GET", .target = "/explain/jobs/t/train?output=table"};
  const auto unknown = get(asked.target);
  EXPECT_EQ(unknown.status, 404);
  const auto job = unknown_job(asked, unknown);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->name, "train");
  explain::Verdict verdict;
  verdict.object = {"Job", "t", "train"};
  verdict.summary = "suspended";
  EXPECT_TRUE(answer_unknown_job(*job, {verdict, {}}, unknown).body.starts_with("object   Job"));
  EXPECT_EQ(answer_unknown_job(*job, {}, unknown).body, unknown.body);
  const auto refused = answer_unknown_job(*job, {{}, "jobs is forbidden"}, unknown);
  EXPECT_EQ(text(refused, "message"),
            "the scheduler knows no pod of Job t/train, and jobs is forbidden");
  EXPECT_FALSE(unknown_job({.method = "GET", .target = "/explain/pods/t/p"}, unknown));
}

TEST_F(VerdictAnswersTest, knowsGroupsAndJobsByTheirPods) {
  one_node("4");
  port.apply(test::pod_group("g").gang(3).build());
  auto pod = std::make_shared<model::Pod>(*test::pod("g-0").cpu("1").group("g").build());
  pod->meta.owners.push_back({"batch/v1", "Job", "train", "job-uid", true, true});
  port.apply(std::shared_ptr<const model::Pod>(pod));
  ASSERT_TRUE(port.settle());
  const auto group = get("/explain/PodGroup/t/g");
  EXPECT_EQ(text(group, "state"), "Held");
  EXPECT_EQ(text(group, "blocker"), "incomplete");
  const auto job = get("/explain/jobs/t/train");
  EXPECT_EQ(text(job, "object"), R"({"kind":"Job","namespace":"t","name":"train"})");
  EXPECT_EQ(text(job, "summary"), text(group, "summary"));
}

TEST_F(VerdictAnswersTest, letsAWaitingPodSpeakForAJobThatHasNoGroup) {
  one_node("1");
  for (const char* name : {"w-0", "w-1", "w-2"}) {
    auto pod = std::make_shared<model::Pod>(*test::pod(name).cpu("1").build());
    pod->meta.owners.push_back({"batch/v1", "Job", "w", "job-uid", true, true});
    port.apply(std::shared_ptr<const model::Pod>(pod));
  }
  ASSERT_TRUE(port.settle());
  EXPECT_EQ(text(get("/explain/job/t/w"), "state"), "Waiting");
  EXPECT_EQ(text(get("/explain/job/t/w"), "blocker"), "capacity");
  EXPECT_TRUE(text(get("/explain/job/t/w"), "summary").starts_with("1 of 3 pods run; "));
  EXPECT_EQ(text(get("/explain/pod/t/w-0"), "state"), "Running");
}

TEST_F(VerdictAnswersTest, listsWhatWaitsWithReasonsAndCountsAll) {
  one_node("1");
  port.apply(test::pod_group("g").gang(2).build());
  port.apply(test::pod("g-0").cpu("1").group("g").build());
  port.apply(test::pod("runs").cpu("1").build());
  port.apply(test::pod("big").cpu("8").build());
  port.apply(test::pod("elsewhere").in_namespace("u").cpu("8").build());
  port.apply(test::pod("orphan").cpu("1").group("missing").build());
  ASSERT_TRUE(port.settle());

  const auto all = get("/explain");
  EXPECT_EQ(all.status, 200);
  EXPECT_EQ(text(all, "total"), "4");
  const std::string items = text(all, "items");
  const auto at = [&](const char* part) { return items.find(part); };
  EXPECT_LT(at(R"("kind":"Pod","namespace":"t","name":"big")"), at(R"("name":"g")"));
  EXPECT_LT(at(R"("name":"g")"), at(R"("name":"missing")"));
  EXPECT_LT(at(R"("name":"missing")"), at(R"("name":"elsewhere")"));
  EXPECT_NE(at(R"("name":"elsewhere")"), std::string::npos) << items;
  EXPECT_EQ(at("runs"), std::string::npos);
  EXPECT_EQ(at("domains"), std::string::npos);

  EXPECT_EQ(text(get("/explain?namespace=u"), "total"), "1");
  const auto first = get("/explain?namespace=t&limit=1");
  EXPECT_EQ(text(first, "total"), "3");
  EXPECT_NE(text(first, "items").find("big"), std::string::npos);
  EXPECT_EQ(text(first, "items").find("missing"), std::string::npos);
}

TEST_F(VerdictAnswersTest, saysClearlyWhatItDoesNotKnow) {
  struct Case {
    std::string target;
    int status;
    std::string says;
  };
  const Case cases[] = {
      {"/explain/pods/t/nobody", 404, "knows no Pod t/nobody"},
      {"/explain/podgroups/t/nobody", 404, "knows no PodGroup t/nobody"},
      {"/explain/resourceclaims/t/nobody", 404, "knows no ResourceClaim t/nobody"},
      {"/explain/jobs/t/nobody", 404, "knows no Job t/nobody"},
      {"/explain/nodes/t/n1", 404, "'nodes' cannot be explained"},
      {"/explain/pods/t", 404, "/explain/KIND/NAMESPACE/NAME"},
      {"/explain/pods/t/a/b", 404, "/explain/KIND/NAMESPACE/NAME"},
      {"/explain/", 404, "/explain/KIND/NAMESPACE/NAME"},
      {"/explain/pods/t/%0a\xff", 404, "/explain/KIND/NAMESPACE/NAME"},
      {"/explain?limit=many", 400, "limit"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.target);
    const auto response = get(c.target);
    EXPECT_EQ(response.status, c.status);
    EXPECT_EQ(text(response, "kind"), "Status");
    EXPECT_EQ(text(response, "code"), std::to_string(c.status));
    EXPECT_NE(text(response, "message").find(c.says), std::string::npos) << response.body;
  }
}

TEST_F(VerdictAnswersTest, answersOnlyItsOwnMachineUnlessToldOtherwise) {
  const auto stranger = get("/explain", {}, "GET", false);
  EXPECT_EQ(stranger.status, 421);
  EXPECT_NE(text(stranger, "message").find("port-forward"), std::string::npos);
  EXPECT_EQ(get("/explain", {.loopback_only = false}, "GET", false).status, 200);
}

TEST_F(VerdictAnswersTest, saysWhyItCannotAnswerNow) {
  const auto response = get("/explain/pods/t/a", {.closed = "stands by"});
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(text(response, "message"), "stands by");
}

TEST_F(VerdictAnswersTest, changesNothing) {
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH"}) {
    SCOPED_TRACE(method);
    EXPECT_EQ(get("/explain", {}, method).status, 405);
  }
}

TEST(AsksForVerdicts, tellsItsPathsFromOthers) {
  for (const char* target : {"/explain", "/explain?limit=3", "/explain/", "/explain/pods/t/a"}) {
    EXPECT_TRUE(asks_for_verdicts({.method = "GET", .target = target})) << target;
  }
  for (const char* target : {"/", "/explainx", "/metrics", "/healthz/explain", ""}) {
    EXPECT_FALSE(asks_for_verdicts({.method = "GET", .target = target})) << target;
  }
}

}  // namespace
}  // namespace tutti::daemon
