// The fewest others that would have to end: one, where one is enough.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/requests/pending_reason.h"
#include "explain/request_verdict.h"
#include "explain/verdict/text.h"
#include "quota/amount.h"
#include "whatif/quota/quota_ways.h"

namespace tutti::whatif {
namespace {

// Holders that are tried one by one, and then together.
constexpr std::size_t kHoldersMax = 16;

using Holders = std::vector<const core::Request*>;

// What the request holds of flavors that the asker may use.
quota::Amount held_by(const QuotaAsker& asker, const core::Request& holder) {
  const quota::FlavorResources& names = asker.table().objects().tree().flavor_resources();
  quota::Amount sum = 0;
  for (const quota::Charge& charge : holder.charges) {
    const std::string_view flavor = names.name(names.flavor(charge.of));
    const std::string_view resource = names.name(names.resource(charge.of));
    for (const explain::FlavorRoom& room : asker.rooms()) {
      if (room.name != flavor) continue;
      const auto at = std::ranges::find(room.resources, resource, &explain::ResourceRoom::resource);
      // Resources are compared by what part of the need they are, in thousandths.
      if (at != room.resources.end() && at->need > 0) {
        sum += quota::Amount{charge.amount} * 1000 / at->need;
      }
    }
  }
  return sum;
}

// Puts whoever would do alone first, the smallest of them before: least is lost.
Holders holders_of(const QuotaAsker& asker) {
  std::vector<std::pair<quota::Amount, const core::Request*>> held;
  for (const auto& [name, request] : asker.table().all()) {
    if (!request->charged_to.valid() || request->stage == core::RequestStage::releasing) continue;
    const quota::Amount amount = held_by(asker, *request);
    if (amount > 0) held.emplace_back(amount, request.get());
  }
  std::ranges::stable_sort(held, {}, [](const auto& each) {
    const bool alone = each.first >= 1000;
    return std::pair(!alone, alone ? each.first : -each.first);
  });
  Holders holders;
  for (const auto& [amount, request] : held) {
    if (holders.size() < kHoldersMax) holders.push_back(request);
  }
  return holders;
}

Trial try_without(const QuotaAsker& asker, const Holders& some) {
  WorldChange change;
  for (const core::Request* holder : some) change.ended.push_back(model::key_of(*holder->object));
  return asker.try_change(change);
}

// One that is enough, or the first few of all that are, without those that need not go.
Holders fewest(const QuotaAsker& asker, const Holders& all) {
  for (const core::Request* one : all) {
    if (try_without(asker, {one}).admitted) return {one};
  }
  if (all.size() < 2 || !try_without(asker, all).admitted) return {};
  Holders some = all;
  for (std::size_t i = some.size(); i-- > 0 && some.size() > 1;) {
    Holders fewer = some;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (try_without(asker, fewer).admitted) some = std::move(fewer);
  }
  return some;
}

// "4 cpu of flavor a": what they hold of what the asker needs.
std::string freed_text(const QuotaAsker& asker, const Holders& some) {
  const quota::FlavorResources& names = asker.table().objects().tree().flavor_resources();
  std::map<std::pair<std::string, std::string>, quota::Amount> sums;
  for (const core::Request* holder : some) {
    for (const quota::Charge& charge : holder->charges) {
      const std::string flavor(names.name(names.flavor(charge.of)));
      const std::string resource(names.name(names.resource(charge.of)));
      const bool wanted = std::ranges::any_of(asker.rooms(), [&](const explain::FlavorRoom& room) {
        return room.name == flavor &&
               std::ranges::find(room.resources, resource, &explain::ResourceRoom::resource) !=
                   room.resources.end();
      });
      if (wanted && charge.amount > 0) sums[{flavor, resource}] += charge.amount;
    }
  }
  std::vector<std::string> parts;
  for (const auto& [pair, amount] : sums) {
    parts.push_back(fmt::format("{} {} of flavor {}",
                                core::amount_text(pair.second, quota::to_int64(amount)),
                                pair.second, pair.first));
  }
  return fmt::format("{}", fmt::join(parts, " and "));
}

}  // namespace

void add_leave_way(const QuotaAsker& asker, Ways& ways) {
  const Holders chosen = fewest(asker, holders_of(asker));
  if (chosen.empty()) return;
  const Trial trial = try_without(asker, chosen);
  explain::ObjectChange change;
  change.remove = true;
  std::vector<std::string> names;
  for (const core::Request* holder : chosen) {
    const QuotaAsker other(asker.world(), asker.table(), *holder);
    change.objects.push_back(name_of(other.author()));
    names.push_back(text_of(explain::author_of(*holder->object)));
  }
  ways.push_back(with_evictions(
      {"free",
       fmt::format("end {}, which frees {}", explain::first_of(names), freed_text(asker, chosen)),
       {std::move(change)}},
      trial));
}

}  // namespace tutti::whatif
