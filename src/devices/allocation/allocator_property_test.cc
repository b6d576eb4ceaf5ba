// The allocator against trying everything, on random small inventories: it finds devices exactly
// when there are any, never overdraws a counter or a capacity, and leaves no trace when it fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "base/random.h"
#include "devices/allocation/capacity.h"
#include "devices/inventory/health.h"
#include "support/device_build.h"

namespace tutti::devices {
namespace {

using test::claim;
using test::device;
using test::wish;

constexpr int kInventories = 12'000;
constexpr NodeIndex kNodes = 2;

// --- random worlds -------------------------------------------------------------------------------

struct World {
  test::NumberedNodes places;
  DeviceState device_state{places};
  std::vector<model::ClaimSpec> specs;
  std::vector<NodeIndex> nodes;  // of each claim

  World() { places.look_at(device_state.inventory()); }
};

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  enum class Reach : std::uint8_t { any, one_node };
  void make(World& world, Reach reach = Reach::any) {
    world.device_state.set(test::device_class("gpu"));
    const bool counters = one_in(2);
    for (NodeIndex n = 0; n < kNodes; ++n) publish(world, "n" + std::to_string(n), counters);
    if (reach == Reach::any && one_in(3)) publish(world, "", false);
    const std::size_t claims = 1 + random_.below(2);
    for (std::size_t c = 0; c < claims; ++c) {
      world.specs.push_back(random_claim(claims == 1 ? 2 : 1 + (c == 0)));
      world.nodes.push_back(static_cast<NodeIndex>(random_.below(kNodes)));
    }
  }

  bool one_in(std::uint64_t n) { return random_.below(n) == 0; }
  std::uint64_t below(std::uint64_t n) { return random_.below(n); }

 private:
  void publish(World& world, const std::string& node, bool counters) {
    std::vector<model::Device> devices;
    const std::size_t count = 1 + random_.below(3);
    for (std::size_t i = 0; i < count; ++i) devices.push_back(random_device(i, counters));
    auto made = test::slice("s" + node, "pool" + node, node, std::move(devices));
    made->slice_count = counters ? 2 : 1;
    world.device_state.set(made);
    if (!counters) return;
    auto sets = test::slice("c" + node, "pool" + node, node, {});
    sets->slice_count = 2;
    sets->shared_counters = {
        {"set",
         {{"a", Quantity::from_units(static_cast<std::int64_t>(2 + below(4)))},
          {"b", Quantity::from_units(static_cast<std::int64_t>(1 + below(4)))}}}};
    world.device_state.set(sets);
  }

  model::Device random_device(std::size_t index, bool counters) {
    auto made = device("d" + std::to_string(index)).kind(one_in(2) ? "a" : "b");
    if (!one_in(5)) made.attribute("example.com/group", static_cast<std::int64_t>(below(2)));
    if (one_in(6)) made.taint("sick", one_in(2) ? "NoSchedule" : "None");
    if (one_in(3)) {
      made.capacity("memory", std::to_string(2 + below(4)));
      if (one_in(2)) made.shared();
    }
    if (counters && !one_in(4)) made.consumes("set", "a", std::to_string(below(4)));
    if (counters && one_in(2)) made.consumes("set", "b", std::to_string(1 + below(2)));
    return made;
  }

  model::DeviceWish random_wish(std::string name) {
    auto made = wish("gpu").named(std::move(name)).count(static_cast<std::int64_t>(1 + below(2)));
    if (one_in(6)) made.all();
    if (one_in(2)) made.of_kind(one_in(2) ? "a" : "b");
    if (one_in(4)) made.tolerates("sick");
    if (one_in(5)) made.capacity("memory", std::to_string(1 + below(3)));
    return made;
  }

  model::ClaimSpec random_claim(std::size_t requests) {
    auto made = claim("c");
    for (std::size_t r = 0; r < requests; ++r) {
      const std::string name = "r" + std::to_string(r);
      if (one_in(4)) {
        made.first_available(name, {random_wish("x"), random_wish("y")});
      } else {
        model::DeviceWish exactly = random_wish({});
        exactly.admin_access = one_in(10);
        made.request(name, exactly);
      }
    }
    if (one_in(3)) made.match("example.com/group");
    if (one_in(5)) made.distinct("gpu.example.com/kind");
    return made.spec();
  }

  Random random_;
};

// --- trying everything ---------------------------------------------------------------------------

struct Chosen {
  std::size_t claim;
  std::size_t request;
  const WishPlan* wish;
  std::vector<DeviceId> devices;
};

class Everything {
 public:
  explicit Everything(World& world) : world_(world) {
    for (const auto& spec : world.specs) {
      plans_.push_back(&world.device_state.plans().plan(plan_of(world, spec)));
    }
  }

  static PlanId plan_of(World& world, const model::ClaimSpec& spec) {
    // A claim of the spec makes its plan known.
    auto object = std::make_shared<model::ResourceClaim>();
    object->meta.ns = "plans";
    object->meta.name = "p" + std::to_string(world.device_state.claims_version());
    object->spec = spec;
    world.device_state.set(object);
    return world.device_state.claim(world.device_state.find_claim("plans", object->meta.name)).plan;
  }

  bool exists() { return choose(0, 0); }
  const std::vector<const ClaimPlan*>& plans() const { return plans_; }

 private:
  bool choose(std::size_t c, std::size_t r) {
    if (c == plans_.size()) return valid();
    if (r == plans_[c]->requests.size()) return choose(c + 1, 0);
    for (const auto& wish : plans_[c]->requests[r].wishes) {
      const auto matching = matching_devices(c, wish);
      if (wish.all) {
        if (matching.empty()) continue;
        chosen_.push_back({c, r, &wish, matching});
        if (choose(c, r + 1)) return true;
        chosen_.pop_back();
      } else if (subsets(c, r, wish, matching, 0, {})) {
        return true;
      }
    }
    return false;
  }

  bool subsets(std::size_t c, std::size_t r, const WishPlan& wish,
               const std::vector<DeviceId>& from, std::size_t next, std::vector<DeviceId> picked) {
    if (picked.size() == wish.count) {
      chosen_.push_back({c, r, &wish, picked});
      if (choose(c, r + 1)) return true;
      chosen_.pop_back();
      return false;
    }
    for (std::size_t i = next; i < from.size(); ++i) {
      picked.push_back(from[i]);
      if (subsets(c, r, wish, from, i + 1, picked)) return true;
      picked.pop_back();
    }
    return false;
  }

  std::vector<DeviceId> matching_devices(std::size_t c, const WishPlan& wish) {
    std::vector<DeviceId> found;
    auto& device_state = world_.device_state;
    for (const DeviceId id : devices_at(device_state.inventory(), world_.places, world_.nodes[c])) {
      const auto& entry = device_state.inventory().device(id);
      const bool takes = std::ranges::all_of(wish.selectors, [&](SelectorId selector) {
        return device_state.selectors().answer(selector, id, test::kDriver, *entry.device) ==
               SelectorTable::Answer::yes;
      });
      if (!takes) continue;
      if (wish.all && !consumption(*entry.device, wish.capacity)) continue;
      found.push_back(id);
    }
    return found;
  }

  // The rules, one by one, over a complete choice.
  bool valid() {
    return healthy() && dedicated_once() && within_capacity() && within_counters() && constrained();
  }

  bool healthy() {
    for (const auto& each : chosen_) {
      for (const DeviceId id : each.devices) {
        if (forbidding_taint(world_.device_state.inventory().device(id), each.wish->tolerations)) {
          return false;
        }
      }
    }
    return true;
  }

  bool dedicated_once() {
    std::set<DeviceId> taken;
    std::set<std::pair<std::size_t, DeviceId>> seen;  // by admin requests of a claim
    for (const auto& each : chosen_) {
      for (const DeviceId id : each.devices) {
        const bool shared = world_.device_state.inventory().device(id).device->allow_multiple;
        if (each.wish->admin) {
          const bool again = std::ranges::any_of(chosen_, [&](const Chosen& other) {
            return &other != &each && other.claim == each.claim && other.request < each.request &&
                   std::ranges::find(other.devices, id) != other.devices.end();
          });
          if (again) return false;
          continue;
        }
        const auto& ledger = world_.device_state.ledger();
        if (shared ? ledger.dedicated(id) : ledger.held(id)) return false;
        if (!shared && !taken.insert(id).second) return false;
      }
    }
    return true;
  }

  bool within_capacity() {
    std::map<std::pair<DeviceId, std::string>, std::int64_t> used;
    for (const auto& each : chosen_) {
      for (const DeviceId id : each.devices) {
        const auto& published = *world_.device_state.inventory().device(id).device;
        const auto taken = consumption(published, each.wish->capacity);
        if (!taken) return false;
        if (each.wish->admin) continue;
        for (const auto& [name, amount] : *taken) used[{id, name}] += amount;
      }
    }
    return std::ranges::all_of(used, [&](const auto& entry) {
      const auto& [id, name] = entry.first;
      for (const auto& capacity : world_.device_state.inventory().device(id).device->capacity) {
        if (capacity.name == name) {
          return entry.second + world_.device_state.ledger().consumed(id, name) <=
                 thousandths(capacity.value);
        }
      }
      return false;
    });
  }

  bool within_counters() {
    std::map<std::pair<PoolId, std::uint32_t>, std::int64_t> spent;
    std::set<DeviceId> charged;
    for (const auto& each : chosen_) {
      for (const DeviceId id : each.devices) {
        if (world_.device_state.ledger().held(id) || each.wish->admin) continue;
        if (!charged.insert(id).second) continue;
        const auto& entry = world_.device_state.inventory().device(id);
        for (const Charge& charge : entry.charges) {
          spent[{entry.pool, charge.counter}] += charge.amount;
        }
      }
    }
    return std::ranges::all_of(spent, [&](const auto& entry) {
      return entry.second <=
             world_.device_state.ledger().available(entry.first.first, entry.first.second);
    });
  }

  bool constrained() {
    for (std::size_t c = 0; c < plans_.size(); ++c) {
      for (const auto& constraint : plans_[c]->constraints) {
        std::vector<ValueSet> values;
        for (const auto& each : chosen_) {
          if (each.claim != c) continue;
          for (const DeviceId id : each.devices) {
            values.push_back(world_.device_state.attributes().values(constraint.attribute, id));
          }
        }
        if (!satisfied(constraint.distinct, values)) return false;
      }
    }
    return true;
  }

  static bool satisfied(bool distinct, const std::vector<ValueSet>& values) {
    std::set<ValueSet> different(values.begin(), values.end());
    if (different.contains(ValueSet{})) return false;
    return distinct ? different.size() == values.size() : different.size() <= 1;
  }

  World& world_;
  std::vector<const ClaimPlan*> plans_;
  std::vector<Chosen> chosen_;
};

// Some devices are in use before anyone asks.
void occupy(World& world, Maker& random, Ledger& ledger) {
  for (NodeIndex n = 0; n < kNodes; ++n) {
    for (const DeviceId id : devices_at(world.device_state.inventory(), world.places, n)) {
      const bool shared = world.device_state.inventory().device(id).device->allow_multiple;
      if (!random.one_in(6) || shared || ledger.held(id) || !ledger.counters_allow(id)) continue;
      ledger.take({id, false, {}});
    }
  }
}

// Admin access pays for counters only while they last.
bool comparable(const std::vector<const ClaimPlan*>& plans) {
  return std::ranges::none_of(plans, [](const ClaimPlan* plan) {
    return std::ranges::any_of(plan->requests, [](const RequestPlan& request) {
      return std::ranges::any_of(request.wishes, [](const WishPlan& wish) { return wish.admin; });
    });
  });
}

TEST(AllocatorAgainstTryingEverything, findsDevicesExactlyWhenThereAreAny) {
  int found = 0;
  int compared = 0;
  for (int seed = 0; seed < kInventories; ++seed) {
    World world;
    Maker random(static_cast<std::uint64_t>(seed));
    random.make(world);
    auto& ledger = const_cast<Ledger&>(world.device_state.ledger());
    occupy(world, random, ledger);
    const Ledger before = ledger;

    Everything reference(world);
    const auto& plans = reference.plans();
    std::vector<Problem> problems;
    for (std::size_t c = 0; c < plans.size(); ++c) problems.push_back({plans[c], {world.nodes[c]}});
    Allocator allocator(world.device_state.inventory(), world.device_state.selectors(),
                        world.device_state.attributes(), world.places);
    const bool expected = reference.exists();
    const AttributeId domains[] = {world.device_state.attributes().id("example.com/group")};
    for (const auto order : {Allocator::Order::published, Allocator::Order::packed}) {
      const Solution solution = allocator.solve(ledger, problems, order, 1'000'000, domains);
      ASSERT_NE(solution.outcome, Solution::Outcome::exhausted) << "seed " << seed;
      if (comparable(plans)) {
        ASSERT_EQ(solution.found(), expected) << "seed " << seed;
        ++compared;
      }
      for (std::uint32_t p = 0; p < world.device_state.inventory().pool_count(); ++p) {
        for (std::uint32_t k = 0; k < world.device_state.inventory().pool({p}).counters.size();
             ++k) {
          ASSERT_GE(ledger.available({p}, k), 0) << "seed " << seed;
        }
      }
      found += solution.found();
      for (const Grant& grant : solution.grants) {
        for (const Pick& pick : grant) {
          if (!pick.admin) ledger.give_back(pick.hold);
        }
      }
      ASSERT_EQ(ledger == before, true) << "seed " << seed << " left a trace";
    }
  }
  EXPECT_GT(compared, kInventories);
  EXPECT_GT(found, kInventories / 6);
  EXPECT_LT(found, 2 * kInventories - kInventories / 4);
}

// --- packing -------------------------------------------------------------------------------------

// One node whose devices differ in domain and kind only, some in use: small enough to look at every
// choice.
struct Island {
  static constexpr const char* kDomain = "example.com/group";

  explicit Island(Maker& random) {
    places.look_at(device_state.inventory());
    device_state.set(test::device_class("gpu"));
    std::vector<model::Device> devices;
    const std::size_t count = 2 + random.below(7);
    for (std::size_t i = 0; i < count; ++i) {
      devices.push_back(device("d" + std::to_string(i))
                            .kind(random.one_in(4) ? "a" : "b")
                            .attribute(kDomain, static_cast<std::int64_t>(random.below(4))));
    }
    device_state.set(test::slice("s", "pool", "n0", std::move(devices)));
    all = devices_at(device_state.inventory(), places, 0);
    for (const DeviceId id : all) {
      if (random.one_in(4)) const_cast<Ledger&>(device_state.ledger()).take({id, false, {}});
    }
  }

  std::uint32_t domain(DeviceId id) {
    return device_state.attributes().values(kDomain, id).front();
  }
  bool free(DeviceId id) { return !device_state.ledger().held(id); }
  bool whole(std::uint32_t wanted) {
    return std::ranges::all_of(all, [&](DeviceId id) { return domain(id) != wanted || free(id); });
  }

  // How many domains a choice uses, how many whole ones it breaks, and how much of what it could
  // have chosen from is left in them: less is better.
  using Worth = std::tuple<std::size_t, std::size_t, std::size_t>;
  Worth worth(const std::vector<DeviceId>& chosen, const std::vector<DeviceId>& from) {
    std::set<std::uint32_t> used;
    for (const DeviceId id : chosen) used.insert(domain(id));
    const auto broken =
        std::ranges::count_if(used, [&](std::uint32_t each) { return whole(each); });
    const auto there =
        std::ranges::count_if(from, [&](DeviceId id) { return used.contains(domain(id)); });
    return {used.size(), static_cast<std::size_t>(broken),
            static_cast<std::size_t>(there) - chosen.size()};
  }

  test::NumberedNodes places;
  DeviceState device_state{places};
  std::vector<DeviceId> all;
};

void each_choice(const std::vector<DeviceId>& from, std::size_t count, std::size_t next,
                 std::vector<DeviceId>& chosen,
                 const std::function<void(const std::vector<DeviceId>&)>& visit) {
  if (chosen.size() == count) return visit(chosen);
  for (std::size_t i = next; i < from.size(); ++i) {
    chosen.push_back(from[i]);
    each_choice(from, count, i + 1, chosen, visit);
    chosen.pop_back();
  }
}

TEST(AllocatorAgainstTryingEverything, keepsDomainsWholeWhereThatCanBe) {
  int single = 0;
  int spared = 0;
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    Maker random(seed);
    Island island(random);
    auto& device_state = island.device_state;
    auto wanted = wish("gpu").count(static_cast<std::int64_t>(1 + random.below(4)));
    const bool picky = random.one_in(3);
    if (picky) wanted.of_kind("b");
    const model::DeviceWish asked = wanted;
    device_state.set(claim("c").request("r", asked).build());
    const ClaimPlan& plan =
        device_state.plans().plan(device_state.claim(device_state.find_claim("t", "c")).plan);

    std::vector<DeviceId> from;
    std::ranges::copy_if(island.all, std::back_inserter(from), [&](DeviceId id) {
      const auto& attributes = device_state.inventory().device(id).device->attributes;
      const auto kind = std::ranges::find(attributes, "kind", &model::DeviceAttribute::name);
      return island.free(id) && (!picky || std::get<std::string>(kind->value) == "b");
    });
    std::optional<Island::Worth> best;
    std::vector<DeviceId> chosen;
    each_choice(from, static_cast<std::size_t>(asked.count), 0, chosen, [&](const auto& choice) {
      const auto worth = island.worth(choice, from);
      if (!best || worth < *best) best = worth;
    });

    Allocator allocator(device_state.inventory(), device_state.selectors(),
                        device_state.attributes(), island.places);
    const AttributeId domains[] = {device_state.attributes().id(Island::kDomain)};
    const Problem problem{&plan, {0}};
    auto& ledger = const_cast<Ledger&>(device_state.ledger());
    const Ledger before = ledger;
    const Solution solution =
        allocator.solve(ledger, {&problem, 1}, Allocator::Order::packed, 1'000'000, domains);
    ASSERT_EQ(solution.found(), best.has_value()) << "seed " << seed;
    if (!best) continue;
    std::vector<DeviceId> taken;
    for (const Pick& pick : solution.grants.front()) {
      taken.push_back(pick.hold.device);
      ledger.give_back(pick.hold);
    }
    ASSERT_TRUE(ledger == before) << "seed " << seed;
    const auto [used, broken, left] = island.worth(taken, from);
    const auto [fewest, fewest_broken, least_left] = *best;
    ASSERT_EQ(used, fewest) << "seed " << seed << ": as few domains as can be";
    if (fewest_broken == 0) {
      ASSERT_EQ(broken, 0U) << "seed " << seed << ": broken ones would have done";
      ++spared;
    }
    if (fewest == 1) {
      ASSERT_EQ(broken, fewest_broken) << "seed " << seed;
      ASSERT_EQ(left, least_left) << "seed " << seed << ": the least to spare";
      ++single;
    }
  }
  EXPECT_GT(single, 4'000);
  EXPECT_GT(spared, 2'000);
}

// Pods come and go in any order: what is held is always the sum of what each claim holds, and going
// in reverse order restores every grant.
TEST(Grants, areTakenBackExactly) {
  std::size_t known = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    World world;
    Maker random(seed);
    random.make(world);
    auto& device_state = world.device_state;
    std::vector<std::vector<Grant>> history;
    const auto grants = [&] {
      std::vector<Grant> now;
      for (int i = 0; i < 6; ++i) {
        const auto id = device_state.find_claim("t", "c" + std::to_string(i));
        now.push_back(id.valid() ? device_state.claim(id).grant : Grant{});
      }
      return now;
    };
    const auto pod = test::pod("p").build();
    std::vector<PodIndex> placed;
    for (PodIndex i = 0; i < 6; ++i) {
      auto object = std::make_shared<model::ResourceClaim>();
      object->meta.ns = "t";
      object->meta.name = "c" + std::to_string(i);
      object->spec = world.specs[random.below(world.specs.size())];
      device_state.set(object);
      const ClaimId ids[] = {device_state.find_claim("t", object->meta.name)};
      const auto before = grants();
      const auto node = static_cast<NodeIndex>(random.below(kNodes));
      const std::vector<Wanted> wanted = {{device_state.claim(ids[0]).plan, ids[0]}};
      const bool fits =
          device_state.search().fits(node, wanted, nullptr) == Solution::Outcome::found;
      ASSERT_EQ(grants(), before) << "a question changes nothing";
      const std::string domains[] = {"*/group"};
      const auto prospect = device_state.search().prospect(node, wanted, domains);
      ASSERT_EQ(device_state.check(), "") << "a question changes nothing";
      const bool reserved = device_state.decisions().reserve(i, node, ids, domains).found();
      ASSERT_EQ(reserved, fits);
      if (reserved && !prospect.choices.empty()) {
        const auto searched = grants();
        device_state.decisions().unreserve(i, *pod);
        const auto steps = device_state.search().effort().steps;
        ASSERT_TRUE(device_state.decisions().reserve(i, node, ids, domains, {}, &prospect).found());
        ASSERT_EQ(grants(), searched) << "what is known is what would be found";
        ASSERT_EQ(device_state.search().effort().steps, steps) << "and is not looked for";
        ++known;
      }
      ASSERT_EQ(device_state.check(), "");
      if (!reserved) {
        ASSERT_EQ(grants(), before);
        continue;
      }
      history.push_back(before);
      placed.push_back(i);
    }
    if (random.one_in(2)) {
      for (; !placed.empty(); placed.pop_back(), history.pop_back()) {
        device_state.decisions().unreserve(placed.back(), *pod);
        ASSERT_EQ(grants(), history.back());
        ASSERT_EQ(device_state.check(), "");
      }
    } else {
      for (const PodIndex each : placed) {
        device_state.decisions().unreserve(each, *pod);
        ASSERT_EQ(device_state.check(), "");
      }
    }
  }
  EXPECT_GT(known, 100U);
}

// Claims are granted, written, seen and taken back at random: whenever a node has a stamp that it
// had before, it has the answers that it had then.
TEST(Stamps, thatAreEqualMeanEqualAnswers) {
  std::size_t again = 0;
  for (std::uint64_t seed = 0; seed < 3'000; ++seed) {
    SCOPED_TRACE(seed);
    World world;
    Maker random(seed);
    random.make(world, Maker::Reach::one_node);
    auto& device_state = world.device_state;
    const auto pod = test::pod("p").build();
    const std::string domains[] = {"*/group"};
    constexpr std::uint32_t kClaims = 5;
    std::vector<std::shared_ptr<model::ResourceClaim>> objects;
    for (std::uint32_t i = 0; i < kClaims; ++i) {
      objects.push_back(std::make_shared<model::ResourceClaim>());
      objects.back()->meta.ns = "t";
      objects.back()->meta.name = "c" + std::to_string(i);
      objects.back()->spec = world.specs[random.below(world.specs.size())];
      device_state.set(objects.back());
    }
    using Answer = std::tuple<Solution::Outcome, bool, std::int64_t, std::int64_t>;
    std::map<std::tuple<NodeIndex, std::uint64_t, std::uint64_t>, Answer> known;
    const Wanted another{device_state.claim(device_state.find_claim("t", "c0")).plan, {}};
    const auto look = [&] {
      for (NodeIndex node = 0; node < kNodes; ++node) {
        const auto outcome = device_state.search().fits(node, {&another, 1}, nullptr);
        const auto prospect = device_state.search().prospect(node, {&another, 1}, domains);
        const Answer answer{outcome, prospect.found, prospect.preference, prospect.loss.points};
        const auto stamp = device_state.search().stamp(node, {&another, 1});
        const auto [at, fresh] = known.try_emplace({node, stamp.own, stamp.wide}, answer);
        again += fresh ? 0 : 1;
        ASSERT_EQ(at->second, answer);
      }
    };
    for (int step = 0; step < 24; ++step) {
      const auto i = static_cast<std::uint32_t>(random.below(kClaims));
      const ClaimId id = device_state.find_claim("t", "c" + std::to_string(i));
      const Claim& claim = device_state.claim(id);
      if (claim.allocated()) {
        auto next = std::make_shared<model::ResourceClaim>(*claim.object);
        next->allocation.reset();
        device_state.set(next);
        device_state.decisions().forget(i);
      } else if (!claim.granted) {
        const auto node = static_cast<NodeIndex>(random.below(kNodes));
        (void)device_state.decisions().reserve(i, node, {&id, 1}, domains);
      } else if (claim.fixed) {
        auto next = std::make_shared<model::ResourceClaim>(*claim.object);
        next->allocation = device_state.decisions().allocation(
            id, "n" + std::to_string(claim.holders.front().node));
        device_state.set(next);
      } else if (random.one_in(3)) {
        device_state.decisions().written(id);
      } else {
        device_state.decisions().unreserve(i, *pod);
      }
      ASSERT_EQ(device_state.check(), "");
      look();
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(again, 50'000U) << "states come back";
}

}  // namespace
}  // namespace tutti::devices
