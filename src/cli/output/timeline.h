// --timeline: every decision as one line of JSON.
#pragma once

#include <fstream>

#include "base/result.h"
#include "base/std.h"
#include "core/framework/decision.h"

namespace tutti::cli {

// {"at":"1m30s","seconds":90.000,"decision":"placed","entity":"PodGroup t/g","attempt":1,
//  "bindings":{"t/a":"n1"},"message":""}
std::string timeline_line(const core::Decision& decision, Instant start);

// The file of --timeline.
class TimelineFile final : public core::DecisionListener {
 public:
  // Creates or empties the file. Decisions before this are not written; times count from `start`.
  Status open(const std::string& path, Instant start);
  void decided(const core::Decision& decision) override;
  // Whether everything reached the file; ok when none was opened.
  Status close();

 private:
  Instant start_;
  std::string path_;
  std::ofstream file_;
};

}  // namespace tutti::cli
