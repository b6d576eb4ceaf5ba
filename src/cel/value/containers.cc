#include "cel/value/containers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace tutti::cel {
namespace {

constexpr std::size_t kSmall = 8;  // entries that are searched one by one

// The integer a numeric key stands for. Negative ones are told from large unsigned ones by the
// sign.
struct WholeNumber {
  std::uint64_t bits = 0;
  bool negative = false;
  friend bool operator==(const WholeNumber&, const WholeNumber&) = default;
};

std::optional<WholeNumber> whole_number(const Value& value) {
  if (value.is(Kind::integer)) return WholeNumber{value.as_unsigned(), value.as_integer() < 0};
  if (value.is(Kind::unsigned_integer)) return WholeNumber{value.as_unsigned(), false};
  const double real = value.as_real();
  if (!(std::trunc(real) == real)) return std::nullopt;
  if (real >= -0x1p63 && real < 0x1p63) {
    const auto integer = static_cast<std::int64_t>(real);
    return WholeNumber{static_cast<std::uint64_t>(integer), integer < 0};
  }
  if (real >= 0 && real < 0x1p64) return WholeNumber{static_cast<std::uint64_t>(real), false};
  return std::nullopt;
}

std::uint64_t mixed(std::uint64_t bits) {
  bits ^= bits >> 33U;
  bits *= 0xff51afd7ed558ccdULL;
  return bits ^ (bits >> 29U);
}

std::uint64_t text_hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return mixed(hash);
}

std::uint64_t key_hash(const Value& key) {
  if (key.is(Kind::string)) return text_hash(key.as_text());
  if (key.is(Kind::boolean)) return key.as_boolean() ? 1 : 2;
  if (!key.is_number()) return 0;
  const auto number = whole_number(key);
  return number ? mixed(number->bits) : 0;
}

}  // namespace

bool ListBuilder::append(Arena& arena, const Value& value) {
  if (size_ == capacity_) {
    const std::size_t capacity = std::max<std::size_t>(kSmall, 2 * capacity_);
    auto* data = arena.array<Value>(capacity);
    if (data == nullptr) return false;
    std::copy_n(data_, size_, data);
    data_ = data;
    capacity_ = capacity;
  }
  data_[size_++] = value;
  return true;
}

Value ListBuilder::finish(Context& context) const {
  const auto* list = context.arena().create<ArrayList>(std::span<const Value>(data_, size_));
  return list == nullptr ? context.out_of_memory() : Value::list(*list);
}

bool is_key(const Value& value) {
  return value.is(Kind::string) || value.is(Kind::integer) || value.is(Kind::boolean) ||
         value.is(Kind::unsigned_integer);
}

bool same_key(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) {
    const auto left = whole_number(a);
    return left && left == whole_number(b);
  }
  if (a.kind() != b.kind()) return false;
  if (a.is(Kind::string)) return a.as_text() == b.as_text();
  return a.is(Kind::boolean) && a.as_boolean() == b.as_boolean();
}

std::size_t MapBuilder::Table::find(const Value& key) const {
  if (buckets == nullptr) {
    const auto* found =
        std::find_if(keys, keys + size, [&key](const Value& each) { return same_key(each, key); });
    return static_cast<std::size_t>(found - keys);
  }
  const std::size_t mask = bucket_count - 1;
  for (std::size_t at = key_hash(key) & mask; buckets[at] != 0; at = (at + 1) & mask) {
    if (same_key(keys[buckets[at] - 1], key)) return buckets[at] - 1;
  }
  return size;
}

bool MapBuilder::grow(Arena& arena) {
  const std::size_t capacity = std::max<std::size_t>(kSmall, 2 * capacity_);
  auto* keys = arena.array<Value>(capacity);
  auto* values = arena.array<Value>(capacity);
  if (keys == nullptr || values == nullptr) return false;
  std::copy_n(keys_, size_, keys);
  std::copy_n(values_, size_, values);
  keys_ = keys;
  values_ = values;
  capacity_ = capacity;
  if (capacity <= kSmall) return true;
  bucket_count_ = 2 * capacity;
  buckets_ = arena.array<std::uint32_t>(bucket_count_);
  if (buckets_ == nullptr) return false;
  for (std::size_t i = 0; i < size_; ++i) {
    std::size_t at = key_hash(keys_[i]) & (bucket_count_ - 1);
    while (buckets_[at] != 0) at = (at + 1) & (bucket_count_ - 1);
    buckets_[at] = static_cast<std::uint32_t>(i + 1);
  }
  return true;
}

MapBuilder::Put MapBuilder::put(Arena& arena, const Value& key, const Value& value) {
  if (table().find(key) != size_) return Put::repeated;
  if (size_ == capacity_ && !grow(arena)) return Put::out_of_memory;
  if (buckets_ != nullptr) {
    std::size_t at = key_hash(key) & (bucket_count_ - 1);
    while (buckets_[at] != 0) at = (at + 1) & (bucket_count_ - 1);
    buckets_[at] = static_cast<std::uint32_t>(size_ + 1);
  }
  keys_[size_] = key;
  values_[size_] = value;
  ++size_;
  return Put::done;
}

Value MapBuilder::finish(Context& context) const {
  const auto* map = context.arena().create<ArrayMap>(table());
  return map == nullptr ? context.out_of_memory() : Value::map(*map);
}

}  // namespace tutti::cel
