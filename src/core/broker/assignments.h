// Assignments: which flavors a request could have, one assignment after another, best first; and
// why there is none.
#pragma once

#include <unordered_map>

#include "base/std.h"
#include "core/broker/phantoms.h"
#include "core/requests/request_table.h"
#include "quota/flavors.h"
#include "quota/victims.h"

namespace tutti::core {

// Everybody who holds quota in a tree, as the searches for victims see them: of elastic requests,
// pods that they can do without are entries of their own, before the rest.
struct Holders {
  std::vector<quota::Running> running;
  std::vector<Request*> requests;  // of the same index
};
Holders holders_of(RequestTable& table, const QuotaQueue& queue);
// How victims are judged under fair sharing; empty: shares do not matter.
std::vector<quota::FairStrategy> fair_strategies(const QuotaConfig& config);
quota::Preemptor preemptor_of(const QuotaQueue& queue, const Request& request);
// Whom the request may evict by its queue's policy and by what it is itself.
quota::PreemptionPolicy policy_for(const QuotaQueue& queue, const Request& request);
// Whether shares decide about its victims: what it is guaranteed does not depend on them.
bool is_judged_by_shares(const QuotaConfig& config, const Request& request);

// One way to serve a request.
struct FlavorChoice {
  quota::Assignment assignment;
  std::vector<PodSetPromise> promise;  // by pod set
  std::vector<PhantomForm> forms;      // by pod set
  bool on_topology = false;            // some flavor has one
};

class Assignments {
 public:
  explicit Assignments(RequestTable& table) : table_(table) {}

  // What the best assignment of the whole request would be charged, and how far it reaches up.
  // Kept until charges or objects change.
  struct Outlook {
    std::uint64_t releases = 0;  // RequestTable::quota_version
    std::uint64_t usage = 0;     // RequestTable::usage_version
    bool fits = false;
    std::vector<quota::Charge> charges{};
    std::uint32_t borrow_level = 0;
  };
  const Outlook& outlook(const QuotaQueue& queue, const Request& request);
  void forget(const std::string& request) { outlooks_.erase(request); }

 private:
  RequestTable& table_;
  std::unordered_map<std::string, Outlook> outlooks_;
};

// The search of one attempt. Nothing may be charged while it lives, but by those who take it back.
class AssignmentList {
 public:
  AssignmentList(RequestTable& table, const QuotaQueue& queue, const Request& request,
                 std::span<const std::int64_t> counts);
  AssignmentList(const AssignmentList&) = delete;
  AssignmentList& operator=(const AssignmentList&) = delete;
  ~AssignmentList();

  std::optional<FlavorChoice> next();
  // Why there is none that fits, once the first was asked for; without a message if it would fit.
  PendingReason refusal() const;
  const Holders& holders();

 private:
  class Victims;
  // Pod sets that get the same flavors.
  struct Unit {
    std::vector<std::size_t> sets;
  };
  struct SlotOf {
    std::size_t unit = 0;
    std::size_t group = 0;                  // of the queue's resource groups
    std::vector<std::string> mismatches{};  // by flavor; empty: usable
  };

  void find_units();
  void find_undeclared();
  void make_slots();
  quota::FlavorOption option_for(const Unit& unit, const model::ResourceGroup& group,
                                 std::size_t flavor, std::string& mismatch);
  bool asks_for_any(const Unit& unit, const model::ResourceGroup& group) const;
  std::int64_t amount(std::size_t set, const std::string& resource) const;
  bool asks(std::size_t set, const std::string& resource) const;
  FlavorChoice choice(quota::Assignment assignment) const;
  std::string set_names(const Unit& unit) const;

  RequestTable& table_;
  const QuotaQueue& queue_;
  const Request& request_;
  std::vector<std::int64_t> counts_;
  bool topology_implied_ = false;
  std::vector<Unit> units_;
  std::vector<SlotOf> slots_;
  std::vector<quota::Slot> options_;
  std::optional<PendingReason> undeclared_;
  std::unique_ptr<Victims> victims_;
  std::optional<quota::AssignmentSearch> search_;
  std::optional<Holders> holders_;
  bool empty_given_ = false;  // a request that asks for nothing has one assignment
};

// The pods that the request asks for and that have not ended yet, by pod set.
std::vector<std::int64_t> full_counts(const Request& request);

}  // namespace tutti::core
