// A verdict as a document tree, for -o json and -o yaml.
#pragma once

#include "explain/verdict.h"
#include "wire/document.h"

namespace tutti::cli {

// The value lives in the arena of `document`, whose root is not touched.
wire::Value verdict_value(const explain::Verdict& verdict, wire::Document& document);

}  // namespace tutti::cli
