// Lists and maps that an evaluation makes, and their builders. They live in an Arena.
#pragma once

#include "base/std.h"
#include "cel/value/context.h"
#include "cel/value/value.h"

namespace tutti::cel {

// A list over values that lie in an arena already.
class ArrayList final : public List {
 public:
  explicit ArrayList(std::span<const Value> elements) : elements_(elements) {}
  std::size_t size() const override { return elements_.size(); }
  Value at(std::size_t index) const override { return elements_[index]; }

 private:
  std::span<const Value> elements_;
};

// Grows by doubling; what it leaves behind in the arena is given back with all the rest.
class ListBuilder {
 public:
  // False when memory is out.
  bool append(Arena& arena, const Value& value);
  std::span<Value> elements() { return {data_, size_}; }
  Value finish(Context& context) const;

 private:
  Value* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

// Whether a value may be a key; 1, 1u and 1.0 are the same one.
bool is_key(const Value& value);
// Requires keys, or doubles that may equal one.
bool same_key(const Value& a, const Value& b);

// Keys in the order they were put in; found by hash once there are more than a few.
class MapBuilder {
 public:
  enum class Put : std::uint8_t { done, repeated, out_of_memory };
  Put put(Arena& arena, const Value& key, const Value& value);
  Value finish(Context& context) const;

  struct Table {
    const Value* keys = nullptr;
    const Value* values = nullptr;
    const std::uint32_t* buckets = nullptr;  // index + 1 of a key, 0 for none; null when small
    std::size_t bucket_count = 0;            // a power of two
    std::size_t size = 0;

    // size when there is no such key.
    std::size_t find(const Value& key) const;
  };

 private:
  bool grow(Arena& arena);

  Value* keys_ = nullptr;
  Value* values_ = nullptr;
  std::uint32_t* buckets_ = nullptr;
  std::size_t bucket_count_ = 0;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;

  Table table() const { return {keys_, values_, buckets_, bucket_count_, size_}; }
};

// A finished map; iterates in the order in which keys were put in.
class ArrayMap final : public Map {
 public:
  explicit ArrayMap(const MapBuilder::Table& table) : table_(table) {}
  Value find(const Value& key) const override {
    const std::size_t index = table_.find(key);
    return index == table_.size ? Value() : table_.values[index];
  }
  std::size_t size() const override { return table_.size; }
  Value key(std::size_t index) const override { return table_.keys[index]; }
  Value value(std::size_t index) const override { return table_.values[index]; }

 private:
  MapBuilder::Table table_;
};

}  // namespace tutti::cel
