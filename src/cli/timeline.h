// --timeline: every decision as one line of JSON.
#pragma once

#include <ostream>
#include <string>

#include "core/decision.h"

namespace tutti::cli {

// {"at":"1m30s","decision":"placed","entity":"PodGroup t/g","attempt":1,
//  "bindings":{"t/a":"n1"},"message":""}
std::string timeline_line(const core::Decision& decision, Instant start);

class Timeline final : public core::DecisionListener {
 public:
  // `out` must outlive it; times count from `start`.
  Timeline(std::ostream& out, Instant start) : out_(out), start_(start) {}
  void decided(const core::Decision& decision) override;

 private:
  std::ostream& out_;
  Instant start_;
};

}  // namespace tutti::cli
