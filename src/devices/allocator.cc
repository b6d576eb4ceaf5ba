#include "devices/allocator.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/digest.h"
#include "devices/capacity.h"
#include "devices/health.h"
#include "devices/packing.h"

namespace tutti::devices {
namespace {

bool usable_from(const Inventory& inventory, const Places& places, DeviceId device,
                 NodeIndex node) {
  const ReachId reach = inventory.device(device).reach;
  return inventory.is_wide(reach) ? places.reaches(reach, node) : places.own(node) == reach;
}

}  // namespace

std::vector<DeviceId> devices_at(const Inventory& inventory, const Places& places, NodeIndex node) {
  const auto local = inventory.pools_at(places.own(node));
  const auto wide = inventory.wide_pools();
  std::vector<DeviceId> found;
  const auto look_through = [&](PoolId pool) {
    for (const DeviceId device : inventory.pool(pool).devices) {
      if (usable_from(inventory, places, device, node)) found.push_back(device);
    }
  };
  auto next_local = local.begin();
  for (const PoolId pool : wide) {
    for (; next_local != local.end() && inventory.before(*next_local, pool); ++next_local) {
      look_through(*next_local);
    }
    if (next_local != local.end() && *next_local == pool) ++next_local;
    look_through(pool);
  }
  for (; next_local != local.end(); ++next_local) look_through(*next_local);
  return found;
}

std::string trouble_at(const Inventory& inventory, const Places& places, NodeIndex node) {
  for (const PoolId pool : inventory.troubled_pools()) {
    for (const ReachId reach : inventory.pool(pool).reaches) {
      const bool here =
          inventory.is_wide(reach) ? places.reaches(reach, node) : places.own(node) == reach;
      if (here) return inventory.pool(pool).problem;
    }
  }
  return {};
}

// One solve. Claims are numbered as the problems are.
class Allocator::Search {
 public:
  Search(Allocator& of, Ledger& ledger, std::span<const Problem> problems, Order order,
         std::size_t steps)
      : of_(of), ledger_(ledger), problems_(problems), order_(order), steps_left_(steps) {
    for (const auto& problem : problems) {
      claims_.push_back({ConstraintState(*problem.plan, of.attributes_), {}, {}});
      claims_.back().candidates.resize(problem.plan->requests.size());
      for (std::size_t r = 0; r < problem.plan->requests.size(); ++r) {
        claims_.back().candidates[r].resize(problem.plan->requests[r].wishes.size());
      }
    }
  }

  Solution run() {
    Solution solution;
    if (next_request(0, 0)) {
      solution.outcome = Solution::Outcome::found;
      for (auto& claim : claims_) solution.grants.push_back(std::move(claim.grant));
    } else if (!fault_.empty()) {
      solution.outcome = Solution::Outcome::fault;
      solution.fault = std::move(fault_);
    } else if (exhausted_) {
      solution.outcome = Solution::Outcome::exhausted;
    }
    return solution;
  }

 private:
  using Candidates = std::vector<DeviceId>;
  struct Claim {
    ConstraintState constraints;
    Grant grant;
    std::vector<std::vector<std::optional<Candidates>>> candidates;  // by request and wish
  };
  struct Place {  // of a pick
    std::size_t claim;
    std::size_t request;
    std::size_t wish;
  };

  bool stopped() const { return exhausted_ || !fault_.empty(); }

  const WishPlan& wish_at(const Place& at) const {
    return problems_[at.claim].plan->requests[at.request].wishes[at.wish];
  }

  // --- the order of decisions --------------------------------------------------------------------

  bool next_request(std::size_t claim, std::size_t request) {
    if (claim == problems_.size()) return true;
    const auto& requests = problems_[claim].plan->requests;
    if (request == requests.size()) return next_request(claim + 1, 0);
    for (std::size_t wish = 0; wish < requests[request].wishes.size(); ++wish) {
      if (try_wish({claim, request, wish})) return true;
      if (stopped()) return false;
    }
    return false;
  }

  bool try_wish(const Place& at) {
    const Candidates* found = candidates(at);
    if (found == nullptr) return false;
    const WishPlan& wish = wish_at(at);
    const std::size_t needed = wish.all ? found->size() : wish.count;
    if (needed == 0 || found->size() < needed) return false;
    if (claims_[at.claim].grant.size() + needed > kDevicesPerClaimMax) return false;
    if (wish.all) return take_all(at, *found, 0);
    if (order_ == Order::published) return take_next(at, *found, 0, needed);
    return take_next(at, packed(of_.inventory_, ledger_, *found), 0, needed);
  }

  // The devices of an All request have no alternatives.
  bool take_all(const Place& at, const Candidates& devices, std::size_t index) {
    if (index == devices.size()) return next_request(at.claim, at.request + 1);
    if (!spend_step() || !take(at, devices[index])) return false;
    if (take_all(at, devices, index + 1)) return true;
    undo(at);
    return false;
  }

  bool take_next(const Place& at, const Candidates& devices, std::size_t from, std::size_t needed) {
    if (needed == 0) return next_request(at.claim, at.request + 1);
    std::set<std::uint64_t> failed;
    for (std::size_t i = from; i + needed <= devices.size(); ++i) {
      if (!spend_step()) return false;
      if (!failed.empty() && failed.contains(likeness(devices[i]))) continue;
      if (!take(at, devices[i])) {
        if (stopped()) return false;
        continue;
      }
      if (take_next(at, devices, i + 1, needed - 1)) return true;
      undo(at);
      if (stopped()) return false;
      failed.insert(likeness(devices[i]));
    }
    return false;
  }

  bool spend_step() {
    if (steps_left_ == 0) exhausted_ = true;
    if (exhausted_) return false;
    --steps_left_;
    return true;
  }

  // --- one device --------------------------------------------------------------------------------

  bool take(const Place& at, DeviceId device) {
    const WishPlan& wish = wish_at(at);
    const DeviceEntry& entry = of_.inventory_.device(device);
    const bool shared = entry.device->allow_multiple;
    if (!free_for(at, device, shared)) return false;
    auto consumed = consumption(*entry.device, wish.capacity);
    if (!consumed) return false;
    if (shared && !wish.admin && !has_room(ledger_, device, *entry.device, *consumed)) return false;
    if (!ledger_.held(device) && !ledger_.counters_allow(device)) return false;
    if (forbidding_taint(entry, wish.tolerations) != nullptr) return false;
    Claim& claim = claims_[at.claim];
    if (claim.constraints.add(at.request, at.wish, device) >= 0) return false;
    Pick pick{static_cast<std::uint32_t>(at.request),
              static_cast<std::uint32_t>(at.wish),
              wish.admin,
              {device, shared && !wish.admin, {}}};
    if (pick.hold.share) pick.hold.consumed = *std::move(consumed);
    if (!pick.admin) ledger_.take(pick.hold);
    claim.grant.push_back(std::move(pick));
    return true;
  }

  void undo(const Place& at) {
    Claim& claim = claims_[at.claim];
    if (!claim.grant.back().admin) ledger_.give_back(claim.grant.back().hold);
    claim.grant.pop_back();
    claim.constraints.remove(at.request, at.wish);
  }

  bool free_for(const Place& at, DeviceId device, bool shared) const {
    if (wish_at(at).admin) {
      return std::ranges::none_of(claims_[at.claim].grant,
                                  [&](const Pick& pick) { return pick.hold.device == device; });
    }
    return shared ? !ledger_.dedicated(device) : !ledger_.held(device);
  }

  // --- what a wish may choose from ---------------------------------------------------------------

  // Null when a selector failed.
  const Candidates* candidates(const Place& at) {
    auto& known = claims_[at.claim].candidates[at.request][at.wish];
    if (!known) known = gather(at);
    return fault_.empty() ? &*known : nullptr;
  }

  Candidates gather(const Place& at) {
    const auto& nodes = problems_[at.claim].nodes;
    const WishPlan& wish = wish_at(at);
    if (wish.all) {
      // "All" of what cannot be counted has no answer.
      const std::string trouble = trouble_at(of_.inventory_, of_.places_, nodes.front());
      if (!trouble.empty()) {
        fault_ = fmt::format("request {}: {}", wish.name, trouble);
        return {};
      }
    }
    Candidates found;
    for (const DeviceId device : reachable(nodes.front())) {
      const bool everywhere = std::ranges::all_of(nodes.begin() + 1, nodes.end(), [&](NodeIndex n) {
        return usable_from(of_.inventory_, of_.places_, device, n);
      });
      if (!everywhere || !matches(wish, device)) continue;
      // What is tied to one node cannot serve several.
      if (nodes.size() > 1 && of_.inventory_.device(device).device->binds_to_node) continue;
      if (wish.all && !consumption(*of_.inventory_.device(device).device, wish.capacity)) continue;
      found.push_back(device);
    }
    return found;
  }

  const Candidates& reachable(NodeIndex node) {
    const auto [at, fresh] = reachable_.try_emplace(node);
    if (fresh) at->second = devices_at(of_.inventory_, of_.places_, node);
    return at->second;
  }

  bool matches(const WishPlan& wish, DeviceId device) {
    const DeviceEntry& entry = of_.inventory_.device(device);
    const std::string& driver = of_.inventory_.pool(entry.pool).driver;
    for (const SelectorId selector : wish.selectors) {
      const auto answer = of_.selectors_.answer(selector, device, driver, *entry.device);
      if (answer == SelectorTable::Answer::yes) continue;
      if (answer == SelectorTable::Answer::fault && fault_.empty()) {
        // Without the device's name: the same on all nodes, it is counted as one reason.
        fault_ = fmt::format("request {}: {}", wish.name, of_.selectors_.fault(selector, device));
      }
      return false;
    }
    return true;
  }

  // Equal for devices between which no wish of the problem can tell, now or later.
  std::uint64_t likeness(DeviceId device) {
    const DeviceEntry& entry = of_.inventory_.device(device);
    Digest digest;
    const bool unique = !entry.charges.empty() || entry.device->allow_multiple;
    digest.add(unique ? std::uint64_t{device.index} : ~std::uint64_t{0});
    if (unique) return digest.value();
    for (std::size_t c = 0; c < problems_.size(); ++c) add_likeness(digest, c, device);
    return digest.value();
  }

  void add_likeness(Digest& digest, std::size_t claim, DeviceId device) {
    const ClaimPlan& plan = *problems_[claim].plan;
    for (std::size_t r = 0; r < plan.requests.size(); ++r) {
      for (std::size_t w = 0; w < plan.requests[r].wishes.size(); ++w) {
        const WishPlan& wish = plan.requests[r].wishes[w];
        const Candidates* list = candidates({claim, r, w});
        const bool listed = list != nullptr && std::ranges::find(*list, device) != list->end();
        const DeviceEntry& entry = of_.inventory_.device(device);
        digest.add(std::uint64_t{listed && forbidding_taint(entry, wish.tolerations) == nullptr &&
                                 consumption(*entry.device, wish.capacity).has_value()});
      }
    }
    for (const auto& constraint : plan.constraints) {
      for (const std::uint32_t value : of_.attributes_.values(constraint.attribute, device)) {
        digest.add(std::uint64_t{value});
      }
      digest.add(~std::uint64_t{0});
    }
  }

  Allocator& of_;
  Ledger& ledger_;
  std::span<const Problem> problems_;
  Order order_;
  std::size_t steps_left_;
  bool exhausted_ = false;
  std::string fault_;
  std::vector<Claim> claims_;
  std::map<NodeIndex, Candidates> reachable_;
};

Solution Allocator::solve(Ledger& ledger, std::span<const Problem> problems, Order order,
                          std::size_t steps) {
  return Search(*this, ledger, problems, order, steps).run();
}

}  // namespace tutti::devices
