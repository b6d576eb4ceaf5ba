// Larger limits of its queue: of what it may borrow, or of what it owns. Each by what is missing,
// and more only where those ahead would take that.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/requests/pending_reason.h"
#include "explain/request_verdict.h"
#include "quota/amount.h"
#include "whatif/quota/quota_ways.h"

namespace tutti::whatif {
namespace {

using explain::FlavorRoom;
using explain::ResourceRoom;

// Flavors of one resource group that are tried in turn.
constexpr std::size_t kPlansMax = 8;

// A flavor for each group of which none fits.
using Plan = std::vector<const FlavorRoom*>;

// Whether nobody has looked at it: those ahead are what it waits for.
bool is_untried(const QuotaAsker& asker) {
  const core::PendingReason* why = explain::pending_reason(asker.table(), asker.request());
  return why == nullptr || why->reason == core::Waits::pending_evaluation;
}

std::vector<Plan> plans_of(const QuotaAsker& asker) {
  std::map<std::size_t, std::vector<const FlavorRoom*>> by_group;
  std::map<std::size_t, bool> fits;
  const bool untried = is_untried(asker);
  for (const FlavorRoom& room : asker.rooms()) {
    if (room.usable() && (untried || !room.fits())) by_group[room.group].push_back(&room);
    fits[room.group] = fits[room.group] || room.fits();
  }
  // Where some flavor has quota and no place, another may have places and no quota.
  const bool places_are_missing =
      std::ranges::all_of(fits, [](const auto& group) { return group.second; });
  std::vector<Plan> plans;
  for (std::size_t turn = 0; turn < kPlansMax; ++turn) {
    Plan plan;
    bool news = turn == 0;
    for (const auto& [group, rooms] : by_group) {
      if (fits[group] && !places_are_missing) continue;
      news = news || turn < rooms.size();
      plan.push_back(rooms[std::min(turn, rooms.size() - 1)]);
    }
    if (!news || plan.empty()) break;
    plans.push_back(std::move(plan));
  }
  return plans;
}

// What others of the tree ask for who wait: of its own queue those ahead of it, of others all.
std::vector<const core::Request*> rivals_of(const QuotaAsker& asker) {
  const core::RequestTable& table = asker.table();
  const quota::Tree& tree = table.objects().tree();
  std::vector<const core::Request*> rivals;
  for (const core::Request* other : table.waiting(asker.request().queue)) {
    if (other == &asker.request()) break;
    rivals.push_back(other);
  }
  for (const auto& [name, line] : table.lines()) {
    const core::QuotaQueue* queue = table.objects().queue(name);
    if (queue == nullptr || queue == asker.queue()) continue;
    if (tree.root(queue->node) != tree.root(asker.queue()->node)) continue;
    rivals.insert(rivals.end(), line.all().begin(), line.all().end());
  }
  return rivals;
}

std::int64_t asked_by(const core::Request& request, const std::string& resource) {
  quota::Amount sum = 0;
  for (std::size_t i = 0; i < request.asks.size(); ++i) {
    const std::int64_t count = request.object->spec.pod_sets[i].count;
    const auto at = request.asks[i].find(resource);
    if (resource == core::kPodsName) sum += count;
    if (at != request.asks[i].end()) sum += quota::Amount{at->second} * count;
  }
  return quota::to_int64(sum);
}

enum class Limit : std::uint8_t { nominal, borrowing };

// What rivals take of the room that is free now: as much as they ask for, or nothing.
enum class FreeRoom : std::uint8_t { serves_rivals, is_out_of_reach };

// By how much a limit has to grow for what the request lacks and for what rivals ask for.
quota::Amount growth(const ResourceRoom& room, FreeRoom free,
                     std::span<const core::Request* const> rivals) {
  quota::Amount asked = 0;
  for (const core::Request* rival : rivals) asked += asked_by(*rival, room.resource);
  const quota::Amount missing = room.missing();
  if (free == FreeRoom::is_out_of_reach) return missing + asked;
  return std::max(missing, asked + room.need - room.free);
}

struct LargerQueue {
  std::shared_ptr<model::ClusterQueue> object;
  explain::ObjectChange change;
  std::vector<std::string> words;
};

// The queue with larger limits for what the plan lacks, and for what the first `rivals` ask for.
// Nothing: it has no such limits, or they are large enough.
std::optional<LargerQueue> larger(const QuotaAsker& asker, const Plan& plan, Limit limit,
                                  FreeRoom free, std::span<const core::Request* const> rivals) {
  LargerQueue out;
  out.object = std::make_shared<model::ClusterQueue>(*asker.queue()->object);
  out.change.objects = {name_of(*out.object)};
  for (const FlavorRoom* room : plan) {
    auto& amounts = out.object->spec.groups[room->group].flavors[room->flavor].amounts;
    for (std::size_t i = 0; i < amounts.size(); ++i) {
      const auto at =
          std::ranges::find(room->resources, amounts[i].resource, &ResourceRoom::resource);
      if (at == room->resources.end() || (!at->lacks() && rivals.empty())) continue;
      if (limit == Limit::borrowing && !at->borrowing_limit) continue;
      const quota::Amount more = growth(*at, free, rivals);
      if (more == 0) continue;
      const std::int64_t before = limit == Limit::nominal ? at->nominal : *at->borrowing_limit;
      const std::int64_t after = quota::to_int64(before + more);
      const std::string text = core::amount_text(at->resource, after);
      const std::string_view field = limit == Limit::nominal ? "nominalQuota" : "borrowingLimit";
      if (limit == Limit::nominal) {
        amounts[i].nominal = core::quantity_of(at->resource, after);
      } else {
        amounts[i].borrowing_limit = core::quantity_of(at->resource, after);
      }
      out.change.patch.push_back({"replace",
                                  fmt::format("/spec/resourceGroups/{}/flavors/{}/resources/{}/{}",
                                              room->group, room->flavor, i, field),
                                  explain::Datum::of(text)});
      out.words.push_back(fmt::format("{} {} of flavor {} (now {})", text, at->resource, room->name,
                                      core::amount_text(at->resource, before)));
    }
  }
  if (out.change.patch.empty()) return std::nullopt;
  return out;
}

struct Found {
  LargerQueue queue;
  Trial trial;
};

// The smaller growth is tried first; of what is free rivals may have no use.
std::optional<Found> try_larger(const QuotaAsker& asker, const Plan& plan, Limit limit,
                                std::span<const core::Request* const> rivals) {
  std::vector<std::string> tried;
  for (const FreeRoom free : {FreeRoom::serves_rivals, FreeRoom::is_out_of_reach}) {
    auto queue = larger(asker, plan, limit, free, rivals);
    if (!queue || queue->words == tried) continue;
    tried = queue->words;
    Trial trial = asker.try_change({.set = {queue->object}});
    if (trial.admitted) return Found{*std::move(queue), std::move(trial)};
  }
  return std::nullopt;
}

// Tries what is missing first. Where others take that, for as few of them as suffices.
std::optional<Found> smallest(const QuotaAsker& asker, const Plan& plan, Limit limit) {
  if (auto found = try_larger(asker, plan, limit, {})) return found;
  const auto rivals = rivals_of(asker);
  if (rivals.empty()) return std::nullopt;
  auto best = try_larger(asker, plan, limit, rivals);
  if (!best) return std::nullopt;
  std::size_t too_few = 0;
  std::size_t enough = rivals.size();
  while (enough - too_few > 1) {
    const std::size_t middle = too_few + (enough - too_few) / 2;
    if (auto found = try_larger(asker, plan, limit, std::span(rivals).first(middle))) {
      best = std::move(found);
      enough = middle;
    } else {
      too_few = middle;
    }
  }
  return best;
}

void add_limit_way(const QuotaAsker& asker, Limit limit, Ways& ways) {
  if (asker.queue() == nullptr) return;
  for (const Plan& plan : plans_of(asker)) {
    auto found = smallest(asker, plan, limit);
    if (!found) continue;
    const bool borrows = limit == Limit::borrowing;
    explain::Way way{borrows ? "borrow" : "raiseQuota",
                     fmt::format("{} {} {} {}", borrows ? "let queue" : "raise the quota of queue",
                                 asker.queue()->name(), borrows ? "borrow up to" : "to",
                                 fmt::join(found->queue.words, " and ")),
                     {std::move(found->queue.change)}};
    ways.push_back(with_evictions(std::move(way), found->trial));
    return;
  }
}

}  // namespace

void add_borrow_way(const QuotaAsker& asker, Ways& ways) {
  if (asker.queue() == nullptr || asker.queue()->object->spec.cohort.empty()) return;
  add_limit_way(asker, Limit::borrowing, ways);
}

void add_raise_way(const QuotaAsker& asker, Ways& ways) {
  add_limit_way(asker, Limit::nominal, ways);
}

}  // namespace tutti::whatif
