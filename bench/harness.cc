#include "harness.h"

#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

#include "base/check.h"
#include "core/framework/claim_patch.h"
#include "model/apps.h"
#include "plugins/registry.h"
#include "support/build.h"

namespace tutti::bench {
namespace {

std::vector<core::Profile> default_profiles() {
  std::vector<core::Profile> profiles;
  auto profile = plugins::build_profile(core::ProfileConfig{});
  TUTTI_CHECK(profile.ok());
  profiles.push_back(*std::move(profile));
  return profiles;
}

bool plain() {
  static const bool asked = std::getenv("TUTTI_BENCH_PLAIN") != nullptr;
  return asked;
}

model::ObjectPtr delivered(const model::Pod& pod) {
  auto made = std::make_shared<model::Pod>(pod);
  auto spec = std::make_shared<model::PodSpec>(*pod.spec);
  model::Volume token;
  token.name = "kube-api-access-" + pod.meta.name;
  spec->volumes.push_back(std::move(token));
  made->spec = std::move(spec);
  made->meta.labels.push_back({"zz-index", pod.meta.name});
  return made;
}

template <typename Selecting>
model::ObjectPtr selecting(const char* name, decltype(Selecting::selector) selector) {
  auto made = std::make_shared<Selecting>();
  made->meta.ns = test::pod("p").build()->meta.ns;
  made->meta.name = name;
  made->meta.uid = name;
  made->selector = std::move(selector);
  return made;
}

}  // namespace

std::size_t InstantCluster::answer(core::Scheduler& scheduler, Instant now) {
  for (const auto& patch : std::exchange(claims_, {})) {
    const auto* known = scheduler.cluster().find_object<model::ResourceClaim>(patch.ns, patch.name);
    if (known == nullptr || !core::allows(*known, patch)) continue;
    auto next = std::make_shared<model::ResourceClaim>(*known);
    core::apply(*next, patch, now);
    ++next->meta.resource_version;
    scheduler.observe({core::Observation::Type::modified, std::move(next), false}, now);
  }
  for (auto& object : std::exchange(updated_, {})) {
    scheduler.observe({core::Observation::Type::modified, std::move(object), false}, now);
  }
  const std::vector<core::BindRequest> bound = std::move(bound_);
  bound_.clear();
  for (const auto& request : bound) {
    const auto id = scheduler.cluster().pods().find(request.pod.uid);
    TUTTI_CHECK(id.has_value());
    auto placed = std::make_shared<model::Pod>(*scheduler.cluster().pod(*id).object);
    placed->node_name = request.node;
    scheduler.bind_finished(request.pod, ok_status(), now);
    scheduler.observe({core::Observation::Type::modified, std::move(placed), false}, now);
  }
  return bound.size();
}

World::World(core::DecisionListener* listener)
    : scheduler(core::SchedulerOptions{}, default_profiles(), port, listener) {
  if (plain()) return;
  const model::LabelSelector web{{{"app", "web"}}, {}};
  add(selecting<model::Service>("web", {{"app", "web"}}));
  add(selecting<model::ReplicaSet>("web-1", web));
  add(selecting<model::StatefulSet>("db", model::LabelSelector{{{"app", "db"}}, {}}));
}

void World::add(model::ObjectPtr object) {
  if (!plain() && object->kind == model::Kind::pod) {
    object = delivered(model::as<model::Pod>(*object));
  }
  scheduler.observe({core::Observation::Type::added, std::move(object), false}, now);
}

void World::remove(model::ObjectPtr object) {
  scheduler.observe({core::Observation::Type::deleted, std::move(object), false}, now);
}

std::size_t World::run() {
  std::size_t bound = 0;
  while (scheduler.schedule_one(now)) bound += port.answer(scheduler, now);
  return bound;
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double cpu_seconds_of(const std::function<void()>& work) {
  const auto spent = [] {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  };
  const double start = spent();
  work();
  return spent() - start;
}

void print(const Figure& figure) {
  const bool least = figure.bound == Figure::Bound::at_least;
  const bool ok = least ? figure.value >= figure.limit : figure.value <= figure.limit;
  fmt::print(R"({{"scene":"{}","figure":"{}","value":{:.6g},"unit":"{}","{}":{:.6g},"ok":{}}})"
             "\n",
             figure.scene, figure.name, figure.value, figure.unit, least ? "at_least" : "at_most",
             figure.limit, ok);
  std::fflush(stdout);
}

}  // namespace tutti::bench
