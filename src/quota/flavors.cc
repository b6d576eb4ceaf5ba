#include "quota/flavors.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace tutti::quota {
namespace {

Amount assumed_of(const std::vector<Charge>& charges, FlavorResourceId of) {
  Amount sum = 0;
  for (const Charge& charge : charges) sum += charge.of == of ? charge.amount : 0;
  return sum;
}

void add_charges(std::vector<Charge>& sum, const std::vector<Charge>& more) {
  for (const Charge& charge : more) {
    const auto known = std::find_if(sum.begin(), sum.end(),
                                    [&](const Charge& each) { return each.of == charge.of; });
    if (known == sum.end()) {
      sum.push_back(charge);
    } else {
      known->amount = to_int64(Amount{known->amount} + charge.amount);
    }
  }
}

ResourceOutcome judge_resource(const Tree& tree, const FlavorQuestion& question,
                               const Charge& charge, Amount assumed, VictimOutlook& victims) {
  const QuotaNodeId queue = question.queue;
  const FlavorResourceId of = charge.of;
  const Amount amount = assumed + charge.amount;
  ResourceOutcome outcome{.of = of, .assumed = assumed, .asked = charge.amount};
  const Amount most = tree.lists(queue, of) ? tree.potential(queue, of) : Amount{0};
  if (amount > most) {
    outcome.grade = {};
    outcome.missing = amount - most;
    outcome.exceeds_max = true;
    return outcome;
  }
  const Reach reach = tree.reach(queue, of, amount);
  const Amount available = at_least_zero(tree.available(queue, of));
  outcome.grade = {Mode::fit, reach.borrow_level};
  if (amount <= available) return outcome;
  outcome.grade.mode = Mode::no_fit;
  outcome.missing = amount - available;
  // Whoever has no right to the quota, and may not evict to borrow it, need not look for victims.
  if (tree.nominal(queue, of) >= amount || reach.within_subtree ||
      question.preempts_while_borrowing) {
    outcome.grade = victims.outlook(of, amount);
  }
  return outcome;
}

}  // namespace

std::string_view word(Mode mode) {
  constexpr std::array<std::string_view, 5> kWords = {"noFit", "noPreemptionCandidates", "preempt",
                                                      "reclaim", "fit"};
  return kWords[static_cast<std::size_t>(mode)];
}

bool preferred(Grade left, Grade right, Fungibility::Preference preference) {
  const auto rank = [](Grade grade) { return std::min(grade.mode, Mode::preempt); };
  if (rank(left) != rank(right)) return rank(left) > rank(right);
  if (left.mode == Mode::no_fit) return false;
  if (preference == Fungibility::Preference::borrowing_over_preemption) {
    return std::tie(right.mode, left.borrow_level) < std::tie(left.mode, right.borrow_level);
  }
  return std::tie(left.borrow_level, right.mode) < std::tie(right.borrow_level, left.mode);
}

bool stops_search(Grade grade, const Fungibility& rules) {
  if (grade.mode < Mode::preempt) return false;
  using When = Fungibility::When;
  if (grade.mode != Mode::fit && rules.can_preempt == When::try_next_flavor) return false;
  return grade.borrow_level == 0 || rules.can_borrow == When::may_stop_search;
}

FlavorOutcome judge(const Tree& tree, const FlavorQuestion& question,
                    const std::vector<Charge>& assumed, const std::vector<Charge>& charges,
                    VictimOutlook& victims) {
  FlavorOutcome outcome;
  for (const Charge& charge : charges) {
    if (charge.amount == 0) continue;
    const auto& resource = outcome.resources.emplace_back(
        judge_resource(tree, question, charge, assumed_of(assumed, charge.of), victims));
    outcome.mode = std::min(outcome.mode, resource.grade.mode);
    if (preferred(outcome.grade, resource.grade, question.fungibility.preference)) {
      outcome.grade = resource.grade;
    }
    if (outcome.mode == Mode::no_fit) break;  // the other resources cannot make it better
  }
  return outcome;
}

AssignmentSearch::AssignmentSearch(const Tree& tree, FlavorQuestion question,
                                   VictimOutlook& victims)
    : tree_(tree), question_(std::move(question)), victims_(victims) {}

std::optional<Assignment> AssignmentSearch::next() {
  if (started_ && frames_.empty()) return std::nullopt;
  if (!started_) {
    started_ = true;
    if (question_.slots.empty()) return std::nullopt;
    enter();
  }
  while (!frames_.empty() && !out_of_budget()) {
    Frame& frame = frames_.back();
    if (!choose(frame)) {
      note_dead_end();
      frames_.pop_back();
      continue;
    }
    frame.turned_down[frame.chosen] = true;  // for when the search comes back here
    if (frames_.size() == question_.slots.size()) {
      note_wanting();
      return assignment();
    }
    enter();
  }
  frames_.clear();
  return std::nullopt;
}

void AssignmentSearch::enter() {
  Frame frame;
  if (!frames_.empty()) {
    const Frame& before = frames_.back();
    frame.assumed = before.assumed;
    add_charges(frame.assumed, question_.slots[frames_.size() - 1].flavors[before.chosen].charges);
  }
  const std::size_t flavors = question_.slots[frames_.size()].flavors.size();
  frame.outcomes.resize(flavors);
  frame.turned_down.resize(flavors, false);
  frames_.push_back(std::move(frame));
}

// Looks at flavors in order as if those turned down did not exist.
bool AssignmentSearch::choose(Frame& frame) {
  const Slot& slot = question_.slots[frames_.size() - 1];
  std::optional<std::size_t> best;
  frame.resume = 0;
  for (std::size_t i = slot.first; i < slot.flavors.size(); ++i) {
    if (!slot.flavors[i].usable || frame.turned_down[i]) continue;
    auto& outcome = frame.outcomes[i];
    if (!outcome) {
      if (++looks_ > kLooksMax) return false;
      outcome = judge(tree_, question_, frame.assumed, slot.flavors[i].charges, victims_);
    }
    if (outcome->mode == Mode::no_fit) continue;
    if (stops_search(outcome->grade, question_.fungibility)) {
      best = i;
      frame.resume = i + 1 < slot.flavors.size() ? i + 1 : 0;
      break;
    }
    if (!best ||
        preferred(outcome->grade, frame.outcomes[*best]->grade, question_.fungibility.preference)) {
      best = i;
    }
  }
  if (best) frame.chosen = *best;
  return best.has_value();
}

void AssignmentSearch::note_dead_end() {
  const bool first = outcomes_.empty();
  const auto& turned_down = frames_.back().turned_down;
  const bool nothing_chosen =
      std::find(turned_down.begin(), turned_down.end(), true) == turned_down.end();
  if (!first || !nothing_chosen) return;
  dead_end_ = frames_.size() - 1;
  outcomes_ = frames_.back().outcomes;
}

void AssignmentSearch::note_wanting() {
  if (!outcomes_.empty()) return;
  const auto wanting = std::find_if(frames_.begin(), frames_.end(), [](const Frame& frame) {
    return frame.outcomes[frame.chosen]->mode != Mode::fit;
  });
  if (wanting == frames_.end()) return;
  dead_end_ = static_cast<std::size_t>(wanting - frames_.begin());
  outcomes_ = wanting->outcomes;
}

Assignment AssignmentSearch::assignment() const {
  Assignment made;
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    const Frame& frame = frames_[i];
    made.flavors.push_back(frame.chosen);
    made.resume.push_back(frame.resume);
    add_charges(made.charges, question_.slots[i].flavors[frame.chosen].charges);
    const FlavorOutcome& outcome = *frame.outcomes[frame.chosen];
    made.mode = std::min(made.mode, outcome.mode);
    for (const ResourceOutcome& resource : outcome.resources) {
      made.borrow_level = std::max(made.borrow_level, resource.grade.borrow_level);
    }
  }
  return made;
}

}  // namespace tutti::quota
