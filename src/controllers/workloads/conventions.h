// Pods that name their gang in the words of other schedulers.
//
//   says                                                   the gang's minimum is in
//   label kueue.x-k8s.io/pod-group-name                    the pod's annotation
//                                                          kueue.x-k8s.io/pod-group-total-count
//   annotation scheduling.k8s.io/group-name (Volcano)      minMember of scheduling.volcano.sh's
//                                                          PodGroup of that name
//   label scheduling.x-k8s.io/pod-group (scheduler-        minMember of scheduling.x-k8s.io's
//   plugins)                                               PodGroup of that name
//
// Such a pod joins a PodGroup of that name as it comes; the controller makes the PodGroup as soon
// as it knows the minimum. It is one of v1alpha2, whose members may differ in priority: the other
// schedulers let them.
#pragma once

#include "base/std.h"
#include "controllers/controller.h"
#include "model/pod.h"
#include "store/store.h"

namespace tutti::controllers {

enum class Convention : std::uint8_t { none, kueue, volcano, scheduler_plugins };

struct ConventionalGroup {
  Convention convention = Convention::none;
  std::string name{};
};
// The gang that the pod names in one of these ways; none if it says schedulingGroup itself.
ConventionalGroup named_by_convention(const model::Pod& pod);
// Its name alone; empty: none.
std::string conventional_group(const model::Pod& pod);
// In whose words a pod says its gang in the label, or annotation, of this name.
Convention convention_of(std::string_view key);
// In whose words the pod, which has joined its group, named it; none if it said schedulingGroup.
Convention joined_by(const model::Pod& pod);
// The annotation in which Kueue's pods say how large their gang is.
inline constexpr std::string_view kKueueCount = "kueue.x-k8s.io/pod-group-total-count";
// The annotation of pods that are no gang, though they are a group of Kueue's.
inline constexpr std::string_view kKueueServing = "kueue.x-k8s.io/pod-group-serving";
// How the pod itself says how large its gang is: in Kueue's words only.
std::optional<std::int32_t> counted_by_pod(const model::Pod& pod);

// A PodGroup of Volcano or of scheduler-plugins.
bool is_foreign_group(const model::Object& object);
// As the convention calls its PodGroups; empty: it has none.
std::string_view group_version_of(Convention convention);

// Who says how large the gang is: the PodGroup of another scheduler, or else pods that count it.
struct GangCount {
  model::ObjectPtr group = nullptr;
  std::vector<std::shared_ptr<const model::Pod>> pods = {};
};
GangCount who_counts(const store::Store& objects, const model::ObjectKey& group);

class ConventionController : public Controller {
 public:
  using Controller::Controller;

  void observe(const store::WatchEvent& event) override;

 protected:
  // Makes the PodGroup if it is missing and a minimum is known.
  void reconcile(const model::ObjectKey& key) override;

 private:
  std::optional<std::int32_t> minimum_of(const model::ObjectKey& group) const;
};

}  // namespace tutti::controllers
