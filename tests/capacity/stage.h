// A scheduler at rest before a few objects, and the capacity report on it.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "capacity/report.h"
#include "core/scheduler/scheduler.h"
#include "support/build.h"
#include "support/default_profile.h"
#include "support/fake_port.h"

namespace tutti::test {

inline constexpr const char* kGpu = "nvidia.com/gpu";

class CapacityStage {
 public:
  CapacityStage() : scheduler_(options(), default_profiles(), port_) { port_.serve(scheduler_); }

  template <typename T>
  CapacityStage& add(const std::shared_ptr<const T>& object) {
    port_.apply(object);
    return *this;
  }
  CapacityStage& add(const NodeBuilder& node) { return add(node.build()); }
  CapacityStage& add(const PodBuilder& pod) { return add(pod.build()); }
  // A gang of pods like this one, named g-0, g-1 …
  CapacityStage& gang(const std::string& name, int members, const PodBuilder& like,
                      const std::string& key = {}) {
    add(pod_group(name).gang(members).topology(key).build());
    for (int i = 0; i < members; ++i) {
      auto member = std::make_shared<model::Pod>(*like.build());
      auto spec = std::make_shared<model::PodSpec>(*member->spec);
      spec->scheduling_group = name;
      member->spec = std::move(spec);
      member->meta.name = member->meta.uid = name + "-" + std::to_string(i);
      add(std::shared_ptr<const model::Pod>(std::move(member)));
    }
    return *this;
  }

  const core::Scheduler& scheduler() const { return scheduler_; }
  Instant now() const { return port_.now(); }

  capacity::Report report(std::vector<capacity::Shape> shapes = {}) {
    settled_ = port_.settle();
    capacity::ClusterCopy twin(scheduler_, default_profiles());
    return capacity::make_report({.scheduler = scheduler_,
                                  .sources = explain::sources_of(scheduler_),
                                  .now = port_.now(),
                                  .shapes = std::move(shapes)},
                                 twin);
  }
  bool settled() const { return settled_; }

 private:
  static core::SchedulerOptions options() {
    core::SchedulerOptions made;
    made.config = default_config();
    return made;
  }

  FakePort port_;
  core::Scheduler scheduler_;
  bool settled_ = false;
};

}  // namespace tutti::test
