#include "replay/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace tutti::replay {
namespace {

using GpuPolicy = core::FractionalGpuArgs::Policy;

// What a placement is in the scheduler's configuration.
struct Place {
  std::string_view name;
  GpuPolicy gpus = GpuPolicy::none;
  std::optional<core::FitArgs::Strategy> fit = {};
};
constexpr std::string_view kProductDefault = "default";
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
    {"fgd-blend", GpuPolicy::fragmentation_gradient},
}};
// Chosen on five lists and four seeds of the published experiment.
constexpr double kBlend = 0.9;

constexpr std::string_view kFit = "NodeResourcesFit";
constexpr std::string_view kGpus = "FractionalGpus";
constexpr std::string_view kPreemption = "DefaultPreemption";

const Place* find_place(std::string_view name) {
  const auto* const at = std::ranges::find(kPlaces, name, &Place::name);
  return at == kPlaces.end() ? nullptr : at;
}

Error unknown(std::string_view what, std::string_view word, std::span<const std::string_view> known) {
  const std::string_view meant = nearest_word(word, known);
  return {Error::Code::invalid,
          fmt::format("--policy: there is no {} '{}'{}; there are {}", what, brief_line(word),
                      meant.empty() ? "" : fmt::format(" (did you mean {}?)", meant),
                      fmt::join(known, ", "))};
}

Status set_order(Policy& policy, std::string_view word) {
  constexpr std::array<std::string_view, 2> kKnown = {"fifo", "priority"};
  if (std::ranges::find(kKnown, word) == kKnown.end()) return unknown("order", word, kKnown);
  policy.order = word == "fifo" ? Policy::Order::fifo : Policy::Order::priority;
  return ok_status();
}

Status set_start(std::string_view word) {
  constexpr std::array<std::string_view, 1> kKnown = {"best-effort"};
  if (std::ranges::find(kKnown, word) == kKnown.end()) return unknown("start rule", word, kKnown);
  return ok_status();
}

Status set_place(Policy& policy, std::string_view word) {
  if (find_place(word) == nullptr) return unknown("placement", word, place_names());
  policy.place = word;
  return ok_status();
}

Status set_preemption(Policy& policy, std::string_view word) {
  constexpr std::array<std::string_view, 2> kKnown = {"off", "priority"};
  if (std::ranges::find(kKnown, word) == kKnown.end()) return unknown("preemption", word, kKnown);
  policy.preempts = word == "priority";
  return ok_status();
}

Status set(Policy& policy, std::string_view part) {
  const std::size_t equals = part.find('=');
  if (equals == std::string_view::npos) return set_place(policy, part);
  const std::string_view key = part.substr(0, equals);
  const std::string_view word = part.substr(equals + 1);
  if (key == "order") return set_order(policy, word);
  if (key == "start") return set_start(word);
  if (key == "place") return set_place(policy, word);
  if (key == "preempt") return set_preemption(policy, word);
  constexpr std::array<std::string_view, 4> kKnown = {"order", "start", "place", "preempt"};
  return unknown("key", key, kKnown);
}

}  // namespace

bool Policy::looks_at_devices() const {
  const Place* const found = find_place(place);
  return found != nullptr && found->gpus != GpuPolicy::none;
}

std::span<const std::string_view> place_names() {
  static const auto names = [] {
    std::array<std::string_view, kPlaces.size()> all;
    std::ranges::transform(kPlaces, all.begin(), &Place::name);
    return all;
  }();
  return names;
}

Result<Policy> parse_policy(std::string_view text) {
  Policy policy;
  policy.name = text;
  if (text.empty()) return Error{Error::Code::invalid, "--policy: expected a name"};
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    TUTTI_TRY(set(policy, rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (policy.preempts && policy.order == Policy::Order::fifo) {
    return Error{Error::Code::invalid,
                 "--policy: preempt=priority needs order=priority: without priorities nobody may "
                 "be evicted"};
  }
  return policy;
}

Result<std::vector<Policy>> parse_policies(std::string_view text) {
  std::vector<std::string> one_by_one;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    const bool goes_on = part.find('=') != std::string_view::npos && !one_by_one.empty() &&
                         one_by_one.back().find('=') != std::string::npos &&
                         !part.starts_with("order=");
    if (goes_on) {
      one_by_one.back() += fmt::format(",{}", part);
    } else {
      one_by_one.emplace_back(part);
    }
    begin = end + 1;
  }
  std::vector<Policy> policies;
  for (const std::string& one : one_by_one) {
    TUTTI_ASSIGN(Policy policy, parse_policy(one));
    const auto same = [&](const Policy& other) { return other.name == policy.name; };
    if (std::ranges::any_of(policies, same)) {
      return Error{Error::Code::invalid, fmt::format("--policy: '{}' is given twice", one)};
    }
    policies.push_back(std::move(policy));
  }
  return policies;
}

core::SchedulerConfig scheduler_config(const Policy& policy, std::uint64_t seed,
                                       std::vector<core::TypicalPod> typical,
                                       std::int64_t all_pods) {
  const Place* const place = find_place(policy.place);
  TUTTI_CHECK(place != nullptr, "a policy names a placement that there is");
  core::ProfileConfig profile;
  if (!policy.preempts) {
    profile.at(core::Point::multi_point).disabled.emplace_back(kPreemption);
  }
  if (place->name != kProductDefault) profile.at(core::Point::score).disabled.emplace_back("*");
  if (place->fit) {
    profile.at(core::Point::score).enabled.push_back({std::string(kFit), 1});
    core::FitArgs args;
    args.strategy = *place->fit;
    profile.args[std::string(kFit)] = std::move(args);
  }
  if (place->gpus != GpuPolicy::none) {
    profile.at(core::Point::score).enabled.push_back({std::string(kGpus), 1});
    core::FractionalGpuArgs args;
    args.policy = place->gpus;
    args.typical_pods = std::move(typical);
    args.all_pods = all_pods;
    args.seed = seed;
    if (place->name == "fgd-blend") args.blend = kBlend;
    profile.args[std::string(kGpus)] = std::move(args);
  }
  core::SchedulerConfig config;
  config.profiles.push_back(std::move(profile));
  // A retry costs nothing in virtual time: what may fit now is tried at the next event.
  config.initial_backoff = config.max_backoff = Millis{1};
  return config;
}

}  // namespace tutti::replay
