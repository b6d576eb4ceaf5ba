// Text in, objects or errors out: for tests of what the wire layer reads and writes.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "wire/decode/decode.h"
#include "wire/document.h"
#include "wire/encode/encode.h"
#include "wire/json_writer.h"
#include "wire/reader.h"

namespace tutti::wire {

// The one document of `text`, which must be readable.
inline Document document_of(std::string_view text) {
  std::optional<Document> found;
  const Status status = read_documents(text, [&](Document&& document) {
    found = std::move(document);
    return ok_status();
  });
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message) << "\n" << text;
  if (!found) found.emplace();
  return *std::move(found);
}

inline Result<std::shared_ptr<model::Object>> try_decode(std::string_view text, Decoder& decoder) {
  const Document document = document_of(text);
  return decode(document.root(), decoder);
}

// The object that `text` describes, which must be a valid one of kind T.
template <typename T>
std::shared_ptr<T> decode_as(std::string_view text, Decoder& decoder) {
  auto object = try_decode(text, decoder);
  EXPECT_TRUE(object.ok()) << (object.ok() ? "" : object.error().message) << "\n" << text;
  auto typed = object.ok() ? std::dynamic_pointer_cast<T>(*object) : nullptr;
  EXPECT_NE(typed, nullptr) << text;
  return typed != nullptr ? typed : std::make_shared<T>();
}

template <typename T>
std::shared_ptr<T> decode_as(std::string_view text) {
  Decoder decoder;
  return decode_as<T>(text, decoder);
}

// What is wrong with `text`; empty if nothing is.
inline std::string decode_error(std::string_view text) {
  Decoder decoder;
  const auto object = try_decode(text, decoder);
  return object.ok() ? std::string{} : object.error().message;
}

// The object as compact JSON.
inline std::string encode_text(const model::Object& object) {
  Document document;
  return to_json(encode(object, document));
}

}  // namespace tutti::wire
