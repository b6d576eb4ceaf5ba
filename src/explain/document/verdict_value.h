// What is walked as fields, verdicts first of all, as document trees for -o json and -o yaml.
#pragma once

#include <functional>

#include "explain/verdict/verdict.h"
#include "wire/document.h"

namespace tutti::explain {

// The tree that `walk` hands over. It lives in the arena of `document`, whose root is not touched.
wire::Value walked_value(const std::function<void(FieldSink&)>& walk, wire::Document& document);

wire::Value verdict_value(const Verdict& verdict, wire::Document& document);

}  // namespace tutti::explain
