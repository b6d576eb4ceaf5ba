#include "base/digest.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <set>
#include <string>
#include <vector>

namespace tutti {
namespace {

std::uint64_t digest_of(const std::vector<std::string>& texts) {
  Digest digest;
  for (const auto& text : texts) digest.add(text);
  return digest.value();
}

TEST(Digest, dependsOnTheOrder) { EXPECT_NE(digest_of({"a", "b"}), digest_of({"b", "a"})); }

TEST(Digest, seesWhereOneTextEndsAndTheNextBegins) {
  const std::set<std::uint64_t> values = {digest_of({"ab", "c"}),
                                          digest_of({"a", "bc"}),
                                          digest_of({"abc"}),
                                          digest_of({"abc", ""}),
                                          digest_of({"", "abc"}),
                                          digest_of({}),
                                          digest_of({""}),
                                          digest_of({"", ""}),
                                          digest_of({"12345678"}),
                                          digest_of({"12345678", ""}),
                                          digest_of({std::string("\0", 1)})};
  EXPECT_EQ(values.size(), 11u);
}

TEST(Digest, tellsNumbersApart) {
  std::set<std::uint64_t> values;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    Digest digest;
    digest.add(i);
    values.insert(digest.value());
  }
  EXPECT_EQ(values.size(), 10'000u);
}

// Recorded digests are compared across machines and versions: the function may not drift.
TEST(Digest, keepsItsValue) {
  Digest digest;
  digest.add(std::uint64_t{42});
  digest.add("pod default/web-0 to node-17");
  EXPECT_EQ(digest.value(), 888472287117817863u);
}

RC_GTEST_PROP(DigestProperty, changesAboutHalfItsBitsWithOneOfTheInput, (std::uint64_t value)) {
  const auto bit = *rc::gen::inRange(0, 64);
  Digest a, b;
  a.add(value);
  b.add(value ^ (std::uint64_t{1} << bit));
  const int changed = std::popcount(a.value() ^ b.value());
  RC_ASSERT(changed > 8 && changed < 56);
}

}  // namespace
}  // namespace tutti
