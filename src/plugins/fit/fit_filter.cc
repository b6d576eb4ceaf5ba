#include "plugins/fit/fit_filter.h"

#include <algorithm>
#include <string>

#include "plugins/fit/resources_fit.h"

namespace tutti::plugins {
namespace {

// The sign bit of `a < b`, right even where a - b overflows, in operations that exist in vector
// form everywhere.
std::uint64_t less_bit(std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint64_t>(a);
  const auto y = static_cast<std::uint64_t>(b);
  const std::uint64_t difference = x - y;
  return (difference ^ ((x ^ y) & (difference ^ x))) >> 63;
}

// Bit i is set iff the request exceeds what node i has free.
Bitset::Word misfits(const std::int64_t* allocatable, const std::int64_t* used, std::size_t count,
                     std::int64_t request) {
  Bitset::Word word = 0;
  for (std::size_t i = 0; i < count; ++i) {
    word |= less_bit(allocatable[i] - used[i], request) << i;
  }
  return word;
}

}  // namespace

FitFilter::FitFilter(const core::Cluster& cluster, std::vector<core::ResourceAmount> requests)
    : cluster_(cluster), requests_(std::move(requests)) {}

void FitFilter::filter(Bitset& nodes) const {
  const std::size_t slots = cluster_.nodes().slots();
  for (const auto& [resource, request] : requests_) {
    const auto allocatable = cluster_.resources().allocatable(resource);
    const auto used = cluster_.resources().used(resource);
    for (std::size_t w = 0, begin = 0; begin < slots; ++w, begin += Bitset::kWordBits) {
      const Bitset::Word word = nodes.word(w);
      if (word == 0) continue;
      const std::size_t count = std::min(slots - begin, Bitset::kWordBits);
      nodes.set_word(w, word & ~misfits(&allocatable[begin], &used[begin], count, request));
    }
  }
}

bool FitFilter::accepts(core::NodeId node) const {
  return std::ranges::all_of(requests_, [&](const core::ResourceAmount& asked) {
    const std::int64_t free = cluster_.resources().allocatable(asked.resource)[node.index] -
                              cluster_.resources().used(asked.resource)[node.index];
    return free >= asked.amount;
  });
}

std::vector<core::PluginStatus> FitFilter::explain(core::NodeId node) const {
  std::vector<core::PluginStatus> verdicts;
  bool never = false;
  for (const auto& [resource, request] : requests_) {
    const std::int64_t allocatable = cluster_.resources().allocatable(resource)[node.index];
    if (allocatable - cluster_.resources().used(resource)[node.index] >= request) continue;
    const bool slots = resource == core::kPods;
    // An empty node of zero pod slots could still be cured by nobody; kube-scheduler calls it
    // unschedulable all the same.
    never = never || (!slots && request > allocatable);
    core::PluginStatus verdict{
        core::Code::unschedulable, ResourcesFit::kName,
        slots ? "Too many pods"
              : "Insufficient " + std::string(cluster_.resources().name(resource))};
    verdicts.insert(slots ? verdicts.begin() : verdicts.end(), std::move(verdict));
  }
  // One resource that can never suffice makes the node hopeless whatever is evicted.
  if (never) {
    for (auto& verdict : verdicts) verdict.code = core::Code::unresolvable;
  }
  return verdicts;
}

}  // namespace tutti::plugins
