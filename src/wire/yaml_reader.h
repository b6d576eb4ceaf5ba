// Reads YAML the way kubectl does: YAML 1.1 scalars (see plain_scalar.h), merge keys, aliases, keys
// of any scalar kind as their JSON text. Stricter in two places: a key set twice is an error, and
// so are .inf and .nan, which JSON cannot say.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "wire/document.h"

namespace tutti::wire {

// How much memory the anchors and aliases of one document may add.
inline constexpr std::size_t kMaxAliasBytes = std::size_t{64} << 20;

// Hands each document of the stream to `sink` as soon as it ends; empty ones are skipped. Errors
// say "line N: …", counting from `first_line`; documents before the error have been delivered.
Status read_yaml(std::string_view text, const DocumentSink& sink, std::uint32_t first_line = 1);

}  // namespace tutti::wire
