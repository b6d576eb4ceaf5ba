// Reads manifests whatever their syntax.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "wire/document.h"

namespace tutti::wire {

// Hands each document of `text` to `sink` in order. Text that begins with { or [ is JSON, else
// YAML. Where such text turns out not to be JSON it is read as YAML, whose flow style looks alike;
// JSON documents may also be separated by "---". Errors say "line N: …"; documents before the error
// have been delivered.
Status read_documents(std::string_view text, const DocumentSink& sink);

}  // namespace tutti::wire
