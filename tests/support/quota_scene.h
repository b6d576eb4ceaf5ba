// Quota trees of one resource, written as a table of queues and cohorts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/check.h"
#include "quota/tree.h"

namespace tutti::quota {

struct GpuQuota {
  std::int64_t nominal = 0;
  std::optional<std::int64_t> borrow{};
  std::optional<std::int64_t> lend{};
  Weight weight{};
};

struct QuotaScene {
  Tree tree{};
  FlavorResourceId gpu = tree.flavor_resources().intern("std", "gpu");

  void queue(std::string_view name, std::string_view cohort, GpuQuota quota) {
    tree.put(Tree::Kind::queue, name, spec(cohort, quota));
  }
  void cohort(std::string_view name, std::string_view parent, GpuQuota quota) {
    tree.put(Tree::Kind::cohort, name, spec(parent, quota));
  }
  void use(std::string_view queue, std::int64_t amount) {
    const Charge charge[] = {{gpu, amount}};
    tree.add_usage(node(queue), charge);
  }
  // A queue of this name, else a cohort.
  QuotaNodeId node(std::string_view name) const {
    const auto queue = tree.find(Tree::Kind::queue, name);
    const auto found = queue ? queue : tree.find(Tree::Kind::cohort, name);
    TUTTI_CHECK(found.has_value(), name);
    return *found;
  }

 private:
  NodeSpec spec(std::string_view parent, const GpuQuota& quota) const {
    return {.parent = std::string(parent),
            .quotas = {{.of = gpu,
                        .nominal = quota.nominal,
                        .borrowing_limit = quota.borrow,
                        .lending_limit = quota.lend}},
            .weight = quota.weight};
  }
};

}  // namespace tutti::quota
