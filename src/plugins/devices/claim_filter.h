// Which nodes can serve the claims of a class of pods, and how well.
#pragma once

#include <map>

#include "base/bitset.h"
#include "base/std.h"
#include "core/framework/plugin.h"
#include "devices/device_state.h"

namespace tutti::plugins {

// Answers per node for one set of wanted claims. They outlive an evaluation: an answer is good
// whenever the node's devices are as they were. Nodes go back and forth between few states, as
// members of a gang are tried on them and as what ran there ends.
class NodeAnswers {
 public:
  struct Answer {
    devices::Stamp stamp;
    devices::Solution::Outcome outcome = devices::Solution::Outcome::impossible;
    std::unique_ptr<const std::string> fault;
    std::unique_ptr<const devices::Prospect> prospect;  // when somebody asked
  };

  // `domains` are attributes that name them, widest first.
  explicit NodeAnswers(std::vector<std::string> domains) : domains_(std::move(domains)) {}

  // About the node as it is now; valid until the next question.
  const Answer& outcome(const core::Cluster& cluster, const std::vector<devices::Wanted>& wanted,
                        core::NodeId node) {
    return answer(cluster, wanted, node);
  }
  // Up to kMaxPackingScore: better alternatives of prioritized requests first, then the node where
  // the least stops being whole (devices/allocation/fragmentation.h).
  std::int64_t score(const core::Cluster& cluster, const std::vector<devices::Wanted>& wanted,
                     core::NodeId node);

  // What was found of the node when it was scored; null: it was not, or is another since.
  const devices::Prospect* prospect(const core::Cluster& cluster,
                                    const std::vector<devices::Wanted>& wanted,
                                    core::NodeId node) const;

  std::uint64_t last_used = 0;

 private:
  // Bounds memory: an answer costs some hundred bytes.
  static constexpr std::size_t kStatesMax = 4;

  Answer& answer(const core::Cluster& cluster, const std::vector<devices::Wanted>& wanted,
                 core::NodeId node);

  std::vector<std::string> domains_;
  std::vector<std::vector<Answer>> nodes_;  // the latest asked for first
  std::uint64_t nodes_version_ = 0;
};

// The answers of the sets asked for most recently.
class AnswerCache {
 public:
  explicit AnswerCache(std::vector<std::string> domains) : domains_(std::move(domains)) {}
  std::shared_ptr<NodeAnswers> get(const std::vector<devices::Wanted>& wanted);
  // Null: nobody asked for the set lately.
  const NodeAnswers* find(const std::vector<devices::Wanted>& wanted) const;

 private:
  static constexpr std::size_t kCapacity = 64;
  std::vector<std::string> domains_;
  std::vector<std::pair<std::vector<devices::Wanted>, std::shared_ptr<NodeAnswers>>> entries_;
  std::uint64_t clock_ = 0;
};

class ClaimFilter final : public core::FilterEvaluator {
 public:
  ClaimFilter(const core::Cluster& cluster, const devices::PodClaims& claims,
              std::shared_ptr<NodeAnswers> answers);

  void filter(Bitset& nodes) const override;
  bool accepts(core::NodeId node) const override;
  std::int64_t room(core::NodeId node) const override;
  std::vector<core::PluginStatus> explain(core::NodeId node) const override;
  core::Effect changed(const core::Change& change) override;

 private:
  void confine(const devices::PodClaims& claims);
  const NodeAnswers::Answer& answer(core::NodeId node) const {
    return answers_->outcome(cluster_, open_, node);
  }

  const core::Cluster& cluster_;
  std::vector<devices::Wanted> open_;
  std::vector<std::string> settled_;  // names of claims that are allocated already
  Bitset within_reach_;               // of what is allocated already; and in its domains
  std::shared_ptr<NodeAnswers> answers_;
  devices::Stamp seen_;  // of what all nodes have in common
};

}  // namespace tutti::plugins
