// TreeBuilder: assembles documents from the events of a reader, and holds what is true of every
// document whatever its syntax: it nests no deeper than kMaxDepth and its keys occur once.
//
// Containers under construction sit on two stacks and move into the arena, exactly sized, when they
// are closed; the stacks are reused from one document to the next.
#pragma once

#include <unordered_set>

#include "base/result.h"
#include "base/std.h"
#include "wire/document.h"
#include "wire/value.h"

namespace tutti::wire {

// An Error that says "line 7: …".
Error error_at(std::uint32_t line, std::string_view what);

class TreeBuilder {
 public:
  Arena& arena() { return document_.arena(); }

  Status open_array(std::uint32_t line);
  Status open_object(std::uint32_t line);
  // Closes the innermost open container and adds it to the one around it.
  Status close();
  // Adds a finished value to the innermost container, or makes it the root.
  void add(Value value);

  // What add() or close() added last. Requires that nothing happened since.
  const Value& last() const;

  // Names the next value. Requires an open object that awaits a key.
  void key(std::string_view text, std::uint32_t line);
  // Says that the next value is not a member but an object, or an array of objects, whose members
  // fill in those that the open object does not have itself (YAML's "<<").
  void merge_key(std::uint32_t line);

  std::size_t depth() const { return frames_.size(); }
  // Whether the innermost container is an object whose next event must be a key.
  bool awaits_key() const;

  // The finished document; the builder is then ready for the next. Requires depth() == 0.
  Document take();

 private:
  struct Frame {
    Value::Kind kind = Value::Kind::array;
    bool has_key = false;
    bool has_merge = false;
    std::uint32_t line = 0;
    std::size_t first = 0;  // where this container's elements begin on its stack
  };

  Status open(Value::Kind kind, std::uint32_t line);
  Status check_keys_once(std::size_t first);
  Status apply_merge(std::size_t first);
  Status merge_from(Value& source, std::uint32_t line, std::unordered_set<std::string_view>& taken);

  Document document_;
  std::vector<Frame> frames_;
  std::vector<Value> items_;
  std::vector<Member> members_;
  std::vector<const Member*> by_key_;  // scratch of check_keys_once
};

}  // namespace tutti::wire
