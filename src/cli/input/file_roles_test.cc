#include "cli/input/file_roles.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace tutti::cli {
namespace {

namespace fs = std::filesystem;

class FileRolesTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / (std::string("tutti-roles-") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    for (const char* name : {"scene.yaml", "other.txt"}) std::ofstream(folder_ / name) << "a: 1\n";
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string problem(const session::SessionOptions& session, const std::string& expect,
                      const std::string& timeline) const {
    const auto read = expect.empty() ? std::vector<std::string>{} : std::vector{expect};
    const Status status = check_file_roles(session, read, timeline);
    return status.ok() ? "" : status.error().message;
  }
  session::SessionOptions reading(std::vector<std::string> paths, std::string config = {}) const {
    session::SessionOptions session;
    session.manifests.paths = std::move(paths);
    session.config = std::move(config);
    return session;
  }

  fs::path folder_;
};

TEST_F(FileRolesTest, acceptsFilesThatDiffer) {
  EXPECT_EQ(problem(reading({folder_.string()}), path("other.txt"), path("new.jsonl")), "");
  EXPECT_EQ(problem(reading({path("scene.yaml")}, "-"), {}, path("other.txt")), "");
}

TEST_F(FileRolesTest, readsStandardInputOnce) {
  EXPECT_NE(problem(reading({"-", "-"}), {}, {}), "");
  EXPECT_NE(problem(reading({"-"}, "-"), {}, {}), "");
  EXPECT_NE(problem(reading({"-"}), "-", {}), "");
}

TEST_F(FileRolesTest, writesNoTimelineOverInputOrOutput) {
  const std::string below = (folder_ / "." / "scene.yaml").string();
  EXPECT_EQ(problem(reading({folder_.string()}), {}, below),
            "--timeline: " + below + " is input and would be overwritten");
  EXPECT_NE(problem(reading({path("scene.yaml")}), path("other.txt"), path("other.txt")), "");
  EXPECT_NE(problem(reading({path("scene.yaml")}, path("other.txt")), {}, path("other.txt")), "");
  EXPECT_NE(problem(reading({path("scene.yaml")}), {}, "-"), "");
}

TEST_F(FileRolesTest, readsNoManifestAsExpectations) {
  EXPECT_EQ(problem(reading({folder_.string()}), path("scene.yaml"), {}),
            "--expect: " + path("scene.yaml") + " is read as a manifest, too (-f)");
}

}  // namespace
}  // namespace tutti::cli
