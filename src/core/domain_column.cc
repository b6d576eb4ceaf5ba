#include "core/domain_column.h"

#include <algorithm>

namespace tutti::core {
namespace {

struct DomainNames {
  const std::vector<std::string>& values;
  const std::string& operator()(std::uint32_t domain) const { return values[domain]; }
};

}  // namespace

void DomainColumn::put(NodeId node, const std::string* value) {
  std::uint32_t& domain = domain_of[node.index];
  if (domain != kNone) --node_count[domain];
  domain = kNone;
  if (value == nullptr) return;
  const auto [at, fresh] =
      domain_ids.try_emplace(*value, static_cast<std::uint32_t>(values.size()));
  if (fresh) {
    values.push_back(*value);
    node_count.push_back(0);
    ranks_.add(at->second, DomainNames{values});
  }
  domain = at->second;
  ++node_count[domain];
}

const std::string* DomainColumn::value_of(NodeId node) const {
  const std::uint32_t domain = domain_of[node.index];
  return domain == kNone ? nullptr : &values[domain];
}

bool DomainColumn::any() const {
  return std::ranges::any_of(node_count, [](std::uint32_t nodes) { return nodes > 0; });
}

std::span<const std::uint32_t> DomainColumn::in_order() const {
  return ranks_.order(DomainNames{values});
}

std::span<const std::uint32_t> DomainColumn::positions() const {
  return ranks_.ranks(DomainNames{values});
}

}  // namespace tutti::core
