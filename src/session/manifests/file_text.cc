#include "session/manifests/file_text.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

namespace tutti::session {
namespace {

namespace fs = std::filesystem;

Error too_large(const std::string& path) {
  return {Error::Code::invalid, fmt::format("{}: larger than {} GiB", path, kMaxFileBytes >> 30U)};
}

// A stream without a known size: a pipe or the terminal.
Result<std::string> read_stream(const std::string& path, std::istream& in) {
  std::string text;
  std::string chunk(std::size_t{1} << 16, '\0');
  while (in.read(chunk.data(), static_cast<std::streamsize>(chunk.size())) || in.gcount() > 0) {
    text.append(chunk, 0, static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMaxFileBytes) return too_large(path);
  }
  if (in.bad()) return Error{Error::Code::io, path + ": reading failed"};
  return text;
}

Result<std::string> read_regular(const std::string& path, std::istream& in, std::uintmax_t size) {
  if (size > kMaxFileBytes) return too_large(path);
  std::string text(static_cast<std::size_t>(size), '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) return Error{Error::Code::io, path + ": reading failed"};
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

std::string line_at_place(const std::string& name, const std::string& message) {
  constexpr std::string_view kLine = "line ";
  constexpr std::string_view kMore = "… and";  // of a list of problems
  if (message.starts_with(kMore)) return message;
  const std::size_t end = message.find_first_not_of("0123456789", kLine.size());
  const bool has_line = message.starts_with(kLine) && end != kLine.size() &&
                        end != std::string::npos && message[end] == ':';
  if (!has_line) return name + ": " + message;
  return name + ":" + message.substr(kLine.size());
}

}  // namespace

Result<std::string> read_input(const std::string& path, std::istream& in) {
  if (path == "-") return read_stream("standard input", in);
  std::error_code problem;
  const fs::file_status status = fs::status(path, problem);
  if (status.type() == fs::file_type::not_found) {
    return Error{Error::Code::not_found, path + ": no such file"};
  }
  if (status.type() == fs::file_type::directory) {
    return Error{Error::Code::invalid, path + ": a folder where a file was expected"};
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{Error::Code::io, fmt::format("{}: {}", path, std::strerror(errno))};
  if (status.type() != fs::file_type::regular) return read_stream(path, file);
  const std::uintmax_t size = fs::file_size(path, problem);
  // The kernel's own files have no size and may still have content.
  return size == 0 ? read_stream(path, file) : read_regular(path, file, size);
}

std::string at_place(const std::string& file, const std::string& message) {
  const std::string name = file == "-" ? "standard input" : file;
  std::string text;
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = message.find('\n', begin);
    if (begin > 0) text += '\n';
    text += line_at_place(name, message.substr(begin, end - begin));
  }
  return text;
}

}  // namespace tutti::session
