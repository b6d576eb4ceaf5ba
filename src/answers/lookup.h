// From names to verdicts: what a scheduler knows of an object, and who waits.
#pragma once

#include "base/std.h"
#include "explain/explain.h"
#include "model/object.h"
#include "whatif/rehearsal.h"

namespace tutti::answers {

// The kind that may be explained: "pod", "pods", "PodGroup", …; empty for others.
std::optional<model::Kind> explained_kind(std::string_view word);

struct Finding {
  explain::Verdict verdict;
  std::optional<whatif::Asker> asker{};  // where somebody waits: who may be helped
};
// Empty when the scheduler does not know the object: there is none, it has ended, or it is another
// scheduler's. A Job is known by its pods: the verdict is that of its group, or of the first of its
// pods that waits.
std::optional<Finding> find_verdict(const explain::Sources& sources, model::Kind kind,
                                    std::string_view ns, std::string_view name);

// Whether pods are made of objects of this kind: "lws", "deployments", "PyTorchJob".
bool names_work(std::string_view word);
// Known by its pods, as Jobs are. Requires such a word, or none: of any such kind.
std::optional<Finding> find_work(const explain::Sources& sources, std::string_view word,
                                 std::string_view ns, std::string_view name);
// Whatever has the name: what pods are made of comes before groups, and those before pods.
std::optional<Finding> find_any(const explain::Sources& sources, std::string_view ns,
                                std::string_view name);

// What may have been meant by a name that find_any() does not find: "; there is a PodGroup
// ml/train",
// "; did you mean train-0?"; empty: nothing is near.
std::string suggestion(const explain::Sources& sources, std::string_view ns, std::string_view name);

// What is said of a Job without a group, one of whose pods waits: "2 of 3 pods run; needs 3 cpu …".
std::string of_job(std::size_t running, std::size_t pods, const std::string& said_of_pod);

// Whether a pod that is there has no node yet, neither by its object nor by our decision.
bool waits(const core::PodEntry& pod);

// What is tried as one: a group, the root of its tree where that is known, or a pod of no group.
struct Waiter {
  core::GroupId group;  // invalid: a lone pod
  core::PodId pod;      // invalid: a group
};
// All that wait for us, in no particular order.
std::vector<Waiter> waiters(const explain::Sources& sources);
explain::ObjectName name_of(const explain::Sources& sources, const Waiter& waiter);
explain::Verdict verdict_of(const explain::Sources& sources, const Waiter& waiter);

}  // namespace tutti::answers
