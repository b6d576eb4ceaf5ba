// Rights: who may ever evict whom for quota, and by which rule.
//
// Nobody restates the rules here. For two queues the tree is filled in turn so that one of them
// cannot have what it wants without somebody of the other leaving: once within its own quota, once
// beyond it. Then the search that decides about flavors and the one that chooses victims are asked,
// as the broker asks them. What a tree holds at the moment has no part in it.
#pragma once

#include <map>

#include "base/std.h"
#include "core/framework/quota_config.h"
#include "core/requests/quota_objects.h"
#include "explain/verdict/verdict.h"

namespace tutti::queues {

enum class Rule : std::uint8_t {
  never,
  priority,         // by the priority of pods: no tree of quota rules over the two
  within_queue,     // withinClusterQueue
  reclaim,          // reclaimWithinCohort: its own quota, which others borrow
  while_borrowing,  // borrowWithinCohort: quota that it would borrow itself
  fair_share,       // fairSharing: likewise, by shares
};
std::string_view word(Rule rule);  // "withinQueue"

struct Right {
  Rule rule = Rule::never;
  // What more it may do when it would borrow; never where `rule` says all.
  Rule beyond = Rule::never;
  // Only work that came later: the priorities are equal.
  bool only_newer = false;
  friend bool operator==(const Right&, const Right&) = default;
};

class Rights {
 public:
  // `objects` have no usage, and must outlive this.
  Rights(core::QuotaObjects& objects, const core::QuotaConfig& config)
      : objects_(objects), config_(config) {}

  // Priorities of the two sides.
  struct Pair {
    std::int64_t from = 0;
    std::int64_t to = 0;
  };

  // All of these require queues that exist.
  std::vector<Right> of(const std::string& from, const std::string& to,
                        std::span<const Pair> priorities);
  Right of(const std::string& from, std::int64_t from_priority, const std::string& to,
           std::int64_t to_priority);
  // Why, in a sentence.
  std::string why(const std::string& from, std::int64_t from_priority, const std::string& to,
                  std::int64_t to_priority);
  // Whether one tree of quota rules over the two.
  bool share_tree(const std::string& from, const std::string& to) const;

 private:
  class Scene;

  void judge(const core::QuotaQueue& from, const core::QuotaQueue& to, quota::FlavorResourceId of,
             std::span<const Pair> priorities, std::vector<Right>& rights);
  std::string beyond_text(const Right& right, const std::string& from) const;

  core::QuotaObjects& objects_;
  const core::QuotaConfig& config_;
};

// All cells. Queues in order of their names, priorities from low to high.
struct RightsTable {
  std::vector<std::string> queues;
  std::vector<std::int64_t> priorities;
  struct Cell {
    std::size_t from = 0;
    std::int64_t from_priority = 0;
    std::size_t to = 0;
    std::int64_t to_priority = 0;
    Right right{};
  };
  // Cells are of queues of one tree: between others, and where nobody is in a queue, `priority`
  // rules.
  std::vector<Cell> cells;

  // By indices; null between queues of different trees.
  const Right* find(std::size_t from, std::size_t from_priority, std::size_t to,
                    std::size_t to_priority) const;

 private:
  friend RightsTable make_rights(core::QuotaObjects& objects, const core::QuotaConfig& config,
                                 std::vector<std::int64_t> priorities);
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> first_;  // cell, by queues
};

RightsTable make_rights(core::QuotaObjects& objects, const core::QuotaConfig& config,
                        std::vector<std::int64_t> priorities);

void walk(const RightsTable& table, explain::FieldSink& sink);

}  // namespace tutti::queues
