// Ways in which the waiting pods ask for less of one resource. Of many kinds of members, as few as
// suffice ask for less, each for the same part of what it asked for.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "explain/verdict/text.h"
#include "whatif/largest_that_works.h"
#include "whatif/member_kinds.h"
#include "whatif/subsets.h"
#include "whatif/ways.h"

namespace tutti::whatif {
namespace {

// Parts of a request, in thousandths: all of it, and the least that it is lowered to, unless it is
// more than any node has: then a unit may have slipped (4000Gi for 4000Mi).
constexpr std::int64_t kWhole = 1000;
constexpr std::int64_t kLeast = 100;

// Bytes in which such a resource is told; 1: it is counted.
std::int64_t grain(std::string_view resource) {
  constexpr std::string_view kPages = "hugepages-";
  constexpr std::int64_t kMebi = 1 << 20;
  if (resource.starts_with(kPages)) {  // in whole pages, whose size the name tells
    const auto page = Quantity::parse(resource.substr(kPages.size()));
    return page.ok() ? std::max<std::int64_t>(page->milli() / 1000, 1) : 1;
  }
  return resource == "memory" || resource == "ephemeral-storage" ? kMebi : 1;
}

// An amount in steps, small enough for a difference to matter and large enough to be told.
struct Measure {
  std::int64_t present = 0;  // the amount, in the unit in which nodes count
  std::int64_t milli_per_step = 1000;
  std::int64_t steps = 0;  // of the present amount
  std::int64_t units_per_step = 1;

  bool countable() const {
    return steps > 0 && steps < std::numeric_limits<std::int64_t>::max() / milli_per_step / kWhole;
  }
  // Returns so many thousandths of the steps, rounded up.
  std::int64_t part(std::int64_t thousandths) const {
    return (steps * thousandths + kWhole - 1) / kWhole;
  }
  // The most steps with which no more than this is asked for.
  std::int64_t steps_within(std::int64_t amount) const {
    const std::int64_t less = present - amount;
    return steps - (less + units_per_step - 1) / units_per_step;
  }
  std::int64_t amount(std::int64_t asked) const {
    return present - (steps - asked) * units_per_step;
  }
};

Measure measure(std::string_view resource, std::int64_t amount) {
  if (resource == "cpu") return {amount, 1, amount};
  const std::int64_t bytes = grain(resource);
  if (amount < bytes) return {amount, 1000, amount};
  return {amount, bytes * 1000, amount / bytes, bytes};
}

// What one kind of members asks for of the resource.
struct Share {
  const MemberKind* kin;
  Measure unit;
};
using Shares = std::vector<const Share*>;

// What it is to ask for instead.
struct Offer {
  const Share* share;
  std::int64_t steps;
};
using Offers = std::vector<Offer>;

// Everyone asks for so many thousandths.
Offers offers_at(const Shares& shares, std::int64_t thousandths) {
  Offers offers;
  for (const Share* share : shares) {
    const std::int64_t steps = share->unit.part(thousandths);
    if (steps < share->unit.steps) offers.push_back({share, steps});
  }
  return offers;
}

class SmallerRequest {
 public:
  SmallerRequest(Rehearsal& rehearsal, const Headroom& headroom, core::ResourceId resource)
      : rehearsal_(rehearsal),
        headroom_(headroom),
        resource_(resource),
        name_(rehearsal.cluster().resources().name(resource)) {}

  void add_ways(const std::vector<MemberKind>& kin, Ways& ways);

 private:
  std::vector<Share> shares_of(const std::vector<MemberKind>& kin) const;
  // Empty when the pod cannot ask for so much less.
  std::vector<MemberKindEdit> edits_for(const Offers& offers) const;
  bool works(const Offers& offers);
  // For every node, even when empty.
  bool is_too_large(std::int64_t amount) const;
  // The most with which it works; empty: nothing does.
  Offers lower_one(const Share& share);
  Offers lower_all(const Shares& shares);
  std::string sentence(const Offers& offers, const Edits& edits) const;
  void add_way_for(const Shares& shares, Ways& ways);

  Rehearsal& rehearsal_;
  const Headroom& headroom_;
  core::ResourceId resource_;
  std::string name_;
  Rehearsal::Outcome last_;  // of what worked
};

std::vector<Share> SmallerRequest::shares_of(const std::vector<MemberKind>& kin) const {
  const core::Cluster& cluster = rehearsal_.cluster();
  std::vector<Share> shares;
  for (const MemberKind& one : kin) {
    const auto& shape = cluster.shape(cluster.pod(one.pods.front()).shape);
    const Measure unit = measure(name_, shape.request(resource_));
    if (unit.countable()) shares.push_back({&one, unit});
  }
  return shares;
}

Edits pointers(const std::vector<MemberKindEdit>& edits) {
  Edits all;
  for (const MemberKindEdit& edit : edits) all.push_back(&edit);
  return all;
}

std::vector<MemberKindEdit> SmallerRequest::edits_for(const Offers& offers) const {
  std::vector<MemberKindEdit> edits;
  for (const auto& [share, steps] : offers) {
    const std::int64_t less = (share->unit.steps - steps) * share->unit.milli_per_step;
    auto edit = asking_less(*share->kin->spec, name_, less);
    if (!edit) return {};
    edits.push_back({share->kin, std::move(*edit)});
  }
  return edits;
}

bool SmallerRequest::works(const Offers& offers) {
  const auto edits = edits_for(offers);
  if (edits.empty()) return false;
  auto outcome = outcome_with(rehearsal_, pointers(edits));
  const bool runs = outcome.runs;
  if (runs) last_ = std::move(outcome);
  return runs;
}

bool SmallerRequest::is_too_large(std::int64_t amount) const {
  const core::Cluster& cluster = rehearsal_.cluster();
  bool too_large = true;
  cluster.nodes().live().for_each_set([&](std::size_t node) {
    too_large &=
        cluster.resources().offered(resource_, {static_cast<std::uint32_t>(node)}) < amount;
  });
  return too_large;
}

Offers SmallerRequest::lower_one(const Share& share) {
  const Measure& unit = share.unit;
  const bool everyone = share.kin->pods.size() == rehearsal_.waiting().size();
  const std::int64_t bound =
      everyone ? unit.steps_within(headroom_.largest_request(resource_, unit.present - 1))
               : unit.steps - 1;
  const std::int64_t least = is_too_large(unit.present) ? 1 : unit.part(kLeast);
  const std::int64_t most = largest_up_to(least, bound, [&](std::int64_t steps) {
    return works({{&share, steps}});
  });
  return most < least ? Offers{} : Offers{{&share, most}};
}

Offers SmallerRequest::lower_all(const Shares& shares) {
  const std::int64_t most = largest_that_works(
      kLeast, kWhole - 1, [&](std::int64_t part) { return works(offers_at(shares, part)); });
  return most < kLeast ? Offers{} : offers_at(shares, most);
}

std::string SmallerRequest::sentence(const Offers& offers, const Edits& edits) const {
  const auto text = [&](std::int64_t amount) { return explain::amount_text(name_, amount); };
  const auto& [first, steps] = offers.front();
  if (offers.size() == 1) {
    return fmt::format("ask for {} {} per pod instead of {}{}", text(first->unit.amount(steps)),
                       name_, text(first->unit.present), whose(rehearsal_, edits));
  }
  std::vector<std::string> parts;
  for (const Offer& offer : offers) {
    const Measure& unit = offer.share->unit;
    parts.push_back(fmt::format("{} instead of {} ({})", text(unit.amount(offer.steps)),
                                text(unit.present), name_of(rehearsal_, *offer.share->kin)));
  }
  return fmt::format("ask for less {} per pod: {}", name_, explain::first_of(parts));
}

void SmallerRequest::add_way_for(const Shares& shares, Ways& ways) {
  const Offers offers = shares.size() == 1 ? lower_one(*shares.front()) : lower_all(shares);
  if (offers.empty()) return;
  const auto made = edits_for(offers);
  const Edits edits = pointers(made);
  add_way(rehearsal_, edits, sentence(offers, edits), last_, ways);
}

void SmallerRequest::add_ways(const std::vector<MemberKind>& kin, Ways& ways) {
  const std::vector<Share> shares = shares_of(kin);
  Shares all;
  for (const Share& share : shares) all.push_back(&share);
  if (all.size() == 1) return add_way_for(all, ways);
  // Members that ask for the most are the last to be left out.
  if (all.size() > kFewKinds) {
    std::ranges::stable_sort(all, {}, [](const Share* share) { return share->unit.present; });
  }
  for_each_sufficient(
      all, kFewKinds, kKindTries,
      [&](const Shares& some) { return works(offers_at(some, kLeast)); },
      [&](const Shares& some) { add_way_for(some, ways); });
}

// Collects the resources that any of these members ask for, in the order of ids.
std::set<core::ResourceId> resources_of(const Rehearsal& rehearsal,
                                        const std::vector<MemberKind>& kin) {
  std::set<core::ResourceId> resources;
  for (const MemberKind& one : kin) {
    const auto shape = rehearsal.cluster().pod(one.pods.front()).shape;
    for (const auto& request : rehearsal.cluster().shape(shape).requests) {
      if (request.resource != core::kPods) resources.insert(request.resource);
    }
  }
  return resources;
}

}  // namespace

void add_request_ways(Rehearsal& rehearsal, const Headroom& headroom, Ways& ways) {
  const std::vector<MemberKind> kin = kin_of(rehearsal);
  for (const core::ResourceId resource : resources_of(rehearsal, kin)) {
    SmallerRequest(rehearsal, headroom, resource).add_ways(kin, ways);
  }
}

}  // namespace tutti::whatif
