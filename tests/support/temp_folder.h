// A folder of a test's own, gone when the test ends.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace tutti::test {

class TempFolder {
 public:
  TempFolder() : path_((std::filesystem::temp_directory_path() / "tutti-XXXXXX").string()) {
    EXPECT_NE(mkdtemp(path_.data()), nullptr);
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string path(const std::string& name) const { return path_ + "/" + name; }

  // Writes a file and returns its path; folders on the way are made.
  std::string write(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary | std::ios::trunc) << text;
    return path(name);
  }
  // The same for a shell script that may be run.
  std::string write_script(const std::string& name, std::string_view body) const {
    std::string file = write(name, std::string("#!/bin/sh\n").append(body));
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }

 private:
  std::string path_;
};

}  // namespace tutti::test
