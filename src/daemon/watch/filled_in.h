// What an API server filled in by itself, taken out again where it would read like a wish.
#pragma once

#include "model/object.h"

namespace tutti::daemon {

// A group whose disruptionMode `single` nobody wrote, without it; anything else as it is.
model::ObjectPtr as_written(const model::ObjectPtr& object);

}  // namespace tutti::daemon
