// Turns libyaml's complaints into messages for the person who wrote the manifest.
#pragma once

#include <yaml.h>

#include "base/result.h"
#include "base/std.h"

namespace tutti::wire {

// Requires a parser of `text` that has just failed, other than by its read handler.
Error explain_yaml_failure(const yaml_parser_t& parser, std::string_view text,
                           std::uint32_t first_line);

}  // namespace tutti::wire
