// What a pod set asks for, as quota counts it: the effective requests of one pod times the count,
// without what the configuration leaves out and with what it makes of other resources.
#pragma once

#include <map>

#include "base/std.h"
#include "core/framework/quota_config.h"
#include "model/admission_request.h"

namespace tutti::core {

// Amounts by resource, in base units: milli for cpu, whole units for the rest.
using ResourceAmounts = std::map<std::string, std::int64_t, std::less<>>;

inline constexpr std::string_view kCpuName = "cpu";
inline constexpr std::string_view kPodsName = "pods";

// An amount of the resource as a quantity says it.
std::int64_t base_units(std::string_view resource, const Quantity& quantity);
Quantity quantity_of(std::string_view resource, std::int64_t base_units);

// Why no pod of the set could ever be made; empty: nothing is wrong with what it asks for.
std::string flaw_of(const model::PodSet& set);
// What one pod of the set asks for, `pods` left out. Missing requests are its limits.
ResourceAmounts amounts_of_pod(const model::PodSet& set, const std::string& ns,
                               const QuotaConfig& config);
// `count` times the amounts of a pod; amounts beyond int64 are cut off there.
ResourceAmounts times(const ResourceAmounts& of_pod, std::int64_t count);

}  // namespace tutti::core
