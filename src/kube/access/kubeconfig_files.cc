#include "kube/access/kubeconfig_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "wire/reader.h"

namespace tutti::kube {
namespace {

using wire::Field;

std::string place(const std::string& file, std::uint32_t line) {
  return line == 0 ? brief_line(file) : fmt::format("{}:{}", brief_line(file), line);
}

Error error_in(const std::string& file, const wire::FieldError& error, std::string_view subject) {
  const std::string path = error.path.empty() ? "" : brief_line(error.path) + ": ";
  return {Error::Code::invalid,
          fmt::format("{}: {}{}{}", place(file, error.line), subject, path, error.message)};
}

// A word that a reader's message may repeat although it comes from the file.
bool is_field_name(std::string_view word) {
  static constexpr auto kNames = std::to_array<std::string_view>({"apiVersion",
                                                                  "args",
                                                                  "auth-provider",
                                                                  "certificate-authority",
                                                                  "certificate-authority-data",
                                                                  "client-certificate",
                                                                  "client-certificate-data",
                                                                  "client-key",
                                                                  "client-key-data",
                                                                  "cluster",
                                                                  "clusters",
                                                                  "command",
                                                                  "context",
                                                                  "contexts",
                                                                  "current-context",
                                                                  "exec",
                                                                  "extensions",
                                                                  "insecure-skip-tls-verify",
                                                                  "kind",
                                                                  "name",
                                                                  "namespace",
                                                                  "password",
                                                                  "preferences",
                                                                  "proxy-url",
                                                                  "server",
                                                                  "tls-server-name",
                                                                  "token",
                                                                  "tokenFile",
                                                                  "user",
                                                                  "username",
                                                                  "users"});
  return std::ranges::find(kNames, word) != kNames.end();
}

bool is_punctuation(char letter) { return std::ispunct(static_cast<unsigned char>(letter)) != 0; }

std::string_view without_punctuation(std::string_view word) {
  while (!word.empty() && is_punctuation(word.front())) word.remove_prefix(1);
  while (!word.empty() && is_punctuation(word.back())) word.remove_suffix(1);
  return word;
}

// Readers of YAML and JSON quote what they stumble over, and that may be a password. What a message
// shares with the file, field names aside, is left out of it; short words cannot be told from
// chance, and long ones may have been shortened.
std::string without_quotations(std::string_view message, std::string_view text) {
  constexpr std::size_t kShort = 4;
  constexpr std::size_t kLong = 24;
  std::vector<std::string_view> words;
  while (!message.empty()) {
    const std::size_t end = std::min(message.find(' '), message.size());
    const std::string_view word = message.substr(0, end);
    message.remove_prefix(std::min(end + 1, message.size()));
    const std::string_view core = without_punctuation(word);
    const bool quoted = core.size() >= kShort && !is_field_name(core) &&
                        (core.size() > kLong || text.find(core) != std::string_view::npos);
    words.push_back(quoted ? "…" : word);
  }
  return fmt::format("{}", fmt::join(words, " "));
}

// "FILE:7: …" from a reader's "line 7: …".
Error syntax_error(const Error& error, std::string_view text, const std::string& file) {
  std::string_view message = error.message;
  std::uint32_t line = 0;
  if (message.starts_with("line ")) {
    message.remove_prefix(5);
    while (!message.empty() && std::isdigit(static_cast<unsigned char>(message.front())) != 0) {
      line = line * 10 + static_cast<std::uint32_t>(message.front() - '0');
      message.remove_prefix(1);
    }
    message.remove_prefix(std::min<std::size_t>(2, message.size()));
  }
  return {Error::Code::malformed,
          fmt::format("{}: {}", place(file, line), without_quotations(message, text))};
}

void expect_kubeconfig(const Field& at) {
  std::string api_version;
  std::string kind;
  at("apiVersion", api_version);
  at("kind", kind);
  if (!api_version.empty() && api_version != "v1") {
    at.fail_member("apiVersion", "must be v1: is this a kubeconfig?");
  }
  if (!kind.empty() && kind != "Config") {
    at.fail_member("kind", "must be Config: is this a kubeconfig?");
  }
}

}  // namespace

Status KubeconfigEntry::read(const std::function<void(const Field&)>& body) const {
  wire::FieldErrors found;
  body(Field(*value, found));
  if (found.empty()) return ok_status();
  if (found.front().line == 0) found.front().line = line;
  return error_in(file, found.front(), fmt::format("{} '{}': ", section, brief_line(name)));
}

Error KubeconfigEntry::error(std::string_view what) const {
  return {Error::Code::invalid,
          fmt::format("{}: {} '{}': {}", place(file, line), section, brief_line(name), what)};
}

std::string KubeconfigEntry::resolve(const std::string& path) const {
  return (std::filesystem::path(file).parent_path() / path).string();
}

Status KubeconfigFiles::add(std::string_view text, const std::string& file) {
  const std::size_t before = documents_.size();
  const Status parsed = wire::read_documents(text, [&](wire::Document&& document) -> Status {
    documents_.push_back(std::move(document));
    return ok_status();
  });
  if (!parsed.ok()) return syntax_error(parsed.error(), text, file);
  if (documents_.size() == before)
    return ok_status();  // kubectl takes an empty file for no entries
  if (documents_.size() > before + 1) {
    return Error{Error::Code::invalid, fmt::format("{}: a second document; a kubeconfig is one",
                                                   place(file, documents_.back().root().line()))};
  }
  wire::FieldErrors errors;
  read_file(Field(documents_.back().root(), errors), file);
  if (!errors.empty()) return error_in(file, errors.front(), "");
  return ok_status();
}

void KubeconfigFiles::read_file(const Field& at, const std::string& file) {
  if (!at.expect_object()) return;
  expect_kubeconfig(at);
  std::string current;
  at("current-context", current);
  if (current_context_.empty()) current_context_ = std::move(current);
  at.member("clusters", [&](const Field& list) { read_section(list, "cluster", file, clusters_); });
  at.member("users", [&](const Field& list) { read_section(list, "user", file, users_); });
  at.member("contexts", [&](const Field& list) { read_section(list, "context", file, contexts_); });
}

void KubeconfigFiles::read_section(const Field& at, std::string_view section,
                                   const std::string& file, Entries& out) {
  std::set<std::string> seen;
  at.each_item([&](const Field& item) {
    KubeconfigEntry entry{section, {}, file, item.value().line(), nullptr};
    item.required("name", entry.name);
    item.required_member(section, [&](const Field& field) {
      if (field.expect_object()) entry.value = &field.value();
    });
    if (item.failed()) return;
    if (!seen.insert(entry.name).second) {
      return item.fail(fmt::format("a second {} '{}'", section, brief_line(entry.name)));
    }
    const std::string name = entry.name;
    out.emplace(name, std::move(entry));
  });
}

std::string names_of(const KubeconfigFiles::Entries& entries) {
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (const auto& [name, entry] : entries) names.push_back(name);
  return names.empty() ? "none" : brief_line(fmt::format("{}", fmt::join(names, ", ")));
}

}  // namespace tutti::kube
