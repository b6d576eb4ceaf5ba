// A figure per domain of one topology key, read and changed through nodes.
#pragma once

#include "base/std.h"
#include "core/cluster/cluster.h"

namespace tutti::core {

// Borrows the column; lives no longer than the structure version it was made under.
class DomainSums {
 public:
  static constexpr std::uint32_t kNone = DomainColumn::kNone;

  explicit DomainSums(const DomainColumn& column)
      : column_(&column), sums_(column.values.size(), 0) {}

  // kNone when the node lacks the key.
  std::uint32_t domain(std::size_t node) const { return column_->domain_of[node]; }
  bool has_key(std::size_t node) const { return domain(node) != kNone; }
  // Whether no other node shares the node's domain. Requires has_key.
  bool alone(std::size_t node) const { return column_->node_count[domain(node)] == 1; }

  std::int64_t of_domain(std::uint32_t domain) const { return sums_[domain]; }
  // Zero for a node without the key.
  std::int64_t of_node(std::size_t node) const { return has_key(node) ? sums_[domain(node)] : 0; }
  // A node without the key has nowhere to add to.
  void add(std::size_t node, std::int64_t amount) {
    if (has_key(node)) sums_[domain(node)] += amount;
  }

  std::size_t domain_count() const { return sums_.size(); }
  const DomainColumn& column() const { return *column_; }

 private:
  const DomainColumn* column_;
  std::vector<std::int64_t> sums_;
};

}  // namespace tutti::core
