#include "quota/share.h"

#include <algorithm>
#include <vector>

namespace tutti::quota {
namespace {

__extension__ typedef unsigned __int128 Wide;

// A product of three 64-bit numbers, exactly: high × 2^64 + low.
struct Product {
  Wide high = 0;
  std::uint64_t low = 0;
  auto operator<=>(const Product&) const = default;
};

Product product(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const Wide two = Wide{a} * b;
  const Wide low = Wide{static_cast<std::uint64_t>(two)} * c;
  return {.high = (two >> 64) * c + (low >> 64), .low = static_cast<std::uint64_t>(low)};
}

std::uint64_t bounded(Amount amount) { return static_cast<std::uint64_t>(to_int64(amount)); }

std::strong_ordering compare_ratios(const Share& left, const Share& right) {
  return Wide{left.borrowed} * right.lendable <=> Wide{right.borrowed} * left.lendable;
}

std::int64_t amount_of(std::span<const Charge> charges, FlavorResourceId of) {
  const auto found = std::find_if(charges.begin(), charges.end(),
                                  [&](const Charge& charge) { return charge.of == of; });
  return found == charges.end() ? 0 : found->amount;
}

bool infinite(const Share& share) { return share.weight.nano == 0 && share.borrowed > 0; }

}  // namespace

Share share_of(const Tree& tree, QuotaNodeId node, std::span<const Charge> more) {
  Share share{.weight = tree.weight(node)};
  if (!tree.has_parent(node)) return share;
  const QuotaNodeId parent = tree.parent(node);
  const auto all = tree.flavor_resources_of(tree.root(node));
  const auto& names = tree.flavor_resources();
  for (auto first = all.begin(); first != all.end();) {  // one run of flavors per resource
    const ResourceId resource = names.resource(*first);
    const auto last = std::find_if(
        first, all.end(), [&](FlavorResourceId of) { return names.resource(of) != resource; });
    Amount borrowed = 0, lendable = 0;
    for (auto of = first; of != last; ++of) {
      borrowed += tree.borrowed(node, *of, amount_of(more, *of));
    }
    if (borrowed > 0) {
      for (auto of = first; of != last; ++of) lendable += tree.potential(parent, *of);
      share.borrowing = true;
    }
    first = last;
    if (borrowed == 0 || lendable == 0) continue;
    Share candidate = share;
    candidate.borrowed = bounded(borrowed);
    candidate.lendable = bounded(lendable);
    candidate.dominant = resource;
    if (compare_ratios(candidate, share) > 0) share = candidate;
  }
  return share;
}

std::vector<Charge> above_of(const Tree& tree, QuotaNodeId node, std::span<const Charge> charges) {
  std::vector<Charge> above;
  for (const Charge& charge : charges) {
    const Amount shown = left_of(charge.amount, tree.local_available(node, charge.of));
    above.push_back({.of = charge.of, .amount = to_int64(shown)});
  }
  return above;
}

std::strong_ordering compare(const Share& left, const Share& right) {
  if (infinite(left) != infinite(right)) return infinite(left) <=> infinite(right);
  if (infinite(left)) return compare_ratios(left, right);
  // Whoever borrows nothing has share 0, whatever the weight; a product with weight 0 would hide
  // who is larger.
  if (left.borrowed == 0 || right.borrowed == 0) {
    return (left.borrowed > 0) <=> (right.borrowed > 0);
  }
  return product(left.borrowed, right.lendable, right.weight.nano) <=>
         product(right.borrowed, left.lendable, left.weight.nano);
}

std::int64_t weighted_share(const Share& share) {
  if (share.borrowed == 0) return 0;
  if (share.weight.nano == 0) return kInfiniteShare;
  // 63 bits of amount, 40 of constants.
  const Wide above = Wide{share.borrowed} * 1000 * Weight{}.nano;
  const Wide below = Wide{share.lendable} * share.weight.nano;
  const Wide whole = above / below + (above % below == 0 ? 0 : 1);
  return static_cast<std::int64_t>(std::min(whole, Wide{kInfiniteShare}));
}

}  // namespace tutti::quota
