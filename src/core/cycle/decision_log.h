// DecisionLog: tells a listener of every decision, and sums all of them up in a digest.
#pragma once

#include "base/digest.h"
#include "base/std.h"
#include "core/framework/decision.h"

namespace tutti::core {

class DecisionLog {
 public:
  // `listener` may be null.
  explicit DecisionLog(DecisionListener* listener) : listener_(listener) {}

  void add(const Decision& decision);
  // Equal runs have equal digests.
  std::uint64_t digest() const { return digest_.value(); }

 private:
  DecisionListener* listener_;
  Digest digest_;
};

}  // namespace tutti::core
