// ClaimClasses: numbers for what the claims of pods come to, so that pods alike are asked about
// once.
#pragma once

#include <map>

#include "base/interner.h"
#include "base/std.h"
#include "devices/claims/claim.h"

namespace tutti::devices {

class ClaimClasses {
 public:
  // Claims that come to the same have equal numbers, from 1.
  std::uint32_t class_of(const PodClaims& claims);

 private:
  std::map<std::vector<std::uint64_t>, std::uint32_t> classes_;
  Interner problems_;
};

}  // namespace tutti::devices
