#include "core/requests/tree_owner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

namespace tutti::core {
namespace {

using model::StopPolicy;
using Mark = TreeMember::Mark;

constexpr std::size_t kNamesMax = 5;

constexpr std::array<std::pair<std::string_view, StopPolicy>, 3> kStopWords = {{
    {"None", StopPolicy::none},
    {"Hold", StopPolicy::hold},
    {"HoldAndDrain", StopPolicy::hold_and_drain},
}};

Mark mark_of(const model::Object& object) {
  const std::string* value = model::find(object.meta.annotations, kAdmissionOwner);
  if (value == nullptr) return Mark::none;
  if (*value == "tutti") return Mark::ours;
  return *value == "kueue" ? Mark::kueues : Mark::none;
}

StopPolicy said_stop(const model::Object& object) {
  const std::string* value = model::find(object.meta.annotations, kStopPolicy);
  if (value == nullptr) return StopPolicy::none;
  const auto word =
      std::ranges::find(kStopWords, *value, &std::pair<std::string_view, StopPolicy>::first);
  return word != kStopWords.end() ? word->second : StopPolicy::none;
}

// "ClusterQueue a, ClusterQueue b and 3 more": those of whom it is true; empty: nobody.
template <typename Is>
std::string names_of(std::span<const TreeMember> members, const Is& is) {
  std::string names;
  std::size_t count = 0;
  for (const TreeMember& member : members) {
    if (!is(member) || ++count > kNamesMax) continue;
    names += (names.empty() ? "" : ", ") + member.name;
  }
  if (count > kNamesMax) names += fmt::format(" and {} more", count - kNamesMax);
  return names;
}

void add_lack(std::string& missing, std::string_view what, const std::string& names) {
  if (names.empty()) return;
  missing += fmt::format("{}{} on {}", missing.empty() ? "" : "; ", what, names);
}

}  // namespace

TreeMember member_of(const model::ClusterQueue& queue) {
  return {"ClusterQueue " + queue.meta.name, mark_of(queue), queue.spec.stop != StopPolicy::hold};
}

TreeMember member_of(const model::Cohort& cohort) {
  return {"Cohort " + cohort.meta.name, mark_of(cohort), false};
}

TreeOwner owner_of_tree(const Authority& authority, std::span<const TreeMember> members) {
  const auto is_marked = [](const TreeMember& member) { return member.mark == Mark::ours; };
  const bool refused = std::ranges::any_of(
      members, [](const TreeMember& member) { return member.mark == Mark::kueues; });
  const bool nobody_else = authority.mode == BrokerMode::own && !authority.kueue_at_work;
  if (nobody_else && !refused) return {};
  if (std::ranges::none_of(members, is_marked)) return {.ours = false};
  TreeOwner owner;
  add_lack(owner.missing, "annotation tutti.dev/admission: tutti is missing",
           names_of(members, std::not_fn(is_marked)));
  if (authority.kueue_at_work) {
    add_lack(owner.missing, "spec.stopPolicy is not Hold, while Kueue is at work,",
             names_of(members, [](const TreeMember& member) { return member.lets_kueue_in; }));
  }
  owner.ours = owner.missing.empty();
  return owner;
}

StopPolicy stop_policy_of(const model::ClusterQueue& queue) {
  if (mark_of(queue) != Mark::ours) return queue.spec.stop;
  const StopPolicy said = said_stop(queue);
  return queue.spec.stop == StopPolicy::hold ? said : std::max(said, queue.spec.stop);
}

bool is_admission_owner(std::string_view value) { return value == "tutti" || value == "kueue"; }

bool is_stop_policy(std::string_view value) {
  return std::ranges::find(kStopWords, value, &std::pair<std::string_view, StopPolicy>::first) !=
         kStopWords.end();
}

std::string mark_problem(const model::Object& object) {
  const std::string* owner = model::find(object.meta.annotations, kAdmissionOwner);
  if (owner != nullptr && !is_admission_owner(*owner)) {
    return fmt::format("annotation {} must be tutti or kueue, is '{}'", kAdmissionOwner, *owner);
  }
  const std::string* stop = model::find(object.meta.annotations, kStopPolicy);
  if (stop != nullptr && !is_stop_policy(*stop)) {
    return fmt::format("annotation {} must be None, Hold or HoldAndDrain, is '{}'", kStopPolicy,
                       *stop);
  }
  return {};
}

}  // namespace tutti::core
