#include "queues/rights.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/broker/assignments.h"
#include "quota/flavors.h"
#include "quota/outlook.h"
#include "quota/victims.h"

namespace tutti::queues {
namespace {

using core::QuotaQueue;
using quota::Charge;
using quota::FlavorResourceId;
using quota::QuotaNodeId;
using WithinQueue = quota::PreemptionPolicy::WithinQueue;
using Reclaim = quota::PreemptionPolicy::Reclaim;

Rule rule_of(quota::Reason reason) {
  switch (reason) {
    case quota::Reason::in_cluster_queue:
      return Rule::within_queue;
    case quota::Reason::in_cohort_reclamation:
      return Rule::reclaim;
    case quota::Reason::in_cohort_reclaim_while_borrowing:
      return Rule::while_borrowing;
    case quota::Reason::in_cohort_fair_sharing:
      return Rule::fair_share;
  }
  return Rule::never;
}

std::string_view word(WithinQueue policy) {
  switch (policy) {
    case WithinQueue::never:
      return "Never";
    case WithinQueue::lower_priority:
      return "LowerPriority";
    case WithinQueue::lower_or_newer_equal_priority:
      return "LowerOrNewerEqualPriority";
  }
  return {};
}

std::string_view word(Reclaim policy) {
  switch (policy) {
    case Reclaim::never:
      return "Never";
    case Reclaim::lower_priority:
      return "LowerPriority";
    case Reclaim::any:
      return "Any";
  }
  return {};
}

// Charges on the tree that are gone in the end.
class Charges {
 public:
  explicit Charges(quota::Tree& tree) : tree_(tree) {}
  Charges(const Charges&) = delete;
  Charges& operator=(const Charges&) = delete;
  ~Charges() {
    for (auto at = made_.rbegin(); at != made_.rend(); ++at) {
      tree_.remove_usage(at->first, {&at->second, 1});
    }
  }

  void charge(QuotaNodeId queue, FlavorResourceId of, quota::Amount amount) {
    if (amount <= 0) return;
    made_.emplace_back(queue, Charge{of, quota::to_int64(amount)});
    tree_.add_usage(queue, {&made_.back().second, 1});
  }
  // The queue takes whatever it can have.
  void fill(QuotaNodeId queue, FlavorResourceId of) {
    charge(queue, of, tree_.available(queue, of));
  }

 private:
  quota::Tree& tree_;
  std::vector<std::pair<QuotaNodeId, Charge>> made_;
};

}  // namespace

// A tree in which `from` lacks one unit of one flavor-resource, and `to` has some.
class Rights::Scene {
 public:
  enum class Wants : std::uint8_t { own_quota, more_than_that };

  Scene(Rights& rights, const QuotaQueue& from, const QuotaQueue& to, FlavorResourceId of,
        Wants wants)
      : tree_(rights.objects_.tree()),
        strategies_(core::fair_strategies(rights.config_)),
        from_(from),
        to_(to),
        of_(of),
        charges_(tree_) {
    if (wants == Wants::more_than_that) {
      charges_.charge(from.node, of,
                      std::min(tree_.nominal(from.node, of), tree_.available(from.node, of)));
    }
    charges_.fill(to.node, of);
    for (const auto& [name, queue] : rights.objects_.queues()) {
      const bool other = queue.node != from.node && queue.node != to.node;
      if (other && tree_.root(queue.node) == tree_.root(from.node)) charges_.fill(queue.node, of);
    }
    charges_.fill(from.node, of);
    const quota::Amount own = tree_.nominal(from.node, of);
    const bool own_is_full = own > 0 && tree_.usage(from.node, of) >= own;
    possible_ = tree_.usage(to.node, of) > 0 &&
                (from.node == to.node || wants == Wants::more_than_that || !own_is_full);
  }

  Rule ask(std::int64_t from_priority, std::int64_t to_priority, bool newer) {
    if (!possible_) return Rule::never;
    const quota::Preemptor preemptor{.queue = from_.node,
                                     .charges = {{of_, 1}},
                                     .needed = {of_},
                                     .priority = from_priority,
                                     .timestamp = 1};
    const std::vector<quota::Running> running = {{.queue = to_.node,
                                                  .charges = {{of_, 1}},
                                                  .priority = to_priority,
                                                  .timestamp = newer ? 2 : 0,
                                                  .uid = "victim"}};
    const bool fair = !strategies_.empty();
    using Sharing = quota::QuotaOutlook::Sharing;
    quota::QuotaOutlook outlook(tree_, preemptor, from_.preemption, running,
                                fair ? Sharing::fair : Sharing::classical, strategies_);
    quota::AssignmentSearch search(
        tree_,
        {.queue = from_.node,
         .fungibility = from_.fungibility,
         .preempts_while_borrowing = from_.preemption.allows_borrower(fair),
         .slots = {{.flavors = {{.usable = true, .charges = preemptor.charges}}}}},
        outlook);
    const auto assignment = search.next();
    const bool evicts = assignment && assignment->mode >= quota::Mode::preempt &&
                        assignment->mode != quota::Mode::fit;
    if (!evicts) return Rule::never;
    const auto victims =
        fair ? quota::fair_victims(tree_, preemptor, from_.preemption, running, strategies_)
             : quota::classical_victims(tree_, preemptor, from_.preemption, running);
    return victims.empty() ? Rule::never : rule_of(victims.front().reason);
  }

 private:
  quota::Tree& tree_;
  std::vector<quota::FairStrategy> strategies_;
  const QuotaQueue& from_;
  const QuotaQueue& to_;
  FlavorResourceId of_;
  Charges charges_;
  bool possible_ = false;
};

std::string_view word(Rule rule) {
  switch (rule) {
    case Rule::never:
      return "never";
    case Rule::priority:
      return "priority";
    case Rule::within_queue:
      return "withinQueue";
    case Rule::reclaim:
      return "reclaim";
    case Rule::while_borrowing:
      return "whileBorrowing";
    case Rule::fair_share:
      return "fairShare";
  }
  return {};
}

bool Rights::share_tree(const std::string& from, const std::string& to) const {
  const core::QuotaObjects& objects = objects_;
  return objects.root_of(objects.queue(from)->node) == objects.root_of(objects.queue(to)->node);
}

std::vector<Right> Rights::of(const std::string& from, const std::string& to,
                              std::span<const Pair> priorities) {
  std::vector<Right> rights(priorities.size());
  if (!share_tree(from, to)) {
    for (std::size_t i = 0; i < priorities.size(); ++i) {
      if (priorities[i].from > priorities[i].to) rights[i].rule = Rule::priority;
    }
    return rights;
  }
  quota::Tree& tree = objects_.tree();
  const QuotaQueue& source = *objects_.queue(from);
  const QuotaQueue& target = *objects_.queue(to);
  const auto all = tree.flavor_resources_of(tree.root(source.node));
  const std::vector<FlavorResourceId> flavor_resources(all.begin(), all.end());
  for (const FlavorResourceId of : flavor_resources) {
    if (!tree.lists(source.node, of) || !tree.lists(target.node, of)) continue;
    if (tree.potential(source.node, of) == 0 || tree.potential(target.node, of) == 0) continue;
    judge(source, target, of, priorities, rights);
  }
  return rights;
}

void Rights::judge(const QuotaQueue& from, const QuotaQueue& to, FlavorResourceId of,
                   std::span<const Pair> priorities, std::vector<Right>& rights) {
  std::vector<Right> found(priorities.size());
  {
    Scene scene(*this, from, to, of, Scene::Wants::own_quota);
    for (std::size_t i = 0; i < priorities.size(); ++i) {
      found[i].rule = scene.ask(priorities[i].from, priorities[i].to, true);
      found[i].only_newer = found[i].rule == Rule::within_queue &&
                            priorities[i].from == priorities[i].to &&
                            scene.ask(priorities[i].from, priorities[i].to, false) == Rule::never;
    }
  }
  const quota::Tree& tree = objects_.tree();
  const bool may_borrow = tree.potential(from.node, of) > tree.nominal(from.node, of);
  if (from.node != to.node && may_borrow) {
    Scene scene(*this, from, to, of, Scene::Wants::more_than_that);
    for (std::size_t i = 0; i < priorities.size(); ++i) {
      const Rule beyond = scene.ask(priorities[i].from, priorities[i].to, true);
      if (found[i].rule == Rule::never) {
        found[i].rule = beyond;
      } else if (beyond != found[i].rule) {
        found[i].beyond = beyond;
      }
    }
  }
  for (std::size_t i = 0; i < priorities.size(); ++i) {
    if (rights[i].rule == Rule::never) rights[i] = found[i];
  }
}

Right Rights::of(const std::string& from, std::int64_t from_priority, const std::string& to,
                 std::int64_t to_priority) {
  const Pair pair{from_priority, to_priority};
  return of(from, to, {&pair, 1}).front();
}

std::string Rights::why(const std::string& from, std::int64_t from_priority, const std::string& to,
                        std::int64_t to_priority) {
  const Right right = of(from, from_priority, to, to_priority);
  const quota::PreemptionPolicy& policy = objects_.queue(from)->preemption;
  const std::string order = fmt::format("{} is not above {}", from_priority, to_priority);
  if (!share_tree(from, to)) {
    return right.rule == Rule::priority
               ? fmt::format(
                     "{} and {} share no cohort: where pods are in the way, those of "
                     "strictly lower priority go",
                     from, to)
               : fmt::format("{} and {} share no cohort, and {}", from, to, order);
  }
  if (from == to) {
    const auto set = fmt::format("withinClusterQueue of {} is {}", from, word(policy.within_queue));
    if (right.rule == Rule::never) {
      return policy.within_queue == WithinQueue::never ? set
                                                       : fmt::format("{}, and {}", set, order);
    }
    return set +
           (right.only_newer ? ": what came later makes room" : ": lower priority makes room");
  }
  const auto set = fmt::format("reclaimWithinCohort of {} is {}", from, word(policy.reclaim));
  switch (right.rule) {
    case Rule::reclaim:
      return fmt::format("{}: it takes back its own quota from {}, which borrows it{}", set, to,
                         beyond_text(right, from));
    case Rule::while_borrowing:
    case Rule::fair_share:
      return fmt::format("{}{}", set, beyond_text(right, from));
    default:
      break;
  }
  if (policy.reclaim == Reclaim::never) return set;
  if (policy.reclaim == Reclaim::lower_priority && to_priority >= from_priority) {
    return fmt::format("{}, and {}", set, order);
  }
  return fmt::format("{} never has more than its own of what {} could take back", to, from);
}

std::string Rights::beyond_text(const Right& right, const std::string& from) const {
  const Rule rule = right.beyond != Rule::never ? right.beyond : right.rule;
  const core::QuotaObjects& objects = objects_;
  const auto& threshold = objects.queue(from)->preemption.threshold;
  switch (rule) {
    case Rule::while_borrowing:
      return fmt::format("; borrowWithinCohort lets it borrow more at the cost of lower priority{}",
                         threshold ? fmt::format(", up to {}", *threshold) : std::string());
    case Rule::fair_share:
      return "; by fair sharing it takes more from whose share is larger";
    default:
      return {};
  }
}

// --- the table -----------------------------------------------------------------------------------

const Right* RightsTable::find(std::size_t from, std::size_t from_priority, std::size_t to,
                               std::size_t to_priority) const {
  const auto at = first_.find({from, to});
  if (at == first_.end()) return nullptr;
  return &cells[at->second + from_priority * priorities.size() + to_priority].right;
}

RightsTable make_rights(core::QuotaObjects& objects, const core::QuotaConfig& config,
                        std::vector<std::int64_t> priorities) {
  std::ranges::sort(priorities);
  priorities.erase(std::ranges::unique(priorities).begin(), priorities.end());
  RightsTable table;
  table.priorities = std::move(priorities);
  for (const auto& [name, queue] : objects.queues()) table.queues.push_back(name);
  std::vector<Rights::Pair> pairs;
  for (const std::int64_t from : table.priorities) {
    for (const std::int64_t to : table.priorities) pairs.push_back({from, to});
  }
  Rights rights(objects, config);
  for (std::size_t from = 0; from < table.queues.size(); ++from) {
    for (std::size_t to = 0; to < table.queues.size(); ++to) {
      if (!rights.share_tree(table.queues[from], table.queues[to])) continue;
      table.first_[{from, to}] = table.cells.size();
      const auto all = rights.of(table.queues[from], table.queues[to], pairs);
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        table.cells.push_back({.from = from,
                               .from_priority = pairs[i].from,
                               .to = to,
                               .to_priority = pairs[i].to,
                               .right = all[i]});
      }
    }
  }
  return table;
}

void walk(const RightsTable& table, explain::FieldSink& sink) {
  const auto put = [&](std::string_view field, std::string_view text) {
    sink.field(field);
    sink.text(text);
  };
  const auto put_side = [&](std::string_view field, std::size_t queue, std::int64_t priority) {
    sink.field(field);
    sink.open_object();
    put("queue", table.queues[queue]);
    sink.field("priority");
    sink.number(priority);
    sink.close_object();
  };
  sink.open_object();
  sink.field("queues");
  sink.open_list();
  for (const std::string& queue : table.queues) sink.text(queue);
  sink.close_list();
  sink.field("priorities");
  sink.open_list();
  for (const std::int64_t priority : table.priorities) sink.number(priority);
  sink.close_list();
  sink.field("cells");
  sink.open_list();
  for (const RightsTable::Cell& cell : table.cells) {
    sink.open_object();
    put_side("from", cell.from, cell.from_priority);
    put_side("to", cell.to, cell.to_priority);
    put("rule", word(cell.right.rule));
    if (cell.right.beyond != Rule::never) put("whenBorrowing", word(cell.right.beyond));
    if (cell.right.only_newer) {
      sink.field("onlyNewer");
      sink.flag(true);
    }
    sink.close_object();
  }
  sink.close_list();
  put("otherwise", word(Rule::priority));
  sink.close_object();
}

}  // namespace tutti::queues
