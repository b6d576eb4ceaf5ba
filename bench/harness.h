// What scenes share: a cluster behind the port that answers at once, a stopwatch, a figure as JSON.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/framework/ports.h"
#include "core/scheduler/scheduler.h"

namespace tutti::bench {

// Accepts every binding; answer() tells the scheduler so, as a watch would.
class InstantCluster : public core::ClusterPort {
 public:
  void bind(const core::BindRequest& request) override { bound_.push_back(request); }
  void evict(const core::PodReference&, const model::Condition&) override {}
  void patch_pod(const core::PodStatusPatch&) override {}
  void patch_group(const core::GroupConditionPatch&) override {}
  void record(const core::EventRecord&) override {}
  void update(const model::ObjectPtr&) override {}
  void patch_claim(const core::ClaimPatch& patch) override { claims_.push_back(patch); }
  void update_request(const std::shared_ptr<const model::AdmissionRequest>& request) override {
    updated_.push_back(request);
  }
  void update_queue_status(const model::ObjectPtr& queue) override { updated_.push_back(queue); }

  std::size_t answer(core::Scheduler& scheduler, Instant now);

 private:
  std::vector<core::BindRequest> bound_;
  std::vector<core::ClaimPatch> claims_;
  std::vector<model::ObjectPtr> updated_;
};

// A scheduler in a cluster as real ones are: pods come as an API server delivers them, each with a
// spec and a token volume of its own and an index among its labels, and Services, ReplicaSets and
// StatefulSets select other pods. TUTTI_BENCH_PLAIN=1 leaves all that out, for comparing.
struct World {
  explicit World(core::DecisionListener* listener = nullptr);
  void add(model::ObjectPtr object);
  void remove(model::ObjectPtr object);
  // Runs until nothing is left to try at this instant; returns how many pods were bound.
  std::size_t run();

  InstantCluster port;
  core::Scheduler scheduler;
  Instant now{};
};

double seconds_of(const std::function<void()>& work);
// Of this process: what neighbours take of the machine is left out. For ratios.
double cpu_seconds_of(const std::function<void()>& work);

struct Figure {
  std::string_view scene;
  std::string_view name;
  double value = 0;
  std::string_view unit;
  enum class Bound { at_least, at_most } bound = Bound::at_least;
  double limit = 0;
};
void print(const Figure& figure);

}  // namespace tutti::bench
