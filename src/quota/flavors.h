// Flavors of a request: how well each would do for quota, where the search stops, and all
// assignments in the order of preference, so that the caller may turn down one without a place.
//
// A request has slots: one per unit (podsets that share flavors, or one podset) and resource group,
// units in order. Every slot gets one flavor; what earlier slots take counts for later ones.
#pragma once

#include "base/std.h"
#include "quota/policy.h"
#include "quota/tree.h"

namespace tutti::quota {

// From worst to best.
enum class Mode : std::uint8_t {
  no_fit,
  no_candidates,  // it would need victims, and there are none
  preempt,        // some victim is of the own queue
  reclaim,        // all victims are of other queues
  fit,
};
std::string_view word(Mode mode);

// How well something would do: what preferences compare.
struct Grade {
  Mode mode = Mode::no_fit;
  std::uint32_t borrow_level = 0;
  friend bool operator==(const Grade&, const Grade&) = default;
};

// Whether `left` is better than `right`. A mode that leads somewhere beats no_candidates, and that
// beats no_fit, whatever the preference.
bool preferred(Grade left, Grade right, Fungibility::Preference preference);
// Whether a flavor of this grade is reason enough to look at no further one.
bool stops_search(Grade grade, const Fungibility& rules);

// What evicting others could do for one flavor-resource alone.
class VictimOutlook {
 public:
  virtual ~VictimOutlook() = default;
  // The mode is no_candidates, preempt or reclaim; the level is measured with the victims gone.
  virtual Grade outlook(FlavorResourceId of, Amount amount) = 0;
};

struct ResourceOutcome {
  FlavorResourceId of;
  Grade grade{Mode::fit, 0};
  Amount assumed = 0;  // by earlier slots
  Amount asked = 0;    // by this one
  // What is missing now; with exceeds_max, what would be missing if everybody else were gone.
  Amount missing = 0;
  bool exceeds_max = false;
};

struct FlavorOutcome {
  Grade grade{Mode::fit, 0};  // of the resource that is worst by the preference: what is compared
  Mode mode = Mode::fit;      // the worst of all resources: what is done
  std::vector<ResourceOutcome> resources{};
};

struct FlavorOption {
  // False where labels, taints, topology, or a missing place rule the flavor out.
  bool usable = true;
  std::vector<Charge> charges{};  // what the slot asks for, in this flavor
};

struct Slot {
  std::vector<FlavorOption> flavors;  // in the order of the queue
  std::size_t first = 0;              // where the last attempt left off
};

struct Assignment {
  std::vector<std::size_t> flavors;  // per slot
  std::vector<std::size_t> resume;   // per slot: where the next attempt begins
  std::vector<Charge> charges;       // of all slots together
  Mode mode = Mode::fit;             // the worst
  std::uint32_t borrow_level = 0;    // the largest
};

struct FlavorQuestion {
  QuotaNodeId queue;
  Fungibility fungibility{};
  bool preempts_while_borrowing = false;  // PreemptionPolicy::allows_borrower
  std::vector<Slot> slots{};
};

// How a flavor would do for `charges`, when earlier slots took `assumed`.
FlavorOutcome judge(const Tree& tree, const FlavorQuestion& question,
                    const std::vector<Charge>& assumed, const std::vector<Charge>& charges,
                    VictimOutlook& victims);

// Assignments one after another, best first; the flavor of the last slot varies first. Those whose
// mode is no_fit are left out. The tree must stay as it is in between.
class AssignmentSearch {
 public:
  // Flavors looked at before the search ends without an answer.
  static constexpr std::size_t kLooksMax = 4096;

  AssignmentSearch(const Tree& tree, FlavorQuestion question, VictimOutlook& victims);

  std::optional<Assignment> next();
  // What is wanting, once the first call found nothing, or something that needs victims: the first
  // slot that no flavor would do for as it is, and what became of those that were looked at.
  std::size_t dead_end() const { return dead_end_; }
  const std::vector<std::optional<FlavorOutcome>>& dead_end_outcomes() const { return outcomes_; }
  bool out_of_budget() const { return looks_ > kLooksMax; }

 private:
  struct Frame {  // of one slot, with flavors chosen for all slots before it
    std::vector<Charge> assumed;
    std::vector<std::optional<FlavorOutcome>> outcomes;  // by flavor, as far as looked at
    std::vector<bool> turned_down;
    std::size_t chosen = 0;
    std::size_t resume = 0;
  };

  void enter();
  bool choose(Frame& frame);
  void note_dead_end();
  void note_wanting();
  Assignment assignment() const;

  const Tree& tree_;
  FlavorQuestion question_;
  VictimOutlook& victims_;
  std::vector<Frame> frames_;
  std::size_t looks_ = 0;
  bool started_ = false;
  std::size_t dead_end_ = 0;
  std::vector<std::optional<FlavorOutcome>> outcomes_;
};

}  // namespace tutti::quota
