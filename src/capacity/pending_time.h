// PendingTime: how long work waited, and because of what, over a whole run.
//
// From the moment it was created to its first attempt, work is held: its group or members are
// missing, or a gate is closed. After a failed attempt it waits for what its verdict names, which
// whatever happens may change: everyone who waits is looked at whenever an instant came to rest. A
// look costs a verdict, so there are so many of them; when they are used up, work is looked at when
// it is refused again, the more rarely the longer it has waited.
#pragma once

#include <functional>
#include <map>
#include <set>

#include "base/std.h"
#include "base/time.h"
#include "core/framework/decision.h"

namespace tutti::capacity {

struct PendingCost {
  std::string blocker;     // the word of a verdict: "capacity"
  std::string constraint;  // a resource or topology key, where the blocker has one
  std::size_t entities = 0;
  Millis waited{0};    // of all of them together
  Millis pod_time{0};  // the same, times the pods that waited
};

class PendingTime final : public core::DecisionListener {
 public:
  // What is known about an entity, "PodGroup ns/name" or "Pod ns/name".
  struct Facts {
    std::optional<Instant> created;  // its first pod
    bool came_last = false;          // a part of it was created at the time asked about
    std::size_t pods = 1;
  };
  struct Reason {
    std::string blocker;
    std::string constraint;
    bool operator==(const Reason&) const = default;
  };
  using FactsOf = std::function<Facts(const std::string& entity, Instant now)>;
  // Empty: there is no such entity any more.
  using ReasonOf = std::function<std::optional<Reason>(const std::string& entity)>;

  // How many looks at rest there may be. Enough for a hundred that wait over a thousand instants.
  static constexpr std::size_t kLooks = 100'000;
  explicit PendingTime(std::size_t looks = kLooks) : looks_left_(looks) {}

  void decided(const core::Decision& decision) override { fresh_.push_back(decision); }
  // Takes in what was decided since. To be called while the cluster is still as the decisions left
  // it, and not from inside one.
  void catch_up(const FactsOf& facts_of, const ReasonOf& reason_of);
  // To be called when all that happens at this instant has happened, before time goes on.
  void come_to_rest(Instant now, const FactsOf& facts_of, const ReasonOf& reason_of);

  // Most pod time first. What still waits at `now` counts until then, what went away while it
  // waited until the last look at it.
  std::vector<PendingCost> costs(Instant now,
                                 const std::function<bool(const std::string&)>& waits) const;
  // An entity that was never tried.
  void add_untried(const std::string& entity, const Reason& reason, Instant since, Instant until,
                   std::size_t pods);
  bool knows(const std::string& entity) const { return entities_.contains(entity); }

 private:
  struct Wait {
    Instant first;   // when it was first refused
    Instant since;   // since when it waits for `reason`
    Instant looked;  // when the reason was found
    std::size_t pods = 1;
    Reason reason;
    bool waits = false;
  };
  struct Sum {
    std::set<std::string> entities;
    Millis waited{0};
    Millis pod_time{0};
  };
  using Sums = std::map<std::pair<std::string, std::string>, Sum>;

  void take_in(const core::Decision& decision, const FactsOf& facts_of, const ReasonOf& reason_of);
  void refused(const std::string& entity, Wait& wait, Instant at, const ReasonOf& reason_of);
  void book(const std::string& entity, Wait& wait, Instant until);
  static void add(Sums& sums, const std::string& entity, const Reason& reason, Millis waited,
                  std::size_t pods);

  std::size_t looks_left_;
  std::vector<core::Decision> fresh_;
  std::map<std::string, Wait> entities_;
  std::set<std::string> waiting_;  // of them
  Sums sums_;
};

}  // namespace tutti::capacity
