#include "core/shapes/shape.h"

#include <algorithm>
#include <tuple>

#include "base/digest.h"

namespace tutti::core {
namespace {

constexpr std::int64_t kDefaultMilliCpu = 100;
constexpr std::int64_t kDefaultMemoryBytes = 200LL << 20;

// Sorted, unique by resource.
using Amounts = std::vector<ResourceAmount>;

std::int64_t scheduler_amount(ResourceId resource, const Quantity& quantity) {
  return std::min(resource == kCpu ? quantity.milli() : quantity.units(), kAmountMax);
}

std::int64_t& slot(Amounts& amounts, ResourceId resource) {
  const auto at = std::ranges::lower_bound(amounts, resource, {}, &ResourceAmount::resource);
  if (at != amounts.end() && at->resource == resource) return at->amount;
  return amounts.insert(at, {resource, 0})->amount;
}

Amounts to_amounts(const model::ResourceList& list, const ResourceIds& ids) {
  Amounts amounts;
  for (const auto& [name, quantity] : list) {
    const ResourceId resource = ids(name);
    slot(amounts, resource) = scheduler_amount(resource, quantity);
  }
  return amounts;
}

void add(Amounts& into, const Amounts& more) {
  for (const auto& [resource, amount] : more) {
    std::int64_t& held = slot(into, resource);
    held = std::min(held + amount, kAmountMax);
  }
}

void raise(Amounts& into, const Amounts& atLeast) {
  for (const auto& [resource, amount] : atLeast) {
    std::int64_t& held = slot(into, resource);
    held = std::max(held, amount);
  }
}

// The API reports an infeasible resize as condition PodResizePending with reason Infeasible.
bool resize_infeasible(const model::Pod& pod) {
  const auto* condition = model::find(pod.status.conditions, "PodResizePending");
  return condition != nullptr && condition->status == "True" && condition->reason == "Infeasible";
}

Amounts container_requests(const model::Pod& pod, const model::Container& container,
                           const ResourceIds& ids) {
  const auto& reported = pod.status.container_resources;
  const auto status = std::ranges::find(reported, container.name, &model::ContainerResources::name);
  if (status == reported.end()) return to_amounts(container.requests, ids);
  Amounts amounts;
  if (!resize_infeasible(pod)) amounts = to_amounts(container.requests, ids);
  raise(amounts, to_amounts(status->allocated, ids));
  raise(amounts, to_amounts(status->actual, ids));
  return amounts;
}

// How one container's requests enter a sum: as they are, or with defaults for what scoring assumes.
template <typename OfContainer>
Amounts sum_over_containers(const model::PodSpec& spec, const OfContainer& of_container) {
  Amounts total;
  for (const auto& container : spec.containers) add(total, of_container(container));
  Amounts sidecars;
  Amounts init_peak;
  for (const auto& container : spec.init_containers) {
    const Amounts own = of_container(container);
    if (container.restart_always) {
      add(total, own);
      add(sidecars, own);
      raise(init_peak, sidecars);
    } else {
      Amounts during = sidecars;
      add(during, own);
      raise(init_peak, during);
    }
  }
  raise(total, init_peak);
  return total;
}

bool pod_level_resource(std::string_view name) {
  return name == "cpu" || name == "memory" || name.starts_with("hugepages-");
}

void replace_by_pod_level(Amounts& total, const model::PodSpec& spec, const ResourceIds& ids) {
  for (const auto& [name, quantity] : spec.pod_requests) {
    if (!pod_level_resource(name)) continue;
    const ResourceId resource = ids(name);
    slot(total, resource) = scheduler_amount(resource, quantity);
  }
}

std::int64_t nonzero_request(const model::Pod& pod, ResourceId resource, std::int64_t fallback,
                             const ResourceIds& ids) {
  Amounts total = sum_over_containers(*pod.spec, [&](const model::Container& container) {
    Amounts own = container_requests(pod, container, ids);
    std::int64_t& held = slot(own, resource);
    if (held == 0) held = fallback;
    return own;
  });
  replace_by_pod_level(total, *pod.spec, ids);
  add(total, to_amounts(pod.spec->overhead, ids));
  return slot(total, resource);
}

std::vector<HostPort> host_ports(const model::PodSpec& spec) {
  std::vector<HostPort> ports;
  const auto take = [&](const model::Container& container) {
    for (const auto& port : container.ports) {
      if (port.host_port <= 0) continue;
      ports.push_back(
          {port.host_ip.empty() ? "0.0.0.0" : port.host_ip, port.protocol, port.host_port});
    }
  };
  for (const auto& container : spec.containers) take(container);
  for (const auto& container : spec.init_containers) {
    if (container.restart_always) take(container);
  }
  return ports;
}

bool any_pod_affinity(const model::PodSpec& spec) {
  const auto any = [](const model::PodAffinity& affinity) {
    return !affinity.required.empty() || !affinity.preferred.empty();
  };
  return any(spec.affinity) || any(spec.anti_affinity);
}

bool has_a_place(const model::Volume& volume) {
  return volume.source != model::Volume::Source::other &&
         volume.source != model::Volume::Source::image;
}

// What a volume plugin looks at. The API server gives every pod a token volume with a name of its
// own; only the name of an ephemeral volume is part of a claim's.
std::vector<model::Volume> placed_volumes(const std::vector<model::Volume>& volumes) {
  std::vector<model::Volume> placed;
  for (const auto& volume : volumes) {
    if (!has_a_place(volume)) continue;
    placed.push_back(volume);
    if (volume.source != model::Volume::Source::ephemeral) placed.back().name.clear();
  }
  return placed;
}

// Filters and scores ask what is tolerated, not in which order nor for how long.
std::vector<model::Toleration> tolerations_in_order(std::vector<model::Toleration> tolerations) {
  const auto order = [](const model::Toleration& one) {
    return std::tie(one.key, one.op, one.value, one.effect);
  };
  for (auto& each : tolerations) each.toleration_seconds.reset();
  std::ranges::sort(tolerations, {}, order);
  tolerations.erase(std::unique(tolerations.begin(), tolerations.end()), tolerations.end());
  return tolerations;
}

std::vector<model::Container> images_of(const std::vector<model::Container>& containers) {
  std::vector<model::Container> kept;
  for (const auto& container : containers) {
    kept.emplace_back();
    kept.back().image = container.image;
  }
  return kept;
}

// The spec as far as plugins look at it.
std::shared_ptr<const model::PodSpec> looked_at(const std::shared_ptr<const model::PodSpec>& spec,
                                                PodAspects aspects) {
  if (looks_at(aspects, PodAspects::spec)) return spec;
  auto kept = std::make_shared<model::PodSpec>();
  if (looks_at(aspects, PodAspects::images)) {
    kept->containers = images_of(spec->containers);
    kept->init_containers = images_of(spec->init_containers);
  }
  kept->node_selector = spec->node_selector;
  kept->node_affinity = spec->node_affinity;
  kept->affinity = spec->affinity;
  kept->anti_affinity = spec->anti_affinity;
  kept->tolerations = tolerations_in_order(spec->tolerations);
  kept->spread = spec->spread;
  kept->volumes = placed_volumes(spec->volumes);
  kept->resource_claims = spec->resource_claims;
  kept->scheduler_name = spec->scheduler_name;
  return kept;
}

}  // namespace

std::int64_t PodShape::request(ResourceId resource) const {
  const auto at = std::ranges::lower_bound(requests, resource, {}, &ResourceAmount::resource);
  return at != requests.end() && at->resource == resource ? at->amount : 0;
}

std::vector<ResourceAmount> effective_requests(const model::Pod& pod, const ResourceIds& ids) {
  Amounts total = sum_over_containers(*pod.spec, [&](const model::Container& container) {
    return container_requests(pod, container, ids);
  });
  replace_by_pod_level(total, *pod.spec, ids);
  add(total, to_amounts(pod.spec->overhead, ids));
  slot(total, kPods) = 1;
  std::erase_if(total, [](const ResourceAmount& entry) { return entry.amount == 0; });
  return total;
}

bool is_device(std::string_view resource) {
  const auto slash = resource.find('/');
  return slash != std::string_view::npos && !resource.substr(0, slash).ends_with("kubernetes.io");
}

PodShape make_shape(const model::Pod& pod, const ResourceIds& ids, PodAspects aspects) {
  PodShape shape;
  shape.spec = looked_at(pod.spec, aspects);
  shape.ns = pod.meta.ns;
  shape.requests = effective_requests(pod, ids);
  shape.nonzero_cpu = nonzero_request(pod, kCpu, kDefaultMilliCpu, ids);
  shape.nonzero_memory = nonzero_request(pod, kMemory, kDefaultMemoryBytes, ids);
  shape.host_ports = host_ports(*pod.spec);
  shape.has_pod_affinity = any_pod_affinity(*pod.spec);
  shape.has_volumes = std::ranges::any_of(pod.spec->volumes, has_a_place);
  shape.has_own_volumes = std::ranges::any_of(pod.spec->volumes, [](const model::Volume& volume) {
    return volume.source == model::Volume::Source::ephemeral;
  });
  return shape;
}

// Collisions only cost a comparison, so the hash covers the fields that usually differ.
std::uint64_t shape_hash(const PodShape& shape) {
  Digest digest;
  digest.add(shape.ns);
  for (const auto& [resource, amount] : shape.requests) {
    digest.add(resource.index);
    digest.add(static_cast<std::uint64_t>(amount));
  }
  for (const auto& container : shape.spec->containers) digest.add(container.image);
  for (const auto& [key, value] : shape.spec->node_selector) {
    digest.add(key);
    digest.add(value);
  }
  for (const auto& toleration : shape.spec->tolerations) digest.add(toleration.key);
  for (const auto& toleration : shape.spec->tolerations) digest.add(toleration.value);
  for (const auto& volume : shape.spec->volumes) digest.add(volume.id);
  for (const auto& port : shape.host_ports) digest.add(static_cast<std::uint64_t>(port.port));
  digest.add(shape.spec->scheduler_name);
  return digest.value();
}

bool same_shape(const PodShape& a, const PodShape& b) {
  return a.ns == b.ns && a.requests == b.requests && a.nonzero_cpu == b.nonzero_cpu &&
         a.nonzero_memory == b.nonzero_memory && a.host_ports == b.host_ports &&
         (a.spec == b.spec || *a.spec == *b.spec);
}

}  // namespace tutti::core
