#include "daemon/writes/paths.h"

namespace tutti::daemon {

std::string api_root(std::string_view group_version) {
  const bool core_group = group_version.find('/') == std::string_view::npos;
  return std::string(core_group ? "/api/" : "/apis/").append(group_version);
}

std::string object_path(std::string_view group_version, std::string_view plural,
                        std::string_view ns, std::string_view name, std::string_view subresource) {
  std::string path = api_root(group_version);
  if (!ns.empty()) path.append("/namespaces/").append(ns);
  for (const std::string_view part : {plural, name, subresource}) {
    if (!part.empty()) path.append("/").append(part);
  }
  return path;
}

}  // namespace tutti::daemon
