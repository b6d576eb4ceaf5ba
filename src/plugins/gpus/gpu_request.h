// GpuRequest: what a pod asks for of the GPUs of a node, read from its request of kGpuMilli.
#pragma once

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/shapes/shape.h"

namespace tutti::plugins {

// Thousandths of a device.
using GpuMilli = std::int32_t;
inline constexpr GpuMilli kWholeGpu = 1000;

struct GpuRequest {
  std::int32_t devices = 0;  // 0: none
  GpuMilli milli = 0;        // of each; less than a whole one only for a single device

  bool shared() const { return milli < kWholeGpu; }
  GpuMilli total() const { return devices * milli; }
  auto operator<=>(const GpuRequest&) const = default;
};

// Up to 1000 is a share of one device, multiples of 1000 are whole ones. Nothing for other amounts.
inline std::optional<GpuRequest> gpu_request(std::int64_t amount) {
  constexpr std::int64_t kDevicesMax = 1'000'000;
  if (amount <= 0) return GpuRequest{};
  if (amount <= kWholeGpu) return GpuRequest{1, static_cast<GpuMilli>(amount)};
  if (amount % kWholeGpu != 0 || amount / kWholeGpu > kDevicesMax) return std::nullopt;
  return GpuRequest{static_cast<std::int32_t>(amount / kWholeGpu), kWholeGpu};
}

inline std::int64_t gpu_milli_of(const core::Cluster& cluster, const core::PodShape& shape) {
  const auto resource = cluster.resources().find(core::kGpuMilli);
  return resource ? shape.request(*resource) : 0;
}

}  // namespace tutti::plugins
