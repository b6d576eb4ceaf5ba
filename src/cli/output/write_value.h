// A document tree on standard output.
#pragma once

#include <ostream>

#include "cli/output/object_list.h"
#include "wire/value.h"

namespace tutti::cli {

// As JSON or YAML. Requires one of these formats.
void write_value(const wire::Value& value, session::Format format, std::ostream& out);

}  // namespace tutti::cli
