#include "explain/findings/company.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "expr/label_selector.h"

namespace tutti::explain {
namespace {

using Term = model::PodAffinityTerm;

const model::Pod& object_of(const core::Cluster& cluster, const MemberClass& members) {
  return *cluster.pod(members.sample).object;
}

// Namespaces are not looked at: whom the term takes is then among those who match.
bool may_match(const Term& term, const model::Pod& pod) {
  return term.selector && expr::matches(*term.selector, pod.meta.labels);
}

class Companions {
 public:
  Companions(const core::Cluster& cluster, const Demand& demand)
      : cluster_(cluster), demand_(demand) {}

  // The kinds that must be where one of this kind is, itself included.
  std::vector<const MemberClass*> of(const MemberClass& first, const std::string& key) {
    std::vector<const MemberClass*> company = {&first};
    for (std::size_t i = 0; i < company.size(); ++i) {
      const model::Pod& pod = object_of(cluster_, *company[i]);
      for (const Term& term : pod.spec->affinity.required) {
        const MemberClass* other = term.topology_key == key ? only_match(term, pod) : nullptr;
        const bool fresh = other != nullptr && std::ranges::find(company, other) == company.end();
        if (fresh) company.push_back(other);
      }
    }
    return company;
  }

 private:
  // The kind of members that alone can meet the term; null: several can, or others, or itself.
  const MemberClass* only_match(const Term& term, const model::Pod& pod) const {
    if (may_match(term, pod)) return nullptr;
    const MemberClass* found = nullptr;
    std::size_t members = 0;
    for (const MemberClass& other : demand_.classes) {
      if (!may_match(term, object_of(cluster_, other))) continue;
      if (found != nullptr) return nullptr;
      found = &other;
      members = other.count;
    }
    return found != nullptr && everyone_matching(term) == members ? found : nullptr;
  }

  std::size_t everyone_matching(const Term& term) const {
    std::size_t count = 0;
    for (std::uint32_t slot = 0; slot < cluster_.pods().slots(); ++slot) {
      const auto& object = cluster_.pod({slot}).object;
      count += object != nullptr && may_match(term, *object) ? 1 : 0;
    }
    return count;
  }

  const core::Cluster& cluster_;
  const Demand& demand_;
};

// What each domain has in all of a resource, by domain.
std::vector<std::int64_t> stock_by_domain(const core::Cluster& cluster,
                                          const core::DomainColumn& column,
                                          core::ResourceId resource) {
  std::vector<std::int64_t> stock(column.values.size(), 0);
  const auto all = cluster.resources().allocatable(resource);
  cluster.nodes().live().for_each_set([&](std::size_t node) {
    const std::int64_t here = sum(all[node], unhealthy_at(cluster, resource, node));
    for (const std::uint32_t domain :
         column.domains_at(core::NodeId{static_cast<std::uint32_t>(node)})) {
      stock[domain] = sum(stock[domain], here);
    }
  });
  return stock;
}

// The resource of which the best domain has too little; nothing where some domain has enough of
// each.
std::optional<Company> shortage_of(const core::Cluster& cluster,
                                   const std::vector<const MemberClass*>& company,
                                   const std::string& key) {
  const core::DomainColumn& column = cluster.labels().domains(key);
  std::vector<bool> enough(column.values.size(), true);
  std::map<core::ResourceId, std::int64_t> need;
  for (const MemberClass* members : company) {
    for (const auto& request : cluster.shape(cluster.pod(members->sample).shape).requests) {
      need[request.resource] = sum(need[request.resource], request.amount);
    }
  }
  std::optional<Balance> worst;
  for (const auto& [resource, amount] : need) {
    const auto stock = stock_by_domain(cluster, column, resource);
    std::int64_t most = 0;
    for (std::size_t domain = 0; domain < stock.size(); ++domain) {
      enough[domain] = enough[domain] && stock[domain] >= amount;
      most = std::max(most, stock[domain]);
    }
    const Balance balance{resource, amount, most};
    if (balance.short_in_total() && (!worst || shorter(balance, *worst))) worst = balance;
  }
  const auto domains = static_cast<std::size_t>(
      std::ranges::count_if(column.node_count, [](std::uint32_t nodes) { return nodes > 0; }));
  const bool some = std::ranges::find(enough, true) != enough.end();
  if (domains == 0 || some || !worst) return std::nullopt;
  Company made{{}, key, domains, *worst};
  for (const MemberClass* members : company) made.pods.push_back(members->sample);
  return made;
}

}  // namespace

std::optional<Company> company_too_large(const core::Cluster& cluster, const Demand& demand) {
  if (!demand.together) return std::nullopt;
  Companions companions(cluster, demand);
  for (const MemberClass& members : demand.classes) {
    if (indispensable(demand, members) == 0) continue;
    std::set<std::string> keys;
    for (const Term& term : object_of(cluster, members).spec->affinity.required) {
      keys.insert(term.topology_key);
    }
    for (const std::string& key : keys) {
      const auto company = companions.of(members, key);
      if (company.size() == 1) continue;
      if (auto found = shortage_of(cluster, company, key)) return found;
    }
  }
  return std::nullopt;
}

}  // namespace tutti::explain
