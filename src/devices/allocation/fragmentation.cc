#include "devices/allocation/fragmentation.h"

#include <algorithm>

#include "devices/allocation/domain_order.h"

namespace tutti::devices {
namespace {

constexpr std::int64_t kNode = 40'000;
constexpr std::int64_t kWidest = 16'000;  // half of it for every level below
constexpr std::int64_t kDevice = 20'000;
constexpr std::int64_t kSplit = 1'000;
constexpr std::int64_t kSpare = 3'000;
constexpr std::int64_t kThousand = 1000;

template <typename T>
void add_once(std::vector<T>& to, const T& value) {
  if (std::ranges::find(to, value) == to.end()) to.push_back(value);
}

}  // namespace

std::vector<LossMeter::Share> LossMeter::shares_of(std::span<const Problem> problems,
                                                   std::span<const Grant> grants) {
  std::vector<Share> shares;
  for (std::size_t i = 0; i < grants.size(); ++i) {
    const Pick* last = nullptr;
    for (const Pick& pick : grants[i]) {
      if (pick.admin) continue;
      if (last == nullptr || last->request != pick.request) {
        const WishPlan& wish = problems[i].plan->requests[pick.request].wishes[pick.wish];
        shares.push_back({&wish, kin_among(inventory_, selectors_, wish, devices_), {}});
      }
      last = &pick;
      shares.back().picks.push_back(&pick);
    }
  }
  return shares;
}

Loss LossMeter::measure(Ledger& ledger, std::span<const Problem> problems,
                        std::span<const Grant> grants) {
  Loss loss;
  auto shares = shares_of(problems, grants);
  for (Share& share : shares) share.points += broken_by(ledger, share);
  for (Share& share : shares) share.points += cut_out(ledger, share);
  std::int64_t total = 0;
  std::int64_t devices = 0;
  for (Share& share : shares) {
    share.points += to_spare(ledger, share);
    const auto count = static_cast<std::int64_t>(share.picks.size());
    total += share.points * count;
    devices += count;
  }
  for (const Share& share : shares) {
    for (const Pick* pick : share.picks) ledger.give_back(pick->hold);
  }
  for (const Share& share : shares) name_spans(share, loss);
  loss.points = devices == 0 ? 0 : total / devices;
  return loss;
}

std::int64_t LossMeter::broken_by(const Ledger& ledger, const Share& share) {
  const Packing packing{share.picks.size(), &share.wish->tolerations, domains_, share.kin};
  const bool whole = std::ranges::all_of(
      share.kin, [&](DeviceId device) { return untouched(inventory_, ledger, device, packing); });
  return (whole ? kNode : 0) + domains_broken_by(ledger, share, packing);
}

std::int64_t LossMeter::domains_broken_by(const Ledger& ledger, const Share& share,
                                          const Packing& packing) {
  const DomainOrder order(inventory_, ledger, attributes_, packing);
  std::int64_t points = 0;
  bool split = false;
  for (std::size_t level = 0; level < domains_.size(); ++level) {
    std::vector<std::uint32_t> taken_from;
    for (const Pick* pick : share.picks) {
      const auto domain = attributes_.domain(domains_[level], pick->hold.device);
      if (domain != kNoIndex) add_once(taken_from, domain);
    }
    split = split || taken_from.size() > 1;
    std::erase_if(taken_from, [&](std::uint32_t each) { return order.is_broken(level, each); });
    if (taken_from.empty()) continue;
    const auto in_them = std::ranges::count_if(share.kin, [&](DeviceId device) {
      return std::ranges::count(taken_from, attributes_.domain(domains_[level], device)) > 0;
    });
    points += (kWidest >> level) * in_them / static_cast<std::int64_t>(share.kin.size());
  }
  return points + (split ? kSplit : 0);
}

// Takes the devices one after the other: each finds what those before it left.
std::int64_t LossMeter::cut_out(Ledger& ledger, const Share& share) {
  std::int64_t parts = 0;  // in thousandths of a device
  for (const Pick* pick : share.picks) {
    const DeviceId device = pick->hold.device;
    if (!inventory_.device(device).charges.empty()) {
      const Cut cut = cut_by(inventory_, ledger, device);
      if (cut.there > 0) {
        parts += 3 * kThousand * cut.largest / (4 * cut.largest_there);
        parts += kThousand * cut.blocked / (4 * cut.there);
      }
    } else if (pick->hold.share && !ledger.held(device)) {
      parts += kThousand;
    }
    ledger.take(pick->hold);
  }
  return kDevice * parts / (kThousand * static_cast<std::int64_t>(share.picks.size()));
}

std::int64_t LossMeter::to_spare(const Ledger& ledger, const Share& share) {
  std::int64_t left = 0;
  for (const DeviceId device : share.kin) {
    left += kThousand - fullness(inventory_, ledger, device);
  }
  return kSpare * left / (kThousand * static_cast<std::int64_t>(share.kin.size()));
}

void LossMeter::name_spans(const Share& share, Loss& loss) {
  for (const Pick* pick : share.picks) {
    for (const AttributeId attribute : domains_) {
      const SpanId span = spans_.of(attribute, pick->hold.device);
      if (span.valid()) add_once(loss.spans, span);
    }
  }
}

}  // namespace tutti::devices
