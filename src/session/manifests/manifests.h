// From the paths of -f to the objects in them.
#pragma once

#include <istream>

#include "base/result.h"
#include "base/std.h"
#include "base/time.h"
#include "sim/script/script.h"
#include "terminal/progress.h"
#include "wire/document.h"

namespace tutti::session {

// A real cluster as it was at one moment; each document is an array of objects.
struct LiveCluster {
  std::vector<wire::Document> pages;
  Instant taken_at;
};

struct ManifestPaths {
  std::vector<std::string> paths;  // files, folders, "-"
  bool recursive = false;          // folders with what is below them
  // Objects keep their documents, which only writing them out needs.
  bool keep_documents = false;
  // Fields and kinds that the API does not have are kept, with a note. So are those of a cluster
  // that was copied from life, which may be newer than we are.
  bool lenient = false;
  // A cluster that was read through its API server, beside the files.
  std::shared_ptr<const LiveCluster> cluster = {};

  bool none() const { return paths.empty() && cluster == nullptr; }
};

// Where there are several copies of real clusters, the last says when they were taken.
struct Manifests : sim::Input {
  // "3 objects of kind Foo (example.com/v1) are kept but not interpreted", one per kind or
  // field.
  std::vector<std::string> notes;
};

// The files that the paths stand for, "-" included. A folder without manifests is an error.
Result<std::vector<std::string>> manifest_files(const ManifestPaths& from);

// Reads the files; in a folder *.yaml, *.yml and *.json, in order of their names. What is wrong in
// them is among the problems; an error is a file that cannot be read, or no object at all.
Result<Manifests> load_manifests(const ManifestPaths& from, std::istream& in,
                                 terminal::Progress& progress);

}  // namespace tutti::session
