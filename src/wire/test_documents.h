// Shorthands of this folder's tests: text to documents, and errors to their message.
#pragma once

#include <gtest/gtest.h>

#include "base/std.h"
#include "wire/document.h"

namespace tutti::wire {

struct ReadOutcome {
  std::vector<Document> documents;
  std::string error;  // empty when all was read
};

template <typename Reader>
ReadOutcome collect(Reader read, std::string_view text) {
  ReadOutcome outcome;
  const Status status = read(text, [&outcome](Document&& document) {
    outcome.documents.push_back(std::move(document));
    return ok_status();
  });
  if (!status.ok()) outcome.error = status.error().message;
  return outcome;
}

// The only document of `text`; a failure and an empty document if there is not exactly one.
template <typename Reader>
Document only_document(Reader read, std::string_view text) {
  ReadOutcome outcome = collect(read, text);
  EXPECT_EQ(outcome.error, "") << text;
  EXPECT_EQ(outcome.documents.size(), 1U) << text;
  if (outcome.documents.size() != 1) return {};
  return std::move(outcome.documents.front());
}

}  // namespace tutti::wire
