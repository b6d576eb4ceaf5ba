#include "cli/input/file_roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/input/exit_code.h"
#include "session/manifests/manifests.h"

namespace tutti::cli {
namespace {

namespace fs = std::filesystem;

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

Status check_output_file(const session::SessionOptions& session, std::string_view option,
                         const std::string& path) {
  if (path.empty()) return ok_status();
  if (path == "-") {
    return misuse(fmt::format("{}: needs a file; standard output (-) has the result", option));
  }
  TUTTI_ASSIGN(std::vector<std::string> inputs, session::manifest_files(session.manifests));
  inputs.push_back(session.config);
  if (is_among(path, inputs)) {
    return misuse(fmt::format("{}: {} is input and would be overwritten", option, path));
  }
  return ok_status();
}

Status check_file_roles(const session::SessionOptions& session,
                        const std::vector<std::string>& expect, const std::string& timeline) {
  std::vector<std::string> named = session.manifests.paths;
  named.push_back(session.config);
  named.insert(named.end(), expect.begin(), expect.end());
  if (std::ranges::count(named, "-") > 1) {
    return misuse("standard input (-) can be read only once, by one of -f, --config and --expect");
  }
  TUTTI_TRY(check_output_file(session, "--timeline", timeline));
  if (expect.empty()) return ok_status();

  TUTTI_ASSIGN(const std::vector<std::string> inputs, session::manifest_files(session.manifests));
  for (const std::string& path : expect) {
    if (!is_among(path, inputs)) continue;
    return misuse(fmt::format("--expect: {} is read as a manifest, too (-f)", path));
  }
  if (is_among(timeline, expect)) {
    return misuse(fmt::format("--timeline: {} is input and would be overwritten", timeline));
  }
  return ok_status();
}

}  // namespace tutti::cli
