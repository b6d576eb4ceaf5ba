// Random clusters with queues, and Workloads for them.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "model/admission_request.h"
#include "model/quota.h"
#include "support/build.h"

namespace tutti::test {

struct QuotaWorld {
  std::vector<std::string> flavors, queues, cohorts;
  std::vector<model::ObjectPtr> objects;  // in the order in which they are to be made
};

class QuotaWorldMaker {
 public:
  explicit QuotaWorldMaker(Random& random) : random_(random) {}

  QuotaWorld make() {
    QuotaWorld world;
    const std::size_t flavors = 1 + pick(3);
    for (std::size_t f = 0; f < flavors; ++f) add_flavor(world, "f" + std::to_string(f));
    const std::size_t cohorts = pick(4);
    for (std::size_t c = 0; c < cohorts; ++c) add_cohort(world, "c" + std::to_string(c));
    const std::size_t queues = 1 + pick(4);
    for (std::size_t q = 0; q < queues; ++q) add_queue(world, "q" + std::to_string(q));
    return world;
  }

  std::shared_ptr<const model::AdmissionRequest> workload(const QuotaWorld& world,
                                                          const std::string& name, Instant now) {
    auto made = std::make_shared<model::AdmissionRequest>();
    made->meta.ns = "t";
    made->meta.name = name;
    made->meta.uid = "workload-" + name;
    made->meta.created = now;
    made->spec.queue = world.queues[pick(world.queues.size())];
    made->spec.priority = static_cast<std::int32_t>(pick(3));
    const std::size_t sets = chance(25) ? 2 : 1;
    for (std::size_t s = 0; s < sets; ++s) {
      model::PodSet set;
      set.name = "s" + std::to_string(s);
      set.count = static_cast<std::int32_t>(1 + pick(3));
      auto spec = std::make_shared<model::PodSpec>();
      spec->containers.push_back({.name = "main",
                                  .image = "image",
                                  .requests = {},
                                  .limits = {},
                                  .claims = {},
                                  .ports = {}});
      put(spec->containers[0].requests, "cpu", quantity(std::to_string(1 + pick(3))));
      set.pods.spec = spec;
      made->spec.pod_sets.push_back(std::move(set));
    }
    return made;
  }

  model::QuotaAmount quota(bool has_parent) {
    model::QuotaAmount amount;
    amount.resource = "cpu";
    amount.nominal = cores(9);
    if (has_parent && chance(30)) amount.borrowing_limit = cores(6);
    if (has_parent && chance(30)) {
      const auto nominal = static_cast<std::size_t>(amount.nominal.units());
      amount.lending_limit = cores(nominal + 1);
    }
    return amount;
  }

 private:
  std::size_t pick(std::size_t below) { return static_cast<std::size_t>(random_.below(below)); }
  bool chance(std::size_t percent) { return pick(100) < percent; }
  Quantity cores(std::size_t below) {
    return Quantity::from_units(static_cast<std::int64_t>(pick(below)));
  }

  void add_flavor(QuotaWorld& world, const std::string& name) {
    auto flavor = std::make_shared<model::ResourceFlavor>();
    flavor->meta.name = flavor->meta.uid = name;
    flavor->node_labels = {{"flavor", name}};
    world.flavors.push_back(name);
    world.objects.push_back(flavor);
    const std::size_t nodes = 1 + pick(3);
    for (std::size_t n = 0; n < nodes; ++n) {
      world.objects.push_back(node("n-" + name + "-" + std::to_string(n))
                                  .cpu(std::to_string(2 + pick(7)))
                                  .label("flavor", name)
                                  .build());
    }
  }

  model::ResourceGroup group(const QuotaWorld& world, bool has_parent, std::size_t flavors_min) {
    model::ResourceGroup made{.covered = {"cpu"}, .flavors = {}};
    auto names = world.flavors;
    while (names.size() > flavors_min && chance(25)) {
      names.erase(names.begin() + static_cast<std::ptrdiff_t>(pick(names.size())));
    }
    if (names.size() > 1 && chance(50)) std::swap(names.front(), names.back());
    for (const std::string& name : names) made.flavors.push_back({name, {quota(has_parent)}});
    return made;
  }

  void add_cohort(QuotaWorld& world, const std::string& name) {
    auto cohort = std::make_shared<model::Cohort>();
    cohort->meta.name = cohort->meta.uid = name;
    if (!world.cohorts.empty() && chance(70)) {
      cohort->spec.parent = world.cohorts[pick(world.cohorts.size())];
    }
    if (chance(40)) {
      cohort->spec.groups.push_back(group(world, !cohort->spec.parent.empty(), 1));
    }
    cohort->spec.weight = Quantity::from_units(static_cast<std::int64_t>(pick(3)));
    world.cohorts.push_back(name);
    world.objects.push_back(cohort);
  }

  void add_queue(QuotaWorld& world, const std::string& name) {
    auto queue = std::make_shared<model::ClusterQueue>();
    queue->meta.name = queue->meta.uid = name;
    model::ClusterQueueSpec& spec = queue->spec;
    if (!world.cohorts.empty() && chance(85)) {
      spec.cohort = world.cohorts[pick(world.cohorts.size())];
    }
    spec.groups.push_back(group(world, !spec.cohort.empty(), 1));
    spec.namespace_selector = model::LabelSelector{};
    if (chance(40)) spec.strategy = model::QueueingStrategy::strict_fifo;
    spec.preemption.within = static_cast<model::WithinQueuePreemption>(pick(3));
    if (!spec.cohort.empty()) {
      spec.preemption.reclaim = static_cast<model::ReclaimPreemption>(pick(3));
      spec.preemption.while_borrowing =
          spec.preemption.reclaim != model::ReclaimPreemption::never && chance(40);
    }
    spec.fungibility.stops_when_borrowing = chance(50);
    spec.fungibility.stops_when_preempting = chance(50);
    if (chance(30))
      spec.fungibility.preference = model::FlavorPreference::preemption_over_borrowing;
    spec.weight = Quantity::from_units(static_cast<std::int64_t>(pick(3)));
    world.queues.push_back(name);
    world.objects.push_back(queue);
    auto local = std::make_shared<model::LocalQueue>();
    local->meta.ns = "t";
    local->meta.name = local->meta.uid = name;
    local->spec.cluster_queue = name;
    world.objects.push_back(local);
  }

  Random& random_;
};

}  // namespace tutti::test
