// FreeSearch: the fewest units of others' work whose end lets the asker run; of equally many those
// with the fewest pods, then with the least of what the asker needs most.
//
//   how many units each domain takes at least, by counting (UnitGains) ──fewest first──┐
//   the scheduler's own search for victims, among the units of one domain ─────────────┴─> a choice
//   whoever is not needed is taken out; every lighter set that counting does not rule out is tried,
//   domain by domain where each of its units has to gain something, as far as the effort allows
#pragma once

#include <tuple>

#include "base/std.h"
#include "whatif/headroom.h"
#include "whatif/rehearsal.h"
#include "whatif/unit_gains.h"
#include "whatif/units.h"

namespace tutti::whatif {

class FreeSearch {
 public:
  using Choice = std::vector<std::uint32_t>;  // of units, ascending

  FreeSearch(Rehearsal& rehearsal, const Headroom& headroom, const Units& units,
             core::ResourceId scarce);

  // Empty: none lets the asker run.
  Choice run();
  // Returns the outcome of the choice that run() came to.
  const Rehearsal::Outcome& outcome_of(const Choice& choice);

 private:
  // What ending them costs: so many units, so many pods, so much of the scarce resource.
  using Weight = std::tuple<std::size_t, std::size_t, std::int64_t>;

  bool works(const Choice& choice) { return outcome_of(choice).runs; }
  Rehearsal::Outcome rehearse(const Choice& choice);
  void propose(Choice& best);
  Choice fewest_in(const UnitGains::Domain& domain);
  void spare(Choice& choice);
  void improve(Choice& best);
  struct Pool;
  std::optional<std::vector<Pool>> pools_by_domain(std::size_t size) const;
  Pool pool_of_everyone() const;
  struct Enumeration;
  bool try_sets(Enumeration& state, const Pool& pool, std::size_t from, const Weight& weight,
                std::int64_t gained);
  static bool may_be_lighter(const Enumeration& state, const Pool& pool, const Weight& weight);
  Weight lightest_of(std::span<const UnitGains::Gain> units) const;
  Weight weight_of(const Choice& choice) const;
  Weight with(Weight weight, std::uint32_t unit) const;

  Rehearsal& rehearsal_;
  const Units& units_;
  UnitGains gains_;
  std::size_t attempts_left_;
  std::size_t steps_left_;
  // What was rehearsed last, and last with success: that is the best so far.
  std::pair<Choice, Rehearsal::Outcome> failed_;
  std::pair<Choice, Rehearsal::Outcome> worked_;
};

}  // namespace tutti::whatif
