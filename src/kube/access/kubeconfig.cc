#include "kube/access/kubeconfig.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "kube/access/kubeconfig_entries.h"
#include "kube/access/kubeconfig_files.h"
#include "kube/access/small_file.h"

namespace tutti::kube {
namespace {

constexpr std::string_view kAdvice = "name one with --kubeconfig or $KUBECONFIG";

std::vector<std::string> split_paths(std::string_view list) {
  std::vector<std::string> paths;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    std::string path(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
    if (!path.empty() && std::ranges::find(paths, path) == paths.end()) {
      paths.push_back(std::move(path));
    }
  }
  return paths;
}

std::vector<std::string> paths_of(const KubeconfigSource& source) {
  if (!source.path.empty()) return {source.path};
  if (auto paths = split_paths(source.environment); !paths.empty()) return paths;
  if (source.home.empty()) return {};
  return {source.home + "/.kube/config"};
}

// The entry of that name, or an error that says which there are.
Result<const KubeconfigEntry*> choose(const KubeconfigFiles::Entries& entries,
                                      const std::string& name, const KubeconfigEntry& context,
                                      std::string_view section) {
  const auto entry = entries.find(name);
  if (entry != entries.end()) return &entry->second;
  return context.error(fmt::format("{}: '{}' does not exist; there are: {}", section,
                                   brief_line(name), names_of(entries)));
}

Result<const KubeconfigEntry*> choose_context(const KubeconfigFiles& files, const std::string& name,
                                              std::string_view where) {
  const KubeconfigFiles::Entries& contexts = files.contexts();
  const std::string& chosen = name.empty() ? files.current_context() : name;
  if (chosen.empty()) {
    return Error{Error::Code::invalid,
                 fmt::format("{}: no current-context; choose one with --context: {}", where,
                             names_of(contexts))};
  }
  const auto entry = contexts.find(chosen);
  if (entry != contexts.end()) return &entry->second;
  return Error{
      Error::Code::invalid,
      fmt::format("{}: {}context '{}' does not exist; choose one with --context: {}", where,
                  name.empty() ? "current-" : "", brief_line(chosen), names_of(contexts))};
}

Result<Access> access_from(const KubeconfigFiles& files, const std::string& context_name,
                           std::string_view where) {
  TUTTI_ASSIGN(const KubeconfigEntry* context, choose_context(files, context_name, where));
  Access access;
  std::string cluster_name;
  std::string user_name;
  TUTTI_TRY(context->read([&](const wire::Field& at) {
    at.required("cluster", cluster_name);
    at("user", user_name);
    at("namespace", access.ns);
  }));
  TUTTI_ASSIGN(const KubeconfigEntry* cluster,
               choose(files.clusters(), cluster_name, *context, "cluster"));
  access.cluster_name = cluster_name;
  TUTTI_TRY(read_cluster(*cluster, access));
  if (user_name.empty()) return access;
  TUTTI_ASSIGN(const KubeconfigEntry* user, choose(files.users(), user_name, *context, "user"));
  TUTTI_TRY(read_user(*user, access));
  return access;
}

}  // namespace

Result<Access> parse_kubeconfig(std::string_view text, const std::string& file,
                                const std::string& context) {
  KubeconfigFiles files;
  TUTTI_TRY(files.add(text, file));
  return access_from(files, context, brief_line(file));
}

Result<Access> load_kubeconfig(const KubeconfigSource& source) {
  const std::vector<std::string> paths = paths_of(source);
  const std::string where = brief_line(fmt::format("{}", fmt::join(paths, ", ")));
  KubeconfigFiles files;
  bool found = false;
  for (const std::string& path : paths) {
    Result<std::string> text = read_small_file(path);
    if (!text.ok() && text.error().code == Error::Code::not_found) continue;
    if (!text.ok()) return std::move(text).error();
    found = true;
    TUTTI_TRY(files.add(*text, path));
  }
  if (!found) {
    return Error{Error::Code::not_found,
                 paths.empty() ? fmt::format("no kubeconfig; {}", kAdvice)
                               : fmt::format("{}: no such kubeconfig; {}", where, kAdvice)};
  }
  return access_from(files, source.context, where);
}

}  // namespace tutti::kube
