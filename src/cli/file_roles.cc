#include "cli/file_roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/manifests.h"

namespace tutti::cli {
namespace {

namespace fs = std::filesystem;

Error misuse(std::string message) { return {Error::Code::invalid, std::move(message)}; }

// Devices and pipes may well be used twice.
bool same_regular_file(const std::string& one, const std::string& other) {
  std::error_code problem;
  return fs::is_regular_file(one, problem) && fs::equivalent(one, other, problem) && !problem;
}

bool is_among(const std::string& path, const std::vector<std::string>& others) {
  return std::ranges::any_of(
      others, [&](const std::string& other) { return same_regular_file(path, other); });
}

}  // namespace

Status check_file_roles(const SessionOptions& session, const std::string& expect,
                        const std::string& timeline) {
  std::vector<std::string> named = session.manifests.paths;
  named.insert(named.end(), {session.config, expect});
  if (std::ranges::count(named, "-") > 1) {
    return misuse("standard input (-) can be read only once, by one of -f, --config and --expect");
  }
  if (timeline == "-") {
    return misuse("--timeline: needs a file; standard output (-) has the result");
  }
  if (expect.empty() && timeline.empty()) return ok_status();

  TUTTI_ASSIGN(std::vector<std::string> inputs, manifest_files(session.manifests));
  if (is_among(expect, inputs)) {
    return misuse(fmt::format("--expect: {} is read as a manifest, too (-f)", expect));
  }
  inputs.insert(inputs.end(), {session.config, expect});
  if (is_among(timeline, inputs)) {
    return misuse(fmt::format("--timeline: {} is input and would be overwritten", timeline));
  }
  return ok_status();
}

}  // namespace tutti::cli
