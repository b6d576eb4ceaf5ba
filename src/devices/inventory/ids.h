// Ids of the tables of devices and claims.
#pragma once

#include "base/id.h"
#include "base/std.h"

namespace tutti::devices {

using DeviceId = Id<struct DeviceTag>;            // driver, pool and device name; published or not
using PoolId = Id<struct PoolTag>;                // driver and pool name
using ReachId = Id<struct ReachTag>;              // a distinct "usable from"
using SelectorId = Id<struct SelectorTag>;        // a distinct expression
using PlanId = Id<struct PlanTag>;                // a distinct claim spec
using ClaimId = Id<struct ClaimTag>;              // a claim
using AttributeId = Id<struct AttributeTag>;      // an attribute's name, or "*/name"
using SpanId = Id<struct SpanTag>;                // what devices of several nodes have in common
using ExtendedId = Id<struct ExtendedTag>;        // what pods ask for under names of resources
using ConfinementId = Id<struct ConfinementTag>;  // a distinct set of bounds

// A node, as whoever keeps nodes counts them.
using NodeIndex = std::uint32_t;
// A pod, as whoever keeps pods counts them.
using PodIndex = std::uint32_t;

}  // namespace tutti::devices
