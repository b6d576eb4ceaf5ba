#include "whatif/unit_gains.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

namespace tutti::whatif {

UnitGains::UnitGains(const Rehearsal& rehearsal, const Headroom& headroom, const Units& units,
                     core::ResourceId scarce)
    : cluster_(rehearsal.cluster()),
      headroom_(headroom),
      units_(units),
      scarce_(scarce),
      domain_of_(headroom.domains(headroom.key())),
      gains_(units.size(), 0),
      amounts_(units.size(), 0) {
  std::vector<Share> shares;
  for (std::uint32_t unit = 0; unit < units.size(); ++unit) {
    weigh(unit);
    const std::size_t before = shares.size();
    add_shares(unit, shares);
    for (std::size_t i = before; i < shares.size(); ++i) {
      gains_[unit] = std::max(gains_[unit], shares[i].gain);
    }
  }
  largest_ = gains_.empty() ? 0 : std::ranges::max(gains_);
  least_amount_ = amounts_.empty() ? 0 : std::ranges::min(amounts_);
  sum_up(shares);
}

void UnitGains::weigh(std::uint32_t unit) {
  freed_.clear();
  for (const core::PodId pod : units_.running(unit)) {
    const core::PodEntry& entry = cluster_.pod(pod);
    const core::PodShape& shape = cluster_.shape(entry.shape);
    amounts_[unit] += shape.request(scarce_);
    if (domain_of_[entry.node.index] == core::kNoIndex) continue;
    freed_.emplace_back(entry.node, shape.request(headroom_.bottleneck(entry.node).resource));
  }
  std::ranges::sort(freed_);
}

// One for each domain it has pods in. What several of its pods free on one node adds up before it
// is rounded up to members.
void UnitGains::add_shares(std::uint32_t unit, std::vector<Share>& shares) {
  const std::size_t before = shares.size();
  for (std::size_t i = 0; i < freed_.size();) {
    const core::NodeId node = freed_[i].first;
    std::int64_t amount = 0;
    for (; i < freed_.size() && freed_[i].first == node; ++i) amount += freed_[i].second;
    const std::int64_t request = headroom_.bottleneck(node).amount;
    const std::uint32_t domain = domain_of_[node.index];
    const auto own = shares.begin() + static_cast<std::ptrdiff_t>(before);
    auto known = std::ranges::find(own, shares.end(), domain, &Share::domain);
    if (known == shares.end()) known = shares.insert(known, {domain, unit, 0});
    known->gain += (amount + request - 1) / request;
  }
}

void UnitGains::sum_up(const std::vector<Share>& shares) {
  const auto rooms = headroom_.by_domain(headroom_.key(), headroom_.rooms());
  std::vector<Domain> all(rooms.size());
  for (const Share& share : shares) all[share.domain].units.push_back({share.unit, share.gain});
  std::vector<std::int64_t> gains;
  missing_ = std::numeric_limits<std::int64_t>::max();
  for (std::size_t domain = 0; domain < all.size(); ++domain) {
    if (all[domain].units.empty()) continue;
    // Where there is room for all, something else than resources is in the way.
    const std::int64_t missing = headroom_.needed() - rooms[domain];
    gains.clear();
    std::ranges::transform(all[domain].units, std::back_inserter(gains), &Gain::members);
    std::ranges::sort(gains, std::greater<>{});
    std::int64_t sum = 0;
    std::size_t least = 0;
    while (least < gains.size() && (least == 0 || sum < missing)) sum += gains[least++];
    if (sum < missing) continue;
    if (!headroom_.key().empty()) {
      all[domain].value = cluster_.group_domains(headroom_.key()).values[domain];
    }
    all[domain].missing = missing;
    all[domain].least = least;
    all[domain].largest = gains.front();
    missing_ = std::min(missing_, missing);
    domains_.push_back(std::move(all[domain]));
  }
  std::ranges::stable_sort(domains_, {}, [](const Domain& domain) {
    return std::tuple(domain.least, domain.units.size(), std::string_view(domain.value));
  });
}

}  // namespace tutti::whatif
