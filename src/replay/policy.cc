#include "replay/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "config/places.h"

namespace tutti::replay {
namespace {

Error unknown(std::string_view what, std::string_view word,
              std::span<const std::string_view> known) {
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

Status set_start(Policy& policy, std::string_view word) {
  constexpr std::array<std::string_view, 4> kKnown = {"best-effort", "strict", "easy",
                                                      "conservative"};
  const auto at = std::ranges::find(kKnown, word);
  if (at == kKnown.end()) return unknown("start rule", word, kKnown);
  policy.start = static_cast<Policy::Start>(at - kKnown.begin());
  return ok_status();
}

Status set_place(Policy& policy, std::string_view word) {
  const auto known = config::place_names();
  if (std::ranges::find(known, word) == known.end()) return unknown("placement", word, known);
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
  if (key == "start") return set_start(policy, word);
  if (key == "place") return set_place(policy, word);
  if (key == "preempt") return set_preemption(policy, word);
  constexpr std::array<std::string_view, 4> kKnown = {"order", "start", "place", "preempt"};
  return unknown("key", key, kKnown);
}

}  // namespace

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
  if (policy.preempts && policy.in_queue()) {
    return Error{Error::Code::invalid,
                 "--policy: preempt=priority needs start=best-effort: with other start rules "
                 "nobody is evicted"};
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
  core::SchedulerConfig config;
  config.profiles.push_back(config::place_profile(
      policy.place, policy.preempts,
      {.seed = seed, .typical_pods = std::move(typical), .all_pods = all_pods}));
  // A retry costs nothing in virtual time: what may fit now is tried at the next event.
  config.initial_backoff = config.max_backoff = Millis{1};
  core::BackfillArgs& backfill = config.broker.backfill;
  if (policy.start == Policy::Start::easy) backfill.mode = core::BackfillMode::easy;
  if (policy.start == Policy::Start::conservative) backfill.mode = core::BackfillMode::conservative;
  return config;
}

}  // namespace tutti::replay
