// KubeconfigFiles: the named entries of one or more kubeconfig files, merged but not yet read.
#pragma once

#include <deque>
#include <functional>
#include <map>

#include "base/result.h"
#include "base/std.h"
#include "wire/decode/field_reader.h"
#include "wire/document.h"

namespace tutti::kube {

struct KubeconfigEntry {
  std::string_view section;  // "cluster", "user" or "context"
  std::string name;
  std::string file;
  std::uint32_t line = 0;
  const wire::Value* value = nullptr;  // an object

  // Calls `body` with the entry's object; the error says file, line, entry and field.
  Status read(const std::function<void(const wire::Field&)>& body) const;
  // An error about the entry as a whole.
  Error error(std::string_view what) const;
  // A path that the entry gives, relative to its file.
  std::string resolve(const std::string& path) const;
};

class KubeconfigFiles {
 public:
  using Entries = std::map<std::string, KubeconfigEntry, std::less<>>;

  // Adds a file's entries below those of the files before.
  Status add(std::string_view text, const std::string& file);

  const Entries& clusters() const { return clusters_; }
  const Entries& users() const { return users_; }
  const Entries& contexts() const { return contexts_; }
  const std::string& current_context() const { return current_context_; }

 private:
  void read_file(const wire::Field& at, const std::string& file);
  void read_section(const wire::Field& at, std::string_view section, const std::string& file,
                    Entries& out);

  std::deque<wire::Document> documents_;  // what the entries point into
  Entries clusters_, users_, contexts_;
  std::string current_context_;
};

// "a, b, c": the names to choose from, "none" if there are none.
std::string names_of(const KubeconfigFiles::Entries& entries);

}  // namespace tutti::kube
