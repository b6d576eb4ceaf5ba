// A kubeconfig, the file by which kubectl reaches clusters, as Access.
//
// What kubectl accepts and we do not do is refused rather than left out: the old auth-provider
// plugins, impersonation, exec plugins that insist on a terminal. Messages name file, line, entry
// and field, and never repeat a value that may be secret.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "kube/access/access.h"

namespace tutti::kube {

// Where to look. Filled in by who may read the environment.
struct KubeconfigSource {
  std::string path{};         // named by the user; the others then do not count
  std::string environment{};  // $KUBECONFIG: files joined by ':', of which some may be missing
  std::string home{};         // $HOME, whose .kube/config is the last resort
  std::string context{};      // empty: the file's current-context
};

// Reads the files and merges them as kubectl does: of entries with one name the first counts,
// whole, and so does the first current-context. Files that entries refer to are taken relative to
// the file of the entry and must be readable. not_found when there is no kubeconfig at all.
Result<Access> load_kubeconfig(const KubeconfigSource& source);

// One kubeconfig as text. `file` is its name in messages and where relative paths start.
Result<Access> parse_kubeconfig(std::string_view text, const std::string& file,
                                const std::string& context);

}  // namespace tutti::kube
