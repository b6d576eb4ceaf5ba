// MemberKind: waiting members that ask nodes for the same. What several kinds of them ask for is
// changed together where one alone does not help.
#pragma once

#include "base/std.h"
#include "core/shapes/ids.h"
#include "model/pod.h"
#include "whatif/pod_edits.h"
#include "whatif/rehearsal.h"
#include "whatif/ways.h"

namespace tutti::whatif {

// Up to this many kinds are each tried alone; a person reads no longer list.
inline constexpr std::size_t kFewKinds = 4;
// Rehearsals to find out which of many kinds need not be changed.
inline constexpr std::size_t kKindTries = 32;

struct MemberKind {
  std::vector<core::PodId> pods;
  std::shared_ptr<const model::PodSpec> spec;  // of the first; the others may differ in gates only
};

// Empty when there are too many pods to be changed in a rehearsal.
std::vector<MemberKind> kin_of(const Rehearsal& rehearsal);
// "pod t/a", "3 pods like t/a".
std::string name_of(const Rehearsal& rehearsal, const MemberKind& kin);

struct MemberKindEdit {
  const MemberKind* kin = nullptr;
  PodEdit edit;
};
using Edits = std::vector<const MemberKindEdit*>;  // of different kin

Rehearsal::Outcome outcome_with(Rehearsal& rehearsal, const Edits& edits);
// The way that makes all of them, under the kind of the first. None when somebody's object cannot
// be written.
void add_way(Rehearsal& rehearsal, const Edits& edits, std::string summary,
             const Rehearsal::Outcome& outcome, Ways& ways);
// " (pod t/a, 3 pods like t/b)"; empty when that is everyone who waits.
std::string whose(const Rehearsal& rehearsal, const Edits& edits);

}  // namespace tutti::whatif
