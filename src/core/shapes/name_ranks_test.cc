#include "core/shapes/name_ranks.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/random.h"

namespace tutti::core {
namespace {

// Beside the ranks a map that sorts by itself.
struct RankedNames {
  std::string_view operator()(std::uint32_t index) const { return by_index.at(index); }
  void add(std::uint32_t index, const std::string& name) {
    by_index[index] = name;
    sorted[name] = index;
    ranks.add(index, *this);
  }
  void remove(std::uint32_t index) {
    ranks.remove(index);
    sorted.erase(by_index.at(index));
    by_index.erase(index);
  }
  void check() {
    const auto order = ranks.order(*this);
    ASSERT_EQ(order.size(), sorted.size());
    std::uint32_t rank = 0;
    for (const auto& [name, index] : sorted) {
      ASSERT_EQ(order[rank], index);
      ASSERT_EQ(ranks.ranks(*this)[index], rank++);
    }
  }

  std::map<std::uint32_t, std::string> by_index;
  std::map<std::string, std::uint32_t> sorted;
  NameRanks ranks;
};

TEST(NameRanks, giveEachNameItsPlaceAsItComes) {
  RankedNames names;
  names.add(0, "b");
  names.add(1, "d");
  names.check();
  names.add(2, "c");
  names.add(3, "a");
  names.add(4, "e");
  names.check();
}

TEST(NameRanks, haveNoneForANumberWithoutAName) {
  RankedNames names;
  names.add(0, "a");
  names.add(1, "b");
  names.remove(0);
  EXPECT_EQ(names.ranks.ranks(names)[0], kNoIndex);
  EXPECT_EQ(names.ranks.ranks(names)[1], 0U);
}

TEST(NameRanks, areThoseOfSortingHoweverNamesComeAndGo) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    RankedNames names;
    for (int step = 0; step < 200; ++step) {
      const auto index = static_cast<std::uint32_t>(random.below(20));
      if (names.by_index.contains(index)) {
        names.remove(index);
      } else {
        const std::string name = std::to_string(random.below(1000));
        if (!names.sorted.contains(name)) names.add(index, name);
      }
      if (random.below(3) == 0) names.check();
    }
    names.check();
  }
}

}  // namespace
}  // namespace tutti::core
