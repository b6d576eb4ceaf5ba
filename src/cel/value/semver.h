// Semantic versions (semver.org 2.0.0) as Kubernetes' CEL library reads them.
#pragma once

#include <compare>

#include "base/result.h"
#include "base/std.h"

namespace tutti::cel {

class Semver {
 public:
  // MAJOR.MINOR.PATCH[-PRERELEASE][+BUILD], strictly.
  static Result<Semver> parse(std::string_view text);
  // First drops a leading 'v', adds missing minor and patch parts and strips leading zeros.
  static Result<Semver> parse_normalized(std::string_view text);

  std::uint64_t major() const { return major_; }
  std::uint64_t minor() const { return minor_; }
  std::uint64_t patch() const { return patch_; }
  // The version without its build metadata.
  std::string text() const;

  // Precedence: a pre-release comes before its release; build metadata does not take part.
  friend std::strong_ordering operator<=>(const Semver& a, const Semver& b);
  friend bool operator==(const Semver& a, const Semver& b) { return (a <=> b) == 0; }

 private:
  std::uint64_t major_ = 0;
  std::uint64_t minor_ = 0;
  std::uint64_t patch_ = 0;
  std::string prerelease_;
};

}  // namespace tutti::cel
