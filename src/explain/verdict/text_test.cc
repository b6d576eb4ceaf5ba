#include "explain/verdict/text.h"

#include <gtest/gtest.h>

#include "core/shapes/shape.h"

namespace tutti::explain {
namespace {

// Writes the walk as compact text, close to JSON.
class Recorder : public FieldSink {
 public:
  void open_object() override { written += '{'; }
  void close_object() override { written += '}'; }
  void open_list() override { written += '['; }
  void close_list() override { written += ']'; }
  void field(std::string_view name) override { written.append(" ").append(name).append(":"); }
  void text(std::string_view value) override { written.append("'").append(value).append("'"); }
  void number(std::int64_t value) override { written += std::to_string(value); }
  void flag(bool value) override { written += value ? "true" : "false"; }
  std::string written;
};

Verdict gang_verdict() {
  Verdict verdict;
  verdict.object = {"PodGroup", "t", "g"};
  verdict.blocker = Blocker::capacity;
  verdict.summary = "needs 4 pods of 3 cpu at once; 3 fit now";
  verdict.need = {{"members", "4"}, {"cpu", "12"}};
  verdict.have = {{"members", "3"}, {"cpu", "9"}};
  verdict.nodes = {{"NodeResourcesFit", "Insufficient cpu", 3}};
  return verdict;
}

TEST(Verdict, walksAllFieldsUnderTheirProductNames) {
  Verdict verdict = gang_verdict();
  verdict.domains = {{"rack", "r1", 2, 4, {{"NodeResourcesFit", "Insufficient cpu", 1}}}};
  Recorder recorder;
  walk(verdict, recorder);
  EXPECT_EQ(recorder.written,
            "{ object:{ kind:'PodGroup' namespace:'t' name:'g'} state:'Waiting' blocker:'capacity'"
            " summary:'needs 4 pods of 3 cpu at once; 3 fit now' need:{ members:'4' cpu:'12'}"
            " have:{ members:'3' cpu:'9'} domains:[{ key:'rack' value:'r1' fit:2 needed:4"
            " reasons:[{ count:1 reason:'Insufficient cpu' plugin:'NodeResourcesFit'}]}]"
            " nodes:[{ count:3 reason:'Insufficient cpu' plugin:'NodeResourcesFit'}] ways:[]"
            " next:'' ahead:''}");
}

TEST(Verdict, walksWaysWithWhatToDo) {
  const Way way{
      "minCount",
      "lower it",
      {{{{"PodGroup", "t", "g"}}, {{"replace", "/spec/x", Datum::of(std::int64_t{3})}}},
       {{{"Pod", "t", "a"}, {"Pod", "t", "b"}}, {}, true},
       {{{"PriorityClass", "", "p"}}, {}, false, Datum::object({{"value", Datum::of("v")}})},
       {{{"Pod", "t", "a"}}, {}, false, {}, 2}},
      {"Pod t/v"}};
  Recorder recorder;
  walk(way, recorder);
  EXPECT_EQ(recorder.written,
            "{ kind:'minCount' summary:'lower it' changes:["
            "{ verb:'patch' objects:[{ kind:'PodGroup' namespace:'t' name:'g'}]"
            " patch:[{ op:'replace' path:'/spec/x' value:3}]}"
            "{ verb:'delete' objects:[{ kind:'Pod' namespace:'t' name:'a'}"
            "{ kind:'Pod' namespace:'t' name:'b'}]}"
            "{ verb:'create' objects:[{ kind:'PriorityClass' name:'p'}] manifest:{ value:'v'}}"
            "{ verb:'copy' objects:[{ kind:'Pod' namespace:'t' name:'a'}] copies:2}]"
            " evicts:['Pod t/v']}");
}

TEST(Text, listsWaysAsSentences) {
  Verdict verdict = gang_verdict();
  verdict.ways = {{"minCount", "lower it"}, {"free", "end others"}};
  verdict.next = "in 5m0s";
  const std::string page = render_text(verdict);
  EXPECT_NE(page.find("\nnext     in 5m0s\n"), std::string::npos);
  EXPECT_TRUE(
      page.ends_with("\nany one of these would let it run:\n  - lower it\n  - end others\n"));
}

TEST(Text, writesAmountsAsQuantities) {
  struct Case {
    std::string_view resource;
    std::int64_t amount;
    std::string_view text;
  };
  const Case cases[] = {{"cpu", 1500, "1500m"},
                        {"cpu", 3000, "3"},
                        {"memory", std::int64_t{32} << 30, "32Gi"},
                        {"cpu", 280'000'000, "280000"},
                        {"memory", 1000, "1k"},
                        {"memory", 0, "0"},
                        {"hugepages-2Mi", 4 << 20, "4Mi"},
                        {"nvidia.com/gpu", 8, "8"},
                        {"cpu", core::kAmountMax - 1, "1125899906842623m"},
                        {"cpu", core::kAmountMax, "at least 1125899906842"},
                        {"memory", core::kAmountMax, "at least 1Pi"},
                        {"nvidia.com/gpu", core::kAmountMax, "at least 1125899906842624"}};
  for (const auto& [resource, amount, text] : cases) {
    SCOPED_TRACE(text);
    EXPECT_EQ(amount_text(resource, amount), text);
  }
}

TEST(Text, namesTheFirstOfMany) {
  EXPECT_EQ(first_of({"a"}), "a");
  EXPECT_EQ(first_of({"a", "b", "c", "d"}), "a, b, c, d");
  EXPECT_EQ(first_of({"a", "b", "c", "d", "e"}), "a, b, c and 2 more");
  EXPECT_EQ(first_of({"a", "b", "c", "d", "e"}, 1000, " | "), "a | b | c and 997 more");
}

TEST(Text, turnsACountedReasonIntoASentence) {
  EXPECT_EQ(reason_text(3, 5, "node(s) had untolerated taint {gpu: yes}"),
            "3 of 5 nodes had untolerated taint {gpu: yes}");
  EXPECT_EQ(reason_text(1, 1, "Insufficient cpu"), "the only node: Insufficient cpu");
  EXPECT_EQ(reason_text(1, 5, "node(s) were unschedulable"), "1 of 5 nodes was unschedulable");
  EXPECT_EQ(brief_reason_text(2, "node(s) were unschedulable"), "2 were unschedulable");
}

TEST(Text, alignsAVerdictForPeople) {
  EXPECT_EQ(render_text(gang_verdict()),
            "object   PodGroup t/g\n"
            "state    Waiting\n"
            "blocker  capacity\n"
            "summary  needs 4 pods of 3 cpu at once; 3 fit now\n"
            "\n"
            "               NEED        HAVE\n"
            "members           4           3\n"
            "cpu              12           9\n"
            "\n"
            "NODES  REASON\n"
            "    3  Insufficient cpu (NodeResourcesFit)\n");
}

TEST(Text, listsDomainsAndLeavesOutWhatIsEmpty) {
  Verdict verdict;
  verdict.object = {"Pod", "t", "a"};
  verdict.state = State::running;
  verdict.domains = {
      {"rack",
       "r1",
       2,
       4,
       {{"NodeResourcesFit", "Insufficient cpu", 1}, {"TaintToleration", "node(s) had taints", 2}}},
      {"rack", "r10", 0, 4, {}}};
  EXPECT_EQ(render_text(verdict),
            "object   Pod t/a\n"
            "state    Running\n"
            "\n"
            "DOMAIN      FIT  NEEDED  REASON\n"
            "rack=r1       2       4  1 Insufficient cpu, 2 node(s) had taints\n"
            "rack=r10      0       4\n");
}

}  // namespace
}  // namespace tutti::explain
