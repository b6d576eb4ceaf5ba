// A configuration file: exactly one document.
#pragma once

#include <fmt/format.h>

#include "base/result.h"
#include "base/std.h"
#include "wire/decode/field_reader.h"
#include "wire/reader.h"

namespace tutti::config {

// What `read` makes of the one document in the text; an error where there are more or none.
template <typename Read>
auto read_only_document(std::string_view text, const Read& read)
    -> Result<decltype(read(std::declval<const wire::Field&>()))> {
  std::optional<decltype(read(std::declval<const wire::Field&>()))> config;
  TUTTI_TRY(wire::read_documents(text, [&](wire::Document&& document) -> Status {
    if (config) {
      return Error{Error::Code::invalid,
                   fmt::format("line {}: a second document; one configuration was expected",
                               document.root().line())};
    }
    wire::FieldErrors errors;
    config = read(wire::Field(document.root(), errors));
    return wire::to_status(errors);
  }));
  if (!config) return Error{Error::Code::invalid, "no configuration: the file is empty"};
  return *std::move(config);
}

}  // namespace tutti::config
