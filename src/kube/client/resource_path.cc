#include "kube/client/resource_path.h"

#include <fmt/format.h>

namespace tutti::kube {
namespace {

constexpr std::uint64_t kWatchSecondsMin = 300;

bool unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.' || c == '~';
}

void add(std::string& path, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  path += path.find('?') == std::string::npos ? '?' : '&';
  path.append(name).append("=").append(escaped(value));
}

std::string collection(const Resource& resource) {
  std::string path = group_path(resource.group_version) + "/" + resource.plural;
  add(path, "fieldSelector", resource.field_selector);
  return path;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (unreserved(c)) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::string group_path(std::string_view group_version) {
  const bool core = group_version.find('/') == std::string_view::npos;
  return fmt::format("/{}/{}", core ? "api" : "apis", group_version);
}

std::string list_path(const Resource& resource, int limit, std::string_view continue_token) {
  std::string path = collection(resource);
  if (limit > 0) add(path, "limit", fmt::to_string(limit));
  add(path, "continue", continue_token);
  return path;
}

std::string watch_path(const Resource& resource, std::string_view version, Random& random) {
  std::string path = collection(resource);
  add(path, "watch", "true");
  add(path, "allowWatchBookmarks", "true");
  add(path, "resourceVersion", version);
  add(path, "timeoutSeconds",
      fmt::to_string(kWatchSecondsMin + random.below(kWatchSecondsMin + 1)));
  return path;
}

}  // namespace tutti::kube
