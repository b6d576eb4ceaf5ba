#include <gtest/gtest.h>

#include "admission/validate.h"
#include "model/cluster.h"
#include "support/build.h"
#include "support/problems.h"

namespace tutti::admission {
namespace {

using model::ObjectMeta;
using test::bad_name;
using test::Lines;
using test::lines;

TEST(MetadataRules, holdForANamespacedKind) {
  struct Case {
    const char* sentence;
    std::function<void(ObjectMeta&)> edit;
    Lines problems;
  };
  const std::vector<Case> cases = {
      {"as the builder makes it", [](auto&) {}, {}},
      {"a name may have dots", [](auto& meta) { meta.name = "web.v2"; }, {}},
      {"a name is needed", [](auto& meta) { meta.name.clear(); }, {"metadata.name: is required"}},
      {"a name is in lower case",
       [](auto& meta) { meta.name = "Web"; },
       {bad_name("metadata.name", dns_subdomain_problem("Web"), "Web")}},
      {"a namespace is needed",
       [](auto& meta) { meta.ns.clear(); },
       {"metadata.namespace: is required"}},
      {"a namespace has no dots",
       [](auto& meta) { meta.ns = "a.b"; },
       {bad_name("metadata.namespace", dns_label_problem("a.b"), "a.b")}},
      {"labels with a domain",
       [](auto& meta) {
         meta.labels = {{"example.com/app", "Web_1"}};
       },
       {}},
      {"a label without a value",
       [](auto& meta) {
         meta.labels = {{"app", ""}};
       },
       {}},
      {"a label's key",
       [](auto& meta) {
         meta.labels = {{"a b", "web"}};
       },
       {bad_name("metadata.labels[a b]", label_key_problem("a b"), "a b")}},
      {"a label's value",
       [](auto& meta) {
         meta.labels = {{"app", "-"}};
       },
       {bad_name("metadata.labels[app]", label_value_problem("-"), "-")}},
      {"an annotation holds any text",
       [](auto& meta) {
         meta.annotations = {{"Example.com/note", "{\"any\": \"text\"}"}};
       },
       {}},
      {"but not without end",
       [](auto& meta) {
         meta.annotations = {{"note", std::string(256 * 1024, 'x')}};
       },
       {"metadata.annotations: must have at most 262144 bytes together, has 262148"}},
      {"a run time that is one",
       [](auto& meta) {
         meta.annotations = {{"tutti.dev/expected-runtime", "40m"}, {"tutti.dev/yield", "true"}};
       },
       {}},
      {"and one that is none",
       [](auto& meta) {
         meta.annotations = {{"tutti.dev/expected-runtime", "-5m"}, {"tutti.dev/yield", "maybe"}};
       },
       {"metadata.annotations[tutti.dev/expected-runtime]: must be a duration above 0 such as "
        "40m, is '-5m'",
        "metadata.annotations[tutti.dev/yield]: must be one of true, false, is 'maybe'"}},
      {"an owner",
       [](auto& meta) {
         meta.owners = {{"batch/v1", "Job", "j", "u", true, false}};
       },
       {}},
      {"an owner is named in full",
       [](auto& meta) { meta.owners.edit().resize(1); },
       {"metadata.ownerReferences[0].apiVersion: is required",
        "metadata.ownerReferences[0].kind: is required",
        "metadata.ownerReferences[0].name: is required",
        "metadata.ownerReferences[0].uid: is required"}},
      {"one owner controls",
       [](auto& meta) {
         meta.owners = {{"batch/v1", "Job", "j", "u", true, false},
                        {"batch/v1", "Job", "k", "v", true, false}};
       },
       {"metadata.ownerReferences: must name at most one controller, names 2"}},
  };
  for (const Case& given : cases) {
    SCOPED_TRACE(given.sentence);
    model::Pod pod = *test::pod("a").build();
    given.edit(pod.meta);
    EXPECT_EQ(lines(validate(pod)), given.problems);
  }
}

TEST(MetadataRules, keepClusterKindsOutOfNamespaces) {
  model::Node node = *test::node("n1").build();
  EXPECT_EQ(lines(validate(node)), Lines{});
  node.meta.ns = "t";
  EXPECT_EQ(lines(validate(node)), Lines{"metadata.namespace: must be empty for a Node, is 't'"});
}

TEST(MetadataRules, nameNamespacesWithoutDots) {
  model::Namespace ns;
  ns.meta.name = "team-a";
  EXPECT_EQ(lines(validate(ns)), Lines{});
  ns.meta.name = "team.a";
  EXPECT_EQ(lines(validate(ns)),
            Lines{bad_name("metadata.name", dns_label_problem("team.a"), "team.a")});
}

TEST(MetadataRules, letUnknownKindsKeepTheirOwnNames) {
  model::OtherObject other;
  other.meta.name = "system:node";
  EXPECT_EQ(lines(validate(other)), Lines{});
  other.meta.name = "a/b";
  EXPECT_EQ(lines(validate(other)),
            Lines{"metadata.name: must not contain '/' or '%' nor be '.' or '..', is 'a/b'"});
}

}  // namespace
}  // namespace tutti::admission
