// How Kueue spells choices, and reading those that it may add to.
#pragma once

#include "base/std.h"
#include "model/admission_request.h"
#include "model/quota.h"
#include "wire/decode/field_reader.h"

namespace tutti::wire {

// spec.queueingStrategy of a ClusterQueue.
inline constexpr EnumTable<model::QueueingStrategy, 2> kQueueingStrategies = {{
    {"StrictFIFO", model::QueueingStrategy::strict_fifo},
    {"BestEffortFIFO", model::QueueingStrategy::best_effort_fifo},
}};
// spec.stopPolicy of a ClusterQueue or LocalQueue.
inline constexpr EnumTable<model::StopPolicy, 3> kStopPolicies = {{
    {"None", model::StopPolicy::none},
    {"Hold", model::StopPolicy::hold},
    {"HoldAndDrain", model::StopPolicy::hold_and_drain},
}};
// spec.preemption: whom of the own queue, whom of others, and whom while borrowing.
inline constexpr EnumTable<model::WithinQueuePreemption, 3> kWithinQueue = {{
    {"Never", model::WithinQueuePreemption::never},
    {"LowerPriority", model::WithinQueuePreemption::lower_priority},
    {"LowerOrNewerEqualPriority", model::WithinQueuePreemption::lower_or_newer_equal},
}};
inline constexpr EnumTable<model::ReclaimPreemption, 3> kReclaims = {{
    {"Never", model::ReclaimPreemption::never},
    {"LowerPriority", model::ReclaimPreemption::lower_priority},
    {"Any", model::ReclaimPreemption::any},
}};
inline constexpr EnumTable<bool, 2> kBorrowPreemption = {
    {{"Never", false}, {"LowerPriority", true}}};
// spec.flavorFungibility: whether the search for a flavor ends here.
inline constexpr EnumTable<bool, 2> kSearchEnds = {{
    {"MayStopSearch", true},
    {"TryNextFlavor", false},
}};
// v1beta1 has a word of its own for MayStopSearch in each of the two fields.
inline constexpr EnumTable<bool, 3> kSearchEndsAtBorrow = {{
    {"MayStopSearch", true},
    {"TryNextFlavor", false},
    {"Borrow", true},
}};
inline constexpr EnumTable<bool, 3> kSearchEndsAtPreempt = {{
    {"MayStopSearch", true},
    {"TryNextFlavor", false},
    {"Preempt", true},
}};
// spec.flavorFungibility.preference.
inline constexpr EnumTable<model::FlavorPreference, 2> kFlavorPreferences = {{
    {"BorrowingOverPreemption", model::FlavorPreference::borrowing_over_preemption},
    {"PreemptionOverBorrowing", model::FlavorPreference::preemption_over_borrowing},
}};
// spec.admissionScope.admissionMode.
inline constexpr EnumTable<model::AdmissionMode, 2> kAdmissionModes = {{
    {"NoAdmissionFairSharing", model::AdmissionMode::no_fair_sharing},
    {"UsageBasedAdmissionFairSharing", model::AdmissionMode::usage_based},
}};
inline constexpr EnumTable<model::MigrationMode, 2> kMigrationModes = {{
    {"RetainFirstAdmission", model::MigrationMode::retain_first_admission},
    {"TryPreferredFlavors", model::MigrationMode::try_preferred_flavors},
}};
// status.admissionChecks[].state of a Workload.
inline constexpr EnumTable<model::CheckState, 4> kCheckStates = {{
    {"Pending", model::CheckState::pending},
    {"Ready", model::CheckState::ready},
    {"Retry", model::CheckState::retry},
    {"Rejected", model::CheckState::rejected},
}};
// status.preemptionGates[].position of a Workload: whether it is open.
inline constexpr EnumTable<bool, 2> kGatePositions = {{{"Closed", false}, {"Open", true}}};

// Reads a choice of the field `path`. A word that is not in the table is recorded and leaves
// `safest`: an object of a newer Kueue stays readable.
template <typename T, typename Choice, std::size_t N>
void read_choice(const Field& at, std::string_view name, std::string path, T& out, Choice safest,
                 const EnumTable<Choice, N>& words, model::UnknownWords& unknown) {
  at.member(name, [&](const Field& field) {
    std::string word;
    read(field, word);
    if (word.empty()) return;
    const auto entry = std::ranges::find(words, word, &std::pair<std::string_view, Choice>::first);
    if (entry != words.end()) {
      out = entry->second;
      return;
    }
    out = safest;
    std::string known;
    for (const auto& [text, meaning] : words) known.append(known.empty() ? "" : ", ").append(text);
    unknown.push_back({std::move(path), std::move(word), std::move(known)});
  });
}

// What a LocalQueue's usage is called.
inline bool is_kueue_v1beta1(const model::Object& object) {
  return object.api_version == model::kKueueV1Beta1;
}
inline std::string_view local_usage_member(const model::Object& queue) {
  return is_kueue_v1beta1(queue) ? "flavorUsage" : "flavorsUsage";
}
// v1beta1 misspells it.
inline std::string_view past_execution_member(const model::Object& request) {
  return is_kueue_v1beta1(request) ? "accumulatedPastExexcutionTimeSeconds"
                                   : "accumulatedPastExecutionTimeSeconds";
}

}  // namespace tutti::wire
