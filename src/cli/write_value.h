// A document tree on standard output.
#pragma once

#include <ostream>

#include "cli/object_list.h"
#include "wire/value.h"

namespace tutti::cli {

// As JSON or YAML. Requires one of these formats.
void write_value(const wire::Value& value, Format format, std::ostream& out);

}  // namespace tutti::cli
