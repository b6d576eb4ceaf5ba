// A running 64-bit digest of everything decided, in order: two runs that agree on it agreed on
// every step. Fast and well mixed; no defence against someone who wants a collision.
#pragma once

#include "base/std.h"

namespace tutti {

class Digest {
 public:
  void add(std::uint64_t value) { state_ = mixed((state_ ^ value) + 0x9e3779b97f4a7c15); }

  // The length goes first, so "ab" then "c" differs from "a" then "bc".
  void add(std::string_view text) {
    add(std::uint64_t{text.size()});
    for (; text.size() > 8; text.remove_prefix(8)) add(little_endian(text.substr(0, 8)));
    add(little_endian(text));
  }

  std::uint64_t value() const { return state_; }

 private:
  // Read byte by byte so that every machine sees the same number; compilers make one load of it.
  static std::uint64_t little_endian(std::string_view bytes) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    }
    return word;
  }

  // The finaliser of splitmix64: a bijection in which every input bit reaches every output bit.
  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  std::uint64_t state_ = 0xcbf29ce484222325;
};

}  // namespace tutti
