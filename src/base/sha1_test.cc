#include "base/sha1.h"

#include <gtest/gtest.h>

namespace tutti {
namespace {

// The examples of FIPS 180, and lengths around the end of a block.
TEST(Sha1, isTheStandardsFunction) {
  struct Case {
    std::string text;
    std::string_view hex;
  };
  const Case cases[] = {
      {"", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
      {"abc", "a9993e364706816aba3e25717850c26c9cd0d89d"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "84983e441c3bd26ebaae4aa1f95129e5e54670f1"},
      {std::string(55, 'a'), "c1c8bbdc22796e28c0e15163d20899b65621d65a"},
      {std::string(64, 'a'), "0098ba824b5c16427bd7a1122a5a442a25ec644d"},
  };
  for (const auto& [text, hex] : cases) EXPECT_EQ(sha1_hex(text), hex) << text;
}

}  // namespace
}  // namespace tutti
