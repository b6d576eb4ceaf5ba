// QuotaOutlook: what flavors ask of victims, answered by the searches of victims.h.
#pragma once

#include "base/std.h"
#include "quota/flavors.h"
#include "quota/victims.h"

namespace tutti::quota {

class QuotaOutlook final : public VictimOutlook {
 public:
  enum class Sharing : std::uint8_t { classical, fair };

  // Only the preemptor's queue, priority and timestamp count. What is borrowed must outlive this.
  QuotaOutlook(Tree& tree, Preemptor preemptor, const PreemptionPolicy& policy,
               std::span<const Running> running, Sharing sharing,
               FairStrategies strategies = kDefaultStrategies)
      : tree_(tree),
        preemptor_(std::move(preemptor)),
        policy_(policy),
        running_(running),
        sharing_(sharing),
        strategies_(strategies) {}

  Grade outlook(FlavorResourceId of, Amount amount) override;

 private:
  Tree& tree_;
  Preemptor preemptor_;
  const PreemptionPolicy& policy_;
  std::span<const Running> running_;
  Sharing sharing_;
  FairStrategies strategies_;
};

}  // namespace tutti::quota
