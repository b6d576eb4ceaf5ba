#include "core/requests/elastic.h"

#include <algorithm>
#include <map>

#include "base/check.h"

namespace tutti::core {

std::optional<std::size_t> elastic_set(const model::AdmissionRequest& request) {
  // Nobody knows how work of other kinds is made smaller while it runs.
  const bool of_a_job = std::ranges::any_of(request.meta.owners, [](const auto& owner) {
    return owner.controller && owner.kind == "Job";
  });
  const auto& sets = request.spec.pod_sets;
  if (!of_a_job || sets.size() != 1 || !sets.front().min_count) return std::nullopt;
  return *sets.front().min_count < sets.front().count ? std::optional<std::size_t>(0)
                                                      : std::nullopt;
}

std::int64_t elastic_pods(const Request& request) {
  const auto set = elastic_set(*request.object);
  if (!set || *set >= request.promise.size()) return 0;
  return left_to_run(*request.object, request.object->spec.pod_sets[*set],
                     request.promise[*set].count);
}

std::int64_t surplus_of(const Request& request) {
  const std::int64_t pods = elastic_pods(request);
  if (pods == 0) return 0;
  const auto& set = request.object->spec.pod_sets[*elastic_set(*request.object)];
  return std::max<std::int64_t>(0, pods - *set.min_count);
}

std::int64_t wanted_more(const Request& request) {
  const auto set = elastic_set(*request.object);
  if (!set || *set >= request.promise.size()) return 0;
  const model::PodSet& asked = request.object->spec.pod_sets[*set];
  const std::int64_t all = left_to_run(*request.object, asked, asked.count);
  return std::max<std::int64_t>(0, all - request.promise[*set].count);
}

std::vector<quota::Charge> charges_of(quota::Tree& tree, const Request& request,
                                      std::span<const PodSetPromise> promise,
                                      std::span<const std::int64_t> at_least) {
  if (request.tenure == quota::Tenure::opportunistic) return {};
  const model::AdmissionRequest& object = *request.object;
  std::map<std::pair<std::string, std::string>, quota::Amount> sums;
  for (std::size_t i = 0; i < promise.size(); ++i) {
    const std::int64_t count = promise[i].count;
    std::int64_t left = left_to_run(object, object.spec.pod_sets[i], count);
    if (i < at_least.size()) left = std::max(left, at_least[i]);
    for (const auto& [resource, amount] : promise[i].usage) {
      const auto flavor = promise[i].flavors.find(resource);
      if (flavor == promise[i].flavors.end()) continue;
      const quota::Amount charged =
          count > 0 ? quota::Amount{amount} * left / count : quota::Amount{amount};
      sums[{flavor->second, resource}] += charged;
    }
  }
  std::vector<quota::Charge> charges;
  for (const auto& [pair, amount] : sums) {
    charges.push_back(
        {tree.flavor_resources().intern(pair.first, pair.second), quota::to_int64(amount)});
  }
  return charges;
}

std::vector<quota::Charge> charges_of_pod(quota::Tree& tree, const PodSetPromise& promise) {
  TUTTI_CHECK(promise.count > 0, "a set without pods has none to charge");
  std::vector<quota::Charge> charges;
  for (const auto& [resource, amount] : promise.usage) {
    const auto flavor = promise.flavors.find(resource);
    if (flavor == promise.flavors.end()) continue;
    charges.push_back(
        {tree.flavor_resources().intern(flavor->second, resource), amount / promise.count});
  }
  return charges;
}

void resize(PodSetPromise& promise, std::int64_t count) {
  TUTTI_CHECK(promise.count > 0 && count > 0, "a set is resized, not emptied");
  for (auto& [resource, amount] : promise.usage) amount = amount / promise.count * count;
  promise.count = count;
}

}  // namespace tutti::core
