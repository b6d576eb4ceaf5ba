#include "base/sha1.h"

#include <array>
#include <bit>

namespace tutti {
namespace {

constexpr std::size_t kBlock = 64;

using State = std::array<std::uint32_t, 5>;

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t word = 0;
  for (const char byte : bytes) word = (word << 8U) | static_cast<unsigned char>(byte);
  return word;
}

// The function and the constant of a round.
std::pair<std::uint32_t, std::uint32_t> step(std::size_t round, const State& s) {
  if (round < 20) return {(s[1] & s[2]) | (~s[1] & s[3]), 0x5a827999U};
  if (round < 40) return {s[1] ^ s[2] ^ s[3], 0x6ed9eba1U};
  if (round < 60) return {(s[1] & s[2]) | (s[1] & s[3]) | (s[2] & s[3]), 0x8f1bbcdcU};
  return {s[1] ^ s[2] ^ s[3], 0xca62c1d6U};
}

void take_block(State& state, std::string_view block) {
  std::array<std::uint32_t, 80> words{};
  for (std::size_t i = 0; i < 16; ++i) words[i] = big_endian(block.substr(i * 4, 4));
  for (std::size_t i = 16; i < words.size(); ++i) {
    words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  }
  State s = state;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto [mixed, constant] = step(i, s);
    const std::uint32_t next = std::rotl(s[0], 5) + mixed + s[4] + constant + words[i];
    s = {next, s[0], std::rotl(s[1], 30), s[2], s[3]};
  }
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += s[i];
}

}  // namespace

std::string sha1_hex(std::string_view text) {
  State state = {0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U, 0xc3d2e1f0U};
  std::string padded(text);
  padded += '\x80';
  while (padded.size() % kBlock != kBlock - 8) padded += '\0';
  const std::uint64_t bits = std::uint64_t{text.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8) {
    padded += static_cast<char>((bits >> static_cast<unsigned>(shift)) & 0xffU);
  }
  for (std::size_t at = 0; at < padded.size(); at += kBlock) {
    take_block(state, std::string_view(padded).substr(at, kBlock));
  }
  std::string out;
  for (const std::uint32_t word : state) {
    for (int shift = 28; shift >= 0; shift -= 4) {
      out += "0123456789abcdef"[(word >> static_cast<unsigned>(shift)) & 0xfU];
    }
  }
  return out;
}

}  // namespace tutti
