// Outages: when nodes are down, as a list says, or drawn from the mean times between failures and
// to repair of nodes and of whole domains.
#pragma once

#include <map>

#include "base/random.h"
#include "base/std.h"
#include "trace/job.h"

namespace tutti::replay {

// Exponential times. Each node, and each domain of a level, has a stream of its own: what fails
// when does not depend on anything else that happens.
struct FailureModel {
  std::optional<Millis> between;  // failures of one node
  Millis repair{std::chrono::hours(2)};
  // Domains of a level, each as one: all its nodes go at once.
  std::vector<std::pair<std::string, Millis>> domains;
};

class Outages {
 public:
  struct Change {
    std::uint32_t node = 0;
    bool down = false;
    bool operator==(const Change&) const = default;
  };

  // The nodes must outlive it.
  Outages(std::span<const trace::Node> nodes, const FailureModel& model, std::uint64_t seed);

  // When the next node goes or returns; nothing: never.
  std::optional<Millis> next() const;
  // Whether some node is down now.
  bool any_down() const { return down_now_ > 0; }
  // What changes at that time or before: returns first, each in the order of nodes. A node that is
  // down twice is down until both are over.
  std::vector<Change> take(Millis now);

 private:
  // What fails as one.
  struct Source {
    std::vector<std::uint32_t> nodes;
    std::optional<trace::Outage> listed;  // absent: drawn
    Millis between{0};
    std::optional<Random> random;
    bool down = false;
    std::optional<Millis> next;
  };

  void add_listed(std::span<const trace::Node> nodes);
  void add_drawn(std::span<const trace::Node> nodes, const FailureModel& model, std::uint64_t seed);
  void plan(Source& source, Millis now) const;

  std::vector<Source> sources_;
  // By time; sources of one time in their order.
  std::multimap<Millis, std::size_t> planned_;
  std::vector<std::int32_t> reasons_;  // to be down, by node
  std::int64_t down_now_ = 0;
  Millis repair_{0};
};

}  // namespace tutti::replay
