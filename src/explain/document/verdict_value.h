// A verdict as a document tree, for -o json and -o yaml.
#pragma once

#include "explain/verdict.h"
#include "wire/document.h"

namespace tutti::explain {

// The value lives in the arena of `document`, whose root is not touched.
wire::Value verdict_value(const Verdict& verdict, wire::Document& document);

}  // namespace tutti::explain
