#include "devices/allocation/allocator.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <unordered_map>

#include "base/check.h"
#include "base/digest.h"
#include "devices/allocation/capacity.h"
#include "devices/allocation/counting_bound.h"
#include "devices/allocation/packing.h"
#include "devices/inventory/health.h"

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

std::vector<DeviceId> kin_among(const Inventory& inventory, SelectorTable& selectors,
                                const WishPlan& wish, std::span<const DeviceId> devices) {
  const auto of_class = std::span(wish.selectors).first(wish.class_selectors);
  std::vector<DeviceId> kin;
  std::ranges::copy_if(devices, std::back_inserter(kin), [&](DeviceId device) {
    const DeviceEntry& entry = inventory.device(device);
    return std::ranges::all_of(of_class, [&](SelectorId selector) {
      return selectors.answer(selector, device, inventory.pool(entry.pool).driver, *entry.device) ==
             SelectorTable::Answer::yes;
    });
  });
  return kin;
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
         std::size_t steps, std::span<const AttributeId> domains)
      : of_(of),
        ledger_(ledger),
        problems_(problems),
        order_(order),
        domains_(domains),
        steps_left_(steps) {
    for (const auto& problem : problems) {
      claims_.push_back({ConstraintState(*problem.plan, of.attributes_), {}, {}});
      claims_.back().offers.resize(problem.plan->requests.size());
      for (std::size_t r = 0; r < problem.plan->requests.size(); ++r) {
        claims_.back().offers[r].resize(problem.plan->requests[r].wishes.size());
      }
    }
  }

  Solution run() {
    Solution solution;
    if ((problems_.size() == 1 || counts_suffice()) && next_request(0, 0)) {
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

  std::size_t steps_left() const { return steps_left_; }

 private:
  using Candidates = std::vector<DeviceId>;
  // What a wish may choose from, or why that cannot be said.
  struct Offer {
    Candidates devices;
    std::string fault;
  };
  struct Claim {
    ConstraintState constraints;
    Grant grant;
    std::vector<std::vector<std::optional<Offer>>> offers;  // by request and wish
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
    const Offer& found = offer(at);
    if (!found.fault.empty()) {
      fault_ = found.fault;
      return false;
    }
    const WishPlan& wish = wish_at(at);
    const std::size_t needed = wish.all ? found.devices.size() : wish.count;
    if (needed == 0 || found.devices.size() < needed) return false;
    if (claims_[at.claim].grant.size() + needed > kDevicesPerClaimMax) return false;
    if (wish.all) return take_all(at, found.devices, 0);
    if (!can_go_on(at, found.devices, needed)) return false;
    if (order_ == Order::published || wish.admin) return take_next(at, found.devices, 0, needed);
    std::vector<DeviceId> kin;
    if (!domains_.empty()) {
      kin = kin_among(of_.inventory_, of_.selectors_, wish,
                      reachable(problems_[at.claim].nodes.front()));
    }
    const Packing packing{needed, &wish.tolerations, domains_, kin};
    return take_next(at, packed(of_.inventory_, ledger_, of_.attributes_, found.devices, packing),
                     0, needed);
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
      if (can_go_on(at, std::span(devices).subspan(i + 1), needed - 1) &&
          take_next(at, devices, i + 1, needed - 1)) {
        return true;
      }
      undo(at);
      if (stopped()) return false;
      failed.insert(likeness(devices[i]));
    }
    return false;
  }

  bool spend_step() { return spend(1); }

  bool spend(std::size_t steps) {
    exhausted_ = exhausted_ || steps_left_ < steps;
    if (exhausted_) return false;
    steps_left_ -= steps;
    return true;
  }

  // --- looking ahead -----------------------------------------------------------------------------

  // What a request is to be given yet and the devices that each of them may still be. Nothing where
  // that cannot be counted: alternatives, shares, and what does not compete for devices.
  std::optional<CountingBound::Need> need_of(const Place& at, std::span<const DeviceId> devices,
                                             std::size_t count) {
    const WishPlan& wish = wish_at(at);
    if (wish.all || wish.admin) return std::nullopt;
    const ConstraintState& constraints = claims_[at.claim].constraints;
    CountingBound::Need need{at.request, at.wish, count, {}};
    looked_at_ += devices.size();
    for (const DeviceId device : devices) {
      const DeviceEntry& entry = of_.inventory_.device(device);
      if (entry.device->allow_multiple) return std::nullopt;
      if (ledger_.held(device) || !ledger_.counters_allow(device)) continue;
      if (!constraints.allows(at.request, at.wish, device)) continue;
      if (forbidding_taint(entry, wish.tolerations) != nullptr) continue;
      if (!consumption(*entry.device, wish.capacity)) continue;
      need.devices.push_back(device);
    }
    return need;
  }

  std::optional<CountingBound::Need> need_of(std::size_t claim, std::size_t request) {
    const auto& wishes = problems_[claim].plan->requests[request].wishes;
    if (wishes.size() != 1) return std::nullopt;
    const Place at{claim, request, 0};
    const Offer& found = offer(at);
    if (!found.fault.empty()) return std::nullopt;
    return need_of(at, found.devices, wishes.front().count);
  }

  // False: the rest of this request and the requests of the claim behind it cannot be served beside
  // what is picked already. Worth asking only where constraints tie picks to each other.
  bool can_go_on(const Place& at, std::span<const DeviceId> rest, std::size_t count) {
    const ClaimPlan& plan = *problems_[at.claim].plan;
    if (plan.constraints.empty()) return true;
    CountingBound outlook(plan.constraints, of_.attributes_);
    if (auto need = need_of(at, rest, count)) outlook.add(*std::move(need));
    for (std::size_t r = at.request + 1; r < plan.requests.size(); ++r) {
      if (auto need = need_of(at.claim, r)) outlook.add(*std::move(need));
    }
    return pay_for_looks() && outlook.holds();
  }

  // Whether there are enough devices for all claims together, constraints apart.
  bool counts_suffice() {
    CountingBound outlook({}, of_.attributes_);
    for (std::size_t c = 0; c < problems_.size(); ++c) {
      for (std::size_t r = 0; r < problems_[c].plan->requests.size(); ++r) {
        if (auto need = need_of(c, r)) outlook.add(*std::move(need));
      }
    }
    return pay_for_looks() && outlook.holds();
  }

  // A look costs less than trying a device does.
  bool pay_for_looks() {
    constexpr std::size_t kLooksPerStep = 16;
    return spend(std::exchange(looked_at_, 0) / kLooksPerStep);
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
    TUTTI_CHECK(pick.admin || !ledger_.dedicated(device), "a device is granted twice");
    TUTTI_CHECK(pick.admin || pick.hold.share || !ledger_.held(device),
                "a shared one is taken whole");
    if (!pick.admin) ledger_.take(pick.hold);
    claim.grant.push_back(std::move(pick));
    return true;
  }

  void undo(const Place& at) {
    Claim& claim = claims_[at.claim];
    TUTTI_CHECK(!claim.grant.empty(), "what was never taken is undone");
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

  const Offer& offer(const Place& at) {
    auto& known = claims_[at.claim].offers[at.request][at.wish];
    if (!known) known = gather(at);
    return *known;
  }

  Offer gather(const Place& at) {
    const auto& nodes = problems_[at.claim].nodes;
    const WishPlan& wish = wish_at(at);
    Offer found;
    if (wish.all) {
      // "All" of what cannot be counted has no answer.
      const std::string trouble = trouble_at(of_.inventory_, of_.places_, nodes.front());
      if (!trouble.empty()) return {{}, fmt::format("request {}: {}", wish.name, trouble)};
    }
    const Candidates& here = reachable(nodes.front());
    looked_at_ += here.size();
    for (const DeviceId device : here) {
      const bool everywhere = std::ranges::all_of(nodes.begin() + 1, nodes.end(), [&](NodeIndex n) {
        return usable_from(of_.inventory_, of_.places_, device, n);
      });
      if (!everywhere || !matches(wish, device, found.fault)) continue;
      // What is tied to one node cannot serve several.
      if (nodes.size() > 1 && of_.inventory_.device(device).device->binds_to_node) continue;
      if (!wish.admin && !lies_within(of_.inventory_, device, problems_[at.claim].bounds)) {
        // "All" cannot leave out what lies elsewhere.
        if (wish.all) return {{}, found.fault};
        continue;
      }
      if (wish.all && !consumption(*of_.inventory_.device(device).device, wish.capacity)) continue;
      found.devices.push_back(device);
    }
    return found;
  }

  const Candidates& reachable(NodeIndex node) {
    const auto [at, fresh] = reachable_.try_emplace(node);
    if (fresh) at->second = devices_at(of_.inventory_, of_.places_, node);
    return at->second;
  }

  bool matches(const WishPlan& wish, DeviceId device, std::string& fault) {
    const DeviceEntry& entry = of_.inventory_.device(device);
    const std::string& driver = of_.inventory_.pool(entry.pool).driver;
    for (const SelectorId selector : wish.selectors) {
      const auto answer = of_.selectors_.answer(selector, device, driver, *entry.device);
      if (answer == SelectorTable::Answer::yes) continue;
      if (answer == SelectorTable::Answer::fault && fault.empty()) {
        // Without the device's name: the same on all nodes, it is counted as one reason.
        fault = fmt::format("request {}: {}", wish.name, of_.selectors_.fault(selector, device));
      }
      return false;
    }
    return true;
  }

  // Equal for devices between which no wish of the problem can tell, now or later.
  std::uint64_t likeness(DeviceId device) {
    const auto [at, fresh] = likenesses_.try_emplace(device, 0);
    if (fresh) at->second = work_out_likeness(device);
    return at->second;
  }

  std::uint64_t work_out_likeness(DeviceId device) {
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
        // A wish that has no answer ends the search when it comes to it, and not before.
        const Candidates& list = offer({claim, r, w}).devices;
        const bool listed = std::ranges::find(list, device) != list.end();
        looked_at_ += list.size();
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
  std::span<const AttributeId> domains_;
  std::size_t steps_left_;
  bool exhausted_ = false;
  std::string fault_;
  std::size_t looked_at_ = 0;  // devices, since the last payment
  std::vector<Claim> claims_;
  std::map<NodeIndex, Candidates> reachable_;
  std::unordered_map<DeviceId, std::uint64_t> likenesses_;
};

Solution Allocator::solve(Ledger& ledger, std::span<const Problem> problems, Order order,
                          std::size_t steps, std::span<const AttributeId> domains) {
  Search search(*this, ledger, problems, order, steps, domains);
  Solution solution = search.run();
  TUTTI_CHECK(search.steps_left() <= steps, "more is left than was granted");
  steps_ += steps - search.steps_left();
  return solution;
}

}  // namespace tutti::devices
