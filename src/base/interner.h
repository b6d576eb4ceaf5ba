// Strings as small dense numbers. Two strings are equal exactly when their ids are; ids count up
// from zero in order of first sight, so they index plain vectors and depend on nothing but that
// order.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <limits>

#include "base/check.h"
#include "base/std.h"

namespace tutti {

class Interner {
 public:
  Interner() = default;
  // The index views the stored strings: a copy would view its original's.
  Interner(const Interner&) = delete;
  Interner& operator=(const Interner&) = delete;
  Interner(Interner&&) = default;
  Interner& operator=(Interner&&) = default;

  // The id of `text`, made now if it is new. A hit does not allocate.
  std::uint32_t intern(std::string_view text) {
    if (const auto known = ids_.find(text); known != ids_.end()) return known->second;
    TUTTI_CHECK(texts_.size() < std::numeric_limits<std::uint32_t>::max());
    const auto id = static_cast<std::uint32_t>(texts_.size());
    ids_.emplace(texts_.emplace_back(text), id);
    return id;
  }

  std::optional<std::uint32_t> find(std::string_view text) const {
    const auto known = ids_.find(text);
    if (known == ids_.end()) return std::nullopt;
    return known->second;
  }

  // Valid as long as the interner lives, whatever is interned later. Requires an id it gave.
  std::string_view text(std::uint32_t id) const {
    TUTTI_CHECK(id < texts_.size());
    return texts_[id];
  }

  std::size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;  // by id; a deque never moves what it holds
  boost::unordered_flat_map<std::string_view, std::uint32_t> ids_;  // keys view texts_
};

}  // namespace tutti
