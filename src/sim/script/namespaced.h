// Which objects are in a namespace.
#pragma once

#include "model/object.h"

namespace tutti::sim {

// Whether an object without a namespace is in "default". Of kinds that nobody has decoded only
// those that we understand are known to have one.
bool is_namespaced(const model::Object& object);

}  // namespace tutti::sim
