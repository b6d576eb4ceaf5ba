// An object as a manifest says it.
#pragma once

#include <memory>
#include <string_view>

#include "base/check.h"
#include "model/object.h"
#include "wire/decode/decode.h"
#include "wire/reader.h"

namespace tutti::test {

// Of one document, which must be right.
inline std::shared_ptr<model::Object> decoded(std::string_view yaml) {
  std::shared_ptr<model::Object> made;
  const Status status = wire::read_documents(yaml, [&](wire::Document&& document) {
    wire::Decoder decoder;
    auto object = wire::decode(document.root(), decoder);
    TUTTI_CHECK(object.ok(), object.ok() ? "" : object.error().message);
    made = *std::move(object);
    return ok_status();
  });
  TUTTI_CHECK(status.ok(), status.ok() ? "" : status.error().message);
  return made;
}

}  // namespace tutti::test
