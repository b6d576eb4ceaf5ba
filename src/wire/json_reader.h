// Reads JSON, one document or several in a row, with the line of every value.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "wire/document.h"

namespace tutti::wire {

// Hands each document to `sink` as soon as it ends; a document that is just `null` is skipped.
// Errors say "line N: …", counting from 1; documents before the error have been delivered.
Status read_json(std::string_view text, const DocumentSink& sink);

// A member that read_json_without() leaves out: of objects at this depth, where the document's own
// members are at depth 1, the one with this name is not built, whatever its value.
struct SkippedMember {
  std::string_view name;
  std::size_t depth = 0;
};
Status read_json_without(SkippedMember skipped, std::string_view text, const DocumentSink& sink);

// How far read_json_prefix() came: what follows may be in another syntax.
struct JsonProgress {
  Status status = ok_status();
  bool sink_failed = false;   // `status` is the sink's, not about the text
  std::size_t documents = 0;  // read so far
  std::size_t rest = 0;       // where the document that failed begins
  std::uint32_t rest_line = 1;
};
JsonProgress read_json_prefix(std::string_view text, const DocumentSink& sink);

}  // namespace tutti::wire
