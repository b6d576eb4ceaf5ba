// The objects of a file of kubectl's, one at a time.
#pragma once

#include <functional>

#include "base/result.h"
#include "base/std.h"
#include "model/object.h"
#include "wire/decode/decode.h"

namespace tutti::trace {

// An object, and the document that it was read from.
using ObjectSink = std::function<Status(const model::Object& object, const wire::Value& document)>;

// Hands each object to `sink`: those of lists, and those that stand one after the other. Objects
// that cannot be read are counted in `skipped` if there is one; otherwise they end the reading.
// Errors begin with the file and the line.
Status each_object(const std::string& file, std::string_view text, std::size_t* skipped,
                   const ObjectSink& sink);

}  // namespace tutti::trace
