#include "config/places.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"

namespace tutti::config {
namespace {

using GpuPolicy = core::FractionalGpuArgs::Policy;

struct Place {
  std::string_view name;
  GpuPolicy gpus = GpuPolicy::none;
  std::optional<core::FitArgs::Strategy> fit = {};
};
constexpr std::string_view kProductDefault = "default";
constexpr std::string_view kBlended = "fgd-blend";
constexpr std::array<Place, 11> kPlaces = {{
    {kProductDefault},
    {"first-fit"},
    {"random", GpuPolicy::random},
    {"least-allocated", GpuPolicy::none, core::FitArgs::Strategy::least_allocated},
    {"most-allocated", GpuPolicy::none, core::FitArgs::Strategy::most_allocated},
    {"best-fit", GpuPolicy::best_fit},
    {"dot-product", GpuPolicy::dot_product},
    {"gpu-packing", GpuPolicy::gpu_packing},
    {"gpu-clustering", GpuPolicy::gpu_clustering},
    {"fgd", GpuPolicy::fragmentation_gradient},
    {kBlended, GpuPolicy::fragmentation_gradient},
}};
// Chosen on five lists and four seeds of the published experiment.
constexpr double kBlend = 0.9;

const Place& place_called(std::string_view name) {
  const auto* const at = std::ranges::find(kPlaces, name, &Place::name);
  TUTTI_CHECK(at != kPlaces.end(), name);
  return *at;
}

void score_by_fit(core::ProfileConfig& profile, core::FitArgs::Strategy strategy) {
  const std::string plugin = "NodeResourcesFit";
  profile.at(core::Point::score).enabled.push_back({plugin, 1});
  core::FitArgs args;
  args.strategy = strategy;
  profile.args[plugin] = std::move(args);
}

void score_by_gpus(core::ProfileConfig& profile, const Place& place, PlaceContext context) {
  const std::string plugin = "FractionalGpus";
  profile.at(core::Point::score).enabled.push_back({plugin, 1});
  core::FractionalGpuArgs args;
  args.policy = place.gpus;
  args.typical_pods = std::move(context.typical_pods);
  args.all_pods = context.all_pods;
  args.seed = context.seed;
  if (place.name == kBlended) args.blend = kBlend;
  profile.args[plugin] = std::move(args);
}

}  // namespace

std::span<const std::string_view> place_names() {
  static const auto names = [] {
    std::array<std::string_view, kPlaces.size()> all;
    std::ranges::transform(kPlaces, all.begin(), &Place::name);
    return all;
  }();
  return names;
}

bool looks_at_devices(std::string_view place) {
  return place_called(place).gpus != GpuPolicy::none;
}

bool expects_typical_pods(std::string_view place) {
  return place_called(place).gpus == GpuPolicy::fragmentation_gradient;
}

core::ProfileConfig place_profile(std::string_view name, bool preempts, PlaceContext context) {
  const Place& place = place_called(name);
  core::ProfileConfig profile;
  if (!preempts) profile.at(core::Point::multi_point).disabled.emplace_back("DefaultPreemption");
  if (place.name != kProductDefault) profile.at(core::Point::score).disabled.emplace_back("*");
  if (place.fit) score_by_fit(profile, *place.fit);
  if (place.gpus != GpuPolicy::none) score_by_gpus(profile, place, std::move(context));
  return profile;
}

}  // namespace tutti::config
