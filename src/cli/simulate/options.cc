#include "cli/simulate/options.h"

#include <algorithm>
#include <charconv>

namespace tutti::cli {
namespace {

constexpr std::int64_t kSeedsMax = 100'000;

std::optional<std::int64_t> seed_of(std::string_view text) {
  std::int64_t seed = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), seed);
  const bool whole = problem == std::errc{} && end == text.data() + text.size() && seed >= 0;
  return whole ? std::optional(seed) : std::nullopt;
}

}  // namespace

std::optional<std::vector<std::int64_t>> parse_seeds(std::string_view text) {
  std::vector<std::int64_t> seeds;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t dots = part.find("..");
    const auto first = seed_of(part.substr(0, std::min(dots, part.size())));
    const auto last = dots == std::string_view::npos ? first : seed_of(part.substr(dots + 2));
    if (!first || !last || *last < *first || *last - *first >= kSeedsMax) return std::nullopt;
    for (std::int64_t seed = *first; seed <= *last; ++seed) {
      if (std::ranges::find(seeds, seed) != seeds.end()) return std::nullopt;
      seeds.push_back(seed);
    }
  }
  return seeds;
}

}  // namespace tutti::cli
