// What changed in a store, in order.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "model/object.h"

namespace tutti::store {

struct WatchEvent {
  enum class Type : std::uint8_t { added, modified, deleted };
  Type type = Type::added;
  std::uint64_t version = 0;  // the resourceVersion this change made; every change has its own
  model::ObjectPtr before;    // null when added
  model::ObjectPtr after;     // null when deleted
  bool quiet = false;         // a fault drill: whoever acts on hints must not act on this one

  // The object as it is now, or as it last was.
  const model::Object& object() const { return after ? *after : *before; }
};

class Store;

// A reader's place in the history of one store, which must outlive it. Pulling is the only way to
// learn of changes, so no reader ever runs inside a write.
class Watch {
 public:
  // Reads the changes after `version`; 0 is the beginning.
  Watch(const Store& store, std::uint64_t version) : store_(&store), seen_(version) {}

  // The next changes, at most `max`, oldest first; empty when there are none. Error `gone` when the
  // store no longer keeps them: the reader must list again and watch from there.
  Result<std::vector<WatchEvent>> poll(std::size_t max);
  bool behind() const;
  // Everything up to this version was read.
  std::uint64_t seen() const { return seen_; }

 private:
  const Store* store_;
  std::uint64_t seen_;
};

}  // namespace tutti::store
