// Verdicts and reports as document trees, for -o json and -o yaml.
#pragma once

#include <functional>
#include <ostream>

#include "cli/object_list.h"
#include "explain/verdict.h"
#include "wire/document.h"

namespace tutti::cli {

// The tree that `walk` hands over. It lives in the arena of `document`, whose root is not touched.
wire::Value walked_value(const std::function<void(explain::FieldSink&)>& walk,
                         wire::Document& document);

wire::Value verdict_value(const explain::Verdict& verdict, wire::Document& document);

// As JSON or YAML. Requires one of these formats.
void write_value(const wire::Value& value, Format format, std::ostream& out);

}  // namespace tutti::cli
