// A scripted cluster in a few lines: objects with annotations, run to the end with FirstFit.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/run.h"
#include "sim/script/script.h"
#include "sim/world.h"
#include "store/typed.h"
#include "support/build.h"
#include "support/first_fit.h"

namespace tutti::test {

class Scene {
 public:
  using Annotations = std::initializer_list<std::pair<const char*, const char*>>;

  // Annotation names go without "tutti.dev/".
  Scene& add(const model::ObjectPtr& object, Annotations annotations = {}) {
    auto written = store::clone(*object);
    for (const auto& [name, value] : annotations) {
      put(written->meta.annotations, std::string("tutti.dev/") + name, std::string(value));
    }
    const auto line = static_cast<int>(objects.size()) + 1;
    objects.push_back({std::move(written), "scene.yaml", line});
    return *this;
  }

  // The scene is a copy of what there was at that moment.
  Scene& taken(Instant when) {
    taken_at = when;
    return *this;
  }

  Result<sim::Script> script() const { return sim::build_script({objects, {}, taken_at}); }

  std::vector<sim::LoadedObject> objects;
  std::optional<Instant> taken_at;
};

// A scene that runs. Invariants are on.
struct Stage {
  explicit Stage(const Scene& scene, sim::WorldOptions options = {}) {
    auto script = scene.script();
    EXPECT_TRUE(script.ok()) << (script.ok() ? "" : script.error().message);
    world = std::make_unique<sim::World>(script.ok() ? *std::move(script) : sim::Script{}, options);
    scheduler = std::make_unique<FirstFit>(*world);
    runner = std::make_unique<sim::Runner>(*world, *scheduler, sim::RunOptions{.check = true});
  }

  sim::RunResult run(std::optional<Millis> until = {}) { return runner->run_until(until); }
  std::shared_ptr<const model::Pod> pod(const std::string& name) const {
    return world->store().find<model::Pod>("t", name);
  }
  std::string node_of(const std::string& name) const {
    const auto found = pod(name);
    return found ? found->node_name : "(gone)";
  }
  std::shared_ptr<const model::Node> node(const std::string& name) const {
    return world->store().find<model::Node>("", name);
  }

  std::unique_ptr<sim::World> world;
  std::unique_ptr<FirstFit> scheduler;
  std::unique_ptr<sim::Runner> runner;
};

}  // namespace tutti::test
