// Where a field of a manifest stands, found again when there is something to say about it.
#pragma once

#include <deque>
#include <map>

#include "base/std.h"
#include "sim/script/script.h"
#include "wire/document.h"

namespace tutti::session {

// Trees are not kept while objects are loaded: most runs need no line but the objects' own. Reads
// the file again the first time it is asked for.
class FieldLines {
 public:
  // The line of the field ("spec.containers[0].image", "metadata.labels[app]") or, where it is not
  // written, of the innermost thing around it that is; the object's own when the file cannot be
  // read again.
  int operator()(const sim::LoadedObject& source, std::string_view path);

 private:
  struct File {
    std::deque<wire::Document> documents;
    std::map<std::uint32_t, const wire::Value*> objects;  // by line; the first of each
  };
  const File& file(const std::string& name);

  std::map<std::string, File> files_;
};

}  // namespace tutti::session
