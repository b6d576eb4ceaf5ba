#include "kube/access/small_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/text.h"

namespace tutti::kube {

std::string why_unreadable(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return "Is a directory";
  if (access(path.c_str(), R_OK) == 0) return {};
  return std::generic_category().message(errno);
}

Result<std::string> read_small_file(const std::string& path) {
  if (const std::string why = why_unreadable(path); !why.empty()) {
    std::error_code ignored;
    const auto code =
        std::filesystem::exists(path, ignored) ? Error::Code::io : Error::Code::not_found;
    return Error{code, fmt::format("{}: cannot be read: {}", brief_line(path), why)};
  }
  std::ifstream in(path, std::ios::binary);
  std::string text(kSmallFileBytesMax + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (in.bad() || (!in.eof() && in.fail())) {
    return Error{Error::Code::io, fmt::format("{}: cannot be read", brief_line(path))};
  }
  if (text.size() > kSmallFileBytesMax) {
    return Error{Error::Code::io, fmt::format("{}: larger than {} MiB", brief_line(path),
                                              kSmallFileBytesMax >> 20U)};
  }
  text.shrink_to_fit();
  return text;
}

}  // namespace tutti::kube
