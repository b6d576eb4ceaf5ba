// From the paths of -f to the objects in them.
#pragma once

#include <istream>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/progress.h"
#include "sim/script.h"

namespace tutti::cli {

struct ManifestPaths {
  std::vector<std::string> paths;  // files, folders, "-"
  bool recursive = false;          // folders with what is below them
  // Objects keep their documents, which only writing them out needs.
  bool keep_documents = false;
};

struct Manifests {
  std::vector<sim::LoadedObject> objects;
  // "3 objects of kind Foo (example.com/v1) are kept but not interpreted", one per kind.
  std::vector<std::string> notes;
};

// The files that the paths stand for, "-" included. A folder without manifests is an error.
Result<std::vector<std::string>> manifest_files(const ManifestPaths& from);

// Of a folder the files *.yaml, *.yml and *.json are read, in order of their names. Errors say
// "file:line: Kind ns/name: field: …"; no objects at all is an error, too.
Result<Manifests> load_manifests(const ManifestPaths& from, std::istream& in, Progress& progress);

}  // namespace tutti::cli
