#include "core/cluster/domain_column.h"

#include <algorithm>

#include "base/check.h"

namespace tutti::core {
namespace {

struct DomainNames {
  const std::vector<std::string>& values;
  const std::string& operator()(std::uint32_t domain) const { return values[domain]; }
};

}  // namespace

std::uint32_t DomainColumn::domain_id(const std::string& value) {
  const auto [at, fresh] = domain_ids.try_emplace(value, static_cast<std::uint32_t>(values.size()));
  if (fresh) {
    values.push_back(value);
    node_count.push_back(0);
    divided_count.push_back(0);
    ranks_.add(at->second, DomainNames{values});
  }
  return at->second;
}

void DomainColumn::take_out(NodeId node) {
  const auto several = divided.extract(node);
  if (!several.empty()) {
    for (const std::uint32_t domain : several.mapped()) {
      TUTTI_CHECK(node_count[domain] > 0 && divided_count[domain] > 0, "a domain loses a node");
      --node_count[domain];
      --divided_count[domain];
    }
  }
  std::uint32_t& domain = domain_of[node.index];
  TUTTI_CHECK(domain == kNone || node_count[domain] > 0, "a domain loses a node it never had");
  if (domain != kNone) --node_count[domain];
  domain = kNone;
}

void DomainColumn::put(NodeId node, const std::string* value) {
  put(node, value == nullptr ? std::span<const std::string>() : std::span(value, 1));
}

void DomainColumn::put(NodeId node, std::span<const std::string> values_there) {
  take_out(node);
  std::vector<std::uint32_t> domains;
  for (const std::string& value : values_there) {
    domains.push_back(domain_id(value));
    ++node_count[domains.back()];
  }
  if (domains.size() == 1) domain_of[node.index] = domains.front();
  if (domains.size() < 2) return;
  for (const std::uint32_t domain : domains) ++divided_count[domain];
  divided.emplace(node, std::move(domains));
}

std::span<const std::uint32_t> DomainColumn::domains_at(NodeId node) const {
  const std::uint32_t& only = domain_of[node.index];
  if (only != kNone) return {&only, 1};
  const auto several = divided.find(node);
  if (several == divided.end()) return {};
  return several->second;
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
