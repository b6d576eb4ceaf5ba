#include "session/manifests/manifests.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace tutti::session {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNode = "apiVersion: v1\nkind: Node\nmetadata: {name: ";

class ManifestsTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / (std::string("tutti-manifests-") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "below");
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  std::string write_node(const std::string& file, const std::string& node) {
    return write(file, std::string(kNode) + node + "}\n");
  }
  Result<Manifests> load(std::vector<std::string> paths, bool recursive = false) {
    std::istringstream in(stdin_);
    terminal::Progress silent;
    return load_manifests({std::move(paths), recursive}, in, silent);
  }
  // Names of the objects in order, or the error.
  std::string names(const Result<Manifests>& manifests) {
    if (!manifests.ok()) return manifests.error().message;
    if (!manifests->problems.empty()) return manifests->problems.front().text;
    std::string out;
    for (const auto& loaded : manifests->objects) out += loaded.object->meta.name + " ";
    return out;
  }

  fs::path folder_;
  std::string stdin_;
};

TEST_F(ManifestsTest, readsTheManifestsOfAFolderInOrderOfTheirNames) {
  write_node("b.yml", "two");
  write_node("a.yaml", "one");
  write("c.json", R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "three"}})");
  write("notes.txt", "not: [read");
  write_node("below/d.yaml", "four");

  EXPECT_EQ(names(load({folder_.string()})), "one two three ");
  EXPECT_EQ(names(load({folder_.string()}, true)), "one two four three ");
}

TEST_F(ManifestsTest, expandsListsAndSeveralDocumentsAndKnowsTheirLines) {
  const std::string path = write("all.yaml",
                                 "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n---\n"
                                 "apiVersion: v1\nkind: List\nitems:\n"
                                 "- {apiVersion: v1, kind: Node, metadata: {name: b}}\n"
                                 "- {apiVersion: v1, kind: Node, metadata: {name: c}}\n");

  const Result<Manifests> loaded = load({path});

  ASSERT_EQ(names(loaded), "a b c ");
  EXPECT_EQ(loaded->objects[0].line, 1);
  EXPECT_EQ(loaded->objects[2].line, 9);
  EXPECT_EQ(loaded->objects[2].file, path);
}

TEST_F(ManifestsTest, knowsWhenACopyWasTaken) {
  const std::string list =
      "apiVersion: v1\nkind: List\nmetadata:\n  annotations: {tutti.dev/taken-at: ";
  const std::string items = "}\nitems:\n- {apiVersion: v1, kind: Node, metadata: {name: a}}\n";
  const std::string early = write("early.yaml", list + "'2026-11-16T08:00:00Z'" + items);
  const std::string late = write("late.yaml", list + "'2026-11-16T09:00:00Z'" + items);
  const std::string wrong = write("wrong.yaml", list + "yesterday" + items);

  EXPECT_EQ(load({late, early})->taken_at, *parse_rfc3339("2026-11-16T09:00:00Z"));
  EXPECT_EQ(load({write_node("node.yaml", "b")})->taken_at, std::nullopt);
  EXPECT_EQ(names(load({wrong})),
            wrong +
                ":4: List: metadata.annotations[tutti.dev/taken-at]: must be a time such as "
                "2026-01-31T12:00:00Z");
}

TEST_F(ManifestsTest, readsStandardInputForADash) {
  stdin_ = std::string(kNode) + "a}\n";

  EXPECT_EQ(names(load({"-"})), "a ");
}

TEST_F(ManifestsTest, notesKindsItDoesNotInterpretOncePerKind) {
  const std::string foo = "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: ";
  const Result<Manifests> loaded = load({write("a.yaml", foo + "a}\n---\n" + foo + "b}\n")});

  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->notes, std::vector<std::string>{"2 objects of kind Foo (example.com/v1) are "
                                                    "kept but not interpreted"});
}

TEST_F(ManifestsTest, takesTheConfigurationOfQueuesFromADocumentOrTheConfigMap) {
  const std::string head = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n";
  const std::string node = write_node("node.yaml", "a");
  const std::string document = write("kueue.yaml", head + "fairSharing: {}\nwebhook: {}\n");
  const std::string map =
      write("map.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kueue-manager-config, namespace: "
            "kueue-system}\ndata:\n  controller_manager_config.yaml: |\n"
            "    apiVersion: config.kueue.x-k8s.io/v1beta2\n    kind: Configuration\n");

  const auto loaded = load({node, document});
  ASSERT_TRUE(loaded.ok());
  ASSERT_TRUE(loaded->quota);
  EXPECT_EQ(loaded->quota->fair_sharing.size(), 2U);
  EXPECT_EQ(names(loaded), "a ");
  EXPECT_EQ(loaded->notes,
            std::vector<std::string>{"Kueue's Configuration: not heeded here: webhook"});
  EXPECT_TRUE(load({node, map})->quota);
  EXPECT_EQ(names(load({document, map})),
            map + ":1: ConfigMap kueue-system/kueue-manager-config: configures queues, as " +
                document + ":1 does, and the two differ");
  EXPECT_EQ(names(load({write("bad.yaml", head + "fairSharing: 3\n")})),
            (folder_ / "bad.yaml").string() +
                ":3: Configuration: fairSharing: expected an object, found an integer");
}

TEST_F(ManifestsTest, findsMisspeltFieldsOfQueues) {
  const std::string path = write("queue.yaml",
                                 "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\n"
                                 "metadata: {name: q}\nspec:\n  cohort: a\n  stopPolcy: Hold\n");
  const auto manifests = load({path});
  ASSERT_TRUE(manifests.ok());
  ASSERT_EQ(manifests->problems.size(), 2U);
  EXPECT_EQ(manifests->problems[1].text,
            path + ":6: ClusterQueue q: spec.stopPolcy: unknown field, did you mean stopPolicy?");
}

TEST_F(ManifestsTest, namesFileAndLineOfAnError) {
  const std::string broken = write("x.yaml", "apiVersion: v1\nkind: Node\nmetadata: 3\n");

  EXPECT_TRUE(names(load({broken})).starts_with(broken + ":3: ")) << names(load({broken}));
  const std::string generated =
      write("g.yaml", "apiVersion: v1\nkind: Node\nmetadata:\n  generateName: n-\n");
  EXPECT_EQ(names(load({generated})),
            generated +
                ":4: Node: metadata.generateName: names are not generated "
                "here; give metadata.name");
  EXPECT_EQ(names(load({"nowhere.yaml"})), "nowhere.yaml: no such file");
  EXPECT_EQ(names(load({write("empty.yaml", "# nothing\n")})),
            (folder_ / "empty.yaml").string() + ": there is no object in it");
  EXPECT_EQ(names(load({(folder_ / "below").string()})),
            (folder_ / "below").string() +
                ": no *.yaml, *.yml or *.json in this folder (-R looks below it)");
}

std::vector<std::string> problems(const Manifests& manifests) {
  std::vector<std::string> out;
  for (const auto& problem : manifests.problems) out.push_back(problem.text);
  return out;
}

TEST_F(ManifestsTest, findsAllMistakesOfAllFiles) {
  const std::string types = write("a.yaml", R"(
{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: 3},
 spec: {priority: high, containers: [{name: 7}], toleration: []}}
---
{apiVersion: apps/v7, kind: Deployment, metadata: {name: d}}
)");
  const std::string syntax =
      write("b.yaml", "{apiVersion: v1, kind: Node, metadata: {name: n1}}\n}");
  const std::string good = write_node("c.yaml", "c");
  const auto loaded = load({types, syntax, good});
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(problems(*loaded),
            (std::vector<std::string>{
                types + ":2: Pod a: metadata.namespace: expected a string, found an integer",
                types + ":3: Pod a: spec.priority: expected an integer, found a string",
                types + ":3: Pod a: spec.containers[0].name: expected a string, found an integer",
                types + ":3: Pod a: spec.toleration: unknown field, did you mean tolerations?",
                types + ":5: Deployment d: apiVersion: Deployment is not understood in version "
                        "apps/v7, only in v1",
                loaded->problems.back().text}));
  EXPECT_EQ(loaded->problems.back().file, syntax);
  EXPECT_EQ(loaded->problems.back().line, 2) << loaded->problems.back().text;
  ASSERT_EQ(loaded->objects.size(), 2U);
}

constexpr std::string_view kStrange =
    "{apiVersion: v1, kind: Node, metadata: {name: n1, lables: {a: b}}, zone: 1}\n";

TEST_F(ManifestsTest, keepsUnknownFieldsAndKindsWhenAskedTo) {
  const std::string file = write("a.yaml", std::string(kStrange) + R"(
---
{apiVersion: v1, kind: Nod, metadata: {name: n1}}
---
{apiVersion: v1, kind: Pod, metadata: {name: p},
 spec: {containers: [{name: a, imagee: i}, {name: b, imagee: i}]}}
)");
  std::istringstream in;
  terminal::Progress silent;
  const auto loaded = load_manifests({{file}, false, true, true}, in, silent);
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(problems(*loaded), std::vector<std::string>{});
  EXPECT_EQ(loaded->objects.size(), 3U);
  EXPECT_NE(loaded->objects[0].object->document->find("lables"), std::string::npos);
  EXPECT_EQ(loaded->notes,
            (std::vector<std::string>{
                "1 object of kind Nod (v1) is kept but not interpreted",
                "the unknown field metadata.lables of kind Node is kept but not interpreted",
                "the unknown field zone of kind Node is kept but not interpreted",
                "the unknown field spec.containers[].imagee of kind Pod is kept but not "
                "interpreted (2 times)"}));
}

TEST_F(ManifestsTest, keepsWhatAClusterHadThatWasCopiedFromLife) {
  const std::string list =
      "apiVersion: v1\nkind: List\nmetadata: {annotations: "
      "{tutti.dev/taken-at: '2026-11-16T08:00:00Z'}}\nitems:\n- ";
  const auto copied = load({write("a.yaml", list + std::string(kStrange))});
  EXPECT_EQ(problems(*copied), std::vector<std::string>{});
  EXPECT_EQ(copied->notes.size(), 2U);
  EXPECT_EQ(problems(*load({write("b.yaml", std::string(kStrange))})).size(), 2U);
}

TEST_F(ManifestsTest, looksAtTheFieldsOfAList) {
  const std::string file = write("a.yaml", "{apiVersion: v1, kind: List, itmes: []}");
  EXPECT_EQ(names(load({file})), file + ":1: List: itmes: unknown field, did you mean items?");
}

}  // namespace
}  // namespace tutti::session
