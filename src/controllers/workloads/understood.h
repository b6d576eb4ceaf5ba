// Which objects that nobody has decoded still mean something here.
#pragma once

#include "model/object.h"

namespace tutti::controllers {

// Workloads of the mapping, what they refer to, and groups of other schedulers.
bool is_understood(const model::Object& object);

}  // namespace tutti::controllers
