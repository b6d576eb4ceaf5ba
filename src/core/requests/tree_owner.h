// Who decides about a tree of queues: we or Kueue. Never two, and never about half a tree.
//
// A ClusterQueue or Cohort is marked by the annotation tutti.dev/admission: tutti (ours) or kueue.
// In a tree of ours Kueue is kept away by spec.stopPolicy Hold; whether we stop is said by the
// annotation tutti.dev/stop-policy instead.
#pragma once

#include "base/std.h"
#include "core/framework/broker_config.h"
#include "model/quota.h"

namespace tutti::core {

inline constexpr std::string_view kAdmissionOwner = "tutti.dev/admission";
inline constexpr std::string_view kStopPolicy = "tutti.dev/stop-policy";
// Controller of AdmissionChecks that ask us whether there are places.
inline constexpr std::string_view kPlacementChecker = "tutti.dev/placement";

struct Authority {
  BrokerMode mode = BrokerMode::own;
  bool kueue_at_work = false;  // its manager holds its Lease
  bool operator==(const Authority&) const = default;
};

// One ClusterQueue or Cohort of a tree.
struct TreeMember {
  enum class Mark : std::uint8_t { none, ours, kueues };
  std::string name;  // "ClusterQueue a"
  Mark mark = Mark::none;
  bool lets_kueue_in = false;  // a ClusterQueue whose spec.stopPolicy is not Hold
};
TreeMember member_of(const model::ClusterQueue& queue);
TreeMember member_of(const model::Cohort& cohort);

struct TreeOwner {
  bool ours = true;
  // What a tree that somebody marks lacks to be ours, in words; empty: nothing, or nobody marks it.
  std::string missing{};
  bool operator==(const TreeOwner&) const = default;
};
TreeOwner owner_of_tree(const Authority& authority, std::span<const TreeMember> members);

// The stop policy that we heed.
model::StopPolicy stop_policy_of(const model::ClusterQueue& queue);
// What is wrong with the two annotations of a ClusterQueue or Cohort, which then count as absent;
// empty: nothing.
std::string mark_problem(const model::Object& object);
// Whether the values may stand there: "tutti", "kueue"; "None", "Hold", "HoldAndDrain".
bool is_admission_owner(std::string_view value);
bool is_stop_policy(std::string_view value);

}  // namespace tutti::core
