// Document: a tree and the arena it lives in, as the readers deliver it.
#pragma once

#include <functional>

#include "base/result.h"
#include "base/std.h"
#include "wire/value.h"

namespace tutti::wire {

// The most text one document may have. Files may be larger: their documents are read one by one.
inline constexpr std::size_t kMaxDocumentBytes = std::size_t{64} << 20;

class Document {
 public:
  Document() : arena_(std::make_unique<Arena>()) {}

  Arena& arena() { return *arena_; }
  Value& root() { return root_; }
  const Value& root() const { return root_; }
  // Requires a value of this document's arena.
  void set_root(Value root) { root_ = std::move(root); }

 private:
  std::unique_ptr<Arena> arena_;
  Value root_;
};

// Takes each document in turn. An error ends the reading and is returned by the reader unchanged.
using DocumentSink = std::function<Status(Document&&)>;

}  // namespace tutti::wire
