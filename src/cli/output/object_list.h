// The objects of a store as a v1 List; a large cluster is never in memory as one document.
#pragma once

#include <ostream>

#include "cli/output/kind_names.h"
#include "session/manifests/list_writer.h"
#include "store/store.h"

namespace tutti::cli {

// Objects in order of kind (as model::Kind lists them), namespace and name. Requires json or yaml.
void write_objects(const store::Store& objects, const KindFilter& filter, session::Format format,
                   std::ostream& out);

}  // namespace tutti::cli
