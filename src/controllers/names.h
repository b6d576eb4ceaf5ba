// Names of objects that controllers make, spelled as kube-controller-manager spells them.
#pragma once

#include "base/std.h"

namespace tutti::controllers {

// FNV-1a of 32 bits in decimal, each digit as a letter that is safe in names.
std::string name_hash(std::string_view text);

// "<owner>-<hash of its uid>".
std::string workload_name(std::string_view owner, std::string_view owner_uid);
// "<workload>-<template>-<hash of both>".
std::string pod_group_name(std::string_view workload, std::string_view template_name);

// `prefix` and five letters that `uid` and `attempt` decide; long prefixes are cut.
std::string generated_name(std::string_view prefix, std::string_view uid, std::uint64_t attempt);
// The longest prefix that generated_name() leaves whole.
inline constexpr std::size_t kGeneratedPrefixMax = 58;

}  // namespace tutti::controllers
