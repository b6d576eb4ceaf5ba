#include "core/requests/pod_set_amounts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/interner.h"
#include "core/shapes/shape.h"
#include "quota/amount.h"

namespace tutti::core {
namespace {

using quota::Amount;

model::ResourceList with_limits(const model::Container& container) {
  model::ResourceList all = container.requests;
  for (const auto& limit : container.limits) {
    if (model::find(container.requests, limit.first) == nullptr) all.push_back(limit);
  }
  std::ranges::sort(all, {}, &std::pair<std::string, Quantity>::first);
  return all;
}

std::shared_ptr<const model::PodSpec> completed(const model::PodSpec& spec) {
  auto whole = std::make_shared<model::PodSpec>(spec);
  for (auto* containers : {&whole->containers, &whole->init_containers}) {
    for (model::Container& container : *containers) container.requests = with_limits(container);
  }
  return whole;
}

// Ids of resources as shapes count them: those that every node has come first.
class ResourceNames {
 public:
  ResourceNames() {
    for (const std::string_view name :
         {kCpuName, std::string_view("memory"), std::string_view("ephemeral-storage"), kPodsName}) {
      names_.intern(name);
    }
  }
  ResourceId id(std::string_view name) { return {names_.intern(name)}; }
  std::string_view name(ResourceId id) const { return names_.text(id.index); }

 private:
  Interner names_;
};

void add(ResourceAmounts& amounts, std::string_view resource, Amount amount) {
  auto& sum = amounts[std::string(resource)];
  sum = quota::to_int64(Amount{sum} + amount);
}

bool is_ignored(std::string_view resource, const QuotaConfig& config) {
  return std::ranges::any_of(config.ignored_resources, [&](const std::string& prefix) {
    return resource.starts_with(prefix);
  });
}

const ResourceTransformation* transformation_of(std::string_view resource,
                                                const QuotaConfig& config) {
  const auto at =
      std::ranges::find(config.transformations, resource, &ResourceTransformation::input);
  return at != config.transformations.end() ? &*at : nullptr;
}

// Outputs are given per whole unit of the input and of what multiplies it; milli-cpu is therefore
// a thousandth of either.
Amount output_of(const model::ResourceList::value_type& output, const ResourceTransformation& rule,
                 std::int64_t amount, std::int64_t factor) {
  const Amount per_unit = base_units(output.first, output.second);
  Amount below = rule.input == kCpuName ? 1000 : 1;
  if (rule.multiply_by == kCpuName) below *= 1000;
  return (per_unit * amount * factor + below - 1) / below;
}

ResourceAmounts transformed(const ResourceAmounts& asked, const QuotaConfig& config) {
  ResourceAmounts out;
  for (const auto& [resource, amount] : asked) {
    const ResourceTransformation* rule = transformation_of(resource, config);
    if (rule == nullptr || !rule->replaces) add(out, resource, amount);
    if (rule == nullptr) continue;
    const auto times_of = asked.find(rule->multiply_by);
    const std::int64_t factor = rule->multiply_by.empty() ? 1
                                : times_of == asked.end() ? 0
                                                          : times_of->second;
    for (const auto& output : rule->outputs) {
      add(out, output.first, output_of(output, *rule, amount, factor));
    }
  }
  return out;
}

}  // namespace

std::int64_t base_units(std::string_view resource, const Quantity& quantity) {
  return resource == kCpuName ? quantity.milli() : quantity.units();
}

Quantity quantity_of(std::string_view resource, std::int64_t base_units) {
  return resource == kCpuName ? Quantity::from_milli(base_units) : Quantity::from_units(base_units);
}

std::string flaw_of(const model::PodSet& set) {
  if (set.pods.spec == nullptr) return {};
  for (const auto* containers : {&set.pods.spec->containers, &set.pods.spec->init_containers}) {
    for (const model::Container& container : *containers) {
      for (const auto& [resource, amount] : container.requests) {
        const Quantity* limit = model::find(container.limits, resource);
        if (limit == nullptr || amount <= *limit) continue;
        return fmt::format("pod set {}: container {} requests more {} than its limit", set.name,
                           container.name, resource);
      }
    }
  }
  return {};
}

ResourceAmounts amounts_of_pod(const model::PodSet& set, const std::string& ns,
                               const QuotaConfig& config) {
  ResourceAmounts asked;
  if (set.pods.spec == nullptr) return asked;
  model::Pod pod;
  pod.meta.ns = ns;
  pod.spec = completed(*set.pods.spec);
  ResourceNames names;
  const auto requests =
      effective_requests(pod, [&](std::string_view name) { return names.id(name); });
  for (const ResourceAmount& request : requests) {
    const std::string_view name = names.name(request.resource);
    if (name != kPodsName && !is_ignored(name, config)) add(asked, name, request.amount);
  }
  // Who asks for 0 of something needs a flavor for it, too.
  for (const model::Container& container : pod.spec->containers) {
    for (const auto& [name, amount] : container.requests) {
      if (name != kPodsName && !is_ignored(name, config)) add(asked, name, 0);
    }
  }
  return transformed(asked, config);
}

ResourceAmounts times(const ResourceAmounts& of_pod, std::int64_t count) {
  ResourceAmounts all;
  for (const auto& [resource, amount] : of_pod) {
    all[resource] = quota::to_int64(Amount{amount} * count);
  }
  return all;
}

}  // namespace tutti::core
