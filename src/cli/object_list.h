// Objects as a v1 List, the way `kubectl get -o json|yaml` prints them. Written object by object:
// a large cluster is never in memory as one document.
#pragma once

#include <cstdint>
#include <ostream>

#include "cli/kind_names.h"
#include "store/store.h"

namespace tutti::cli {

enum class Format : std::uint8_t { table, json, yaml };

// Objects in order of kind (as model::Kind lists them), namespace and name. Requires json or yaml.
void write_objects(const store::Store& objects, const KindFilter& filter, Format format,
                   std::ostream& out);

}  // namespace tutti::cli
