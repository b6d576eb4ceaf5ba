// Edits of the quota tree, and everything that follows from them.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "quota/tree.h"

namespace tutti::quota {
namespace {

void check_spec(const NodeSpec& spec) {
  for (const Quota& quota : spec.quotas) {
    TUTTI_CHECK(quota.nominal >= 0 && quota.borrowing_limit.value_or(0) >= 0 &&
                quota.lending_limit.value_or(0) >= 0);
  }
}

}  // namespace

QuotaNodeId Tree::put(Kind kind, std::string_view name, NodeSpec spec) {
  check_spec(spec);
  const auto known = find(kind, name);
  const QuotaNodeId node = known ? *known : new_slot(kind, name);
  at(node).spec = std::move(spec);
  at(node).object = true;
  stale_ = true;
  return node;
}

void Tree::remove(QuotaNodeId node) {
  Node& gone = at(node);
  stale_ = true;
  if (gone.kind == Kind::cohort) {  // settle() lets go of it if nobody names it
    gone.object = false;
    gone.spec = {};
    return;
  }
  const std::size_t width = gone.columns == kNoIndex ? 0 : columns_[gone.columns].of.size();
  for (std::size_t i = 0; i < width; ++i) {
    TUTTI_CHECK(cells_[gone.first_cell + i].usage == 0, "a queue is removed that holds quota");
  }
  free_slot(node);
}

void Tree::settle() {
  if (stale_) rebuild(all_held());
}

void Tree::rebuild(std::vector<Held> held) {
  name_implicit_cohorts();
  link_parents();
  isolate_cycles();
  order_from_the_roots();
  measure_heights();
  lay_out_cells(held);
  fill_cells();
  sum_up_quota();
  stale_ = false;
  for (const Held& each : held) change_usage(each.queue, each.of, each.amount);
}

std::vector<Tree::Held> Tree::all_held() const {
  std::vector<Held> held;
  for (const auto& [name, id] : queues_) {
    const Node& queue = at(id);
    if (queue.columns == kNoIndex) continue;  // not settled yet, so nothing is charged to it
    const auto& of = columns_[queue.columns].of;
    for (std::size_t i = 0; i < of.size(); ++i) {
      const Amount amount = cells_[queue.first_cell + i].usage;
      if (amount != 0) held.push_back({.queue = id, .of = of[i], .amount = amount});
    }
  }
  return held;
}

QuotaNodeId Tree::new_slot(Kind kind, std::string_view name) {
  QuotaNodeId node{static_cast<std::uint32_t>(nodes_.size())};
  if (free_.empty()) {
    nodes_.emplace_back();
  } else {
    node = free_.back();
    free_.pop_back();
  }
  Node& made = nodes_[node.index];
  made.kind = kind;
  made.used = true;
  made.name = name;
  (kind == Kind::queue ? queues_ : cohorts_).emplace(name, node);
  return node;
}

void Tree::free_slot(QuotaNodeId node) {
  Node& gone = at(node);
  (gone.kind == Kind::queue ? queues_ : cohorts_).erase(gone.name);
  gone = Node{};
  free_.push_back(node);
}

void Tree::name_implicit_cohorts() {
  std::vector<std::string> named;
  for (const Node& node : nodes_) {
    if (node.used && !node.spec.parent.empty()) named.push_back(node.spec.parent);
  }
  std::sort(named.begin(), named.end());
  named.erase(std::unique(named.begin(), named.end()), named.end());
  for (const std::string& name : named) {
    if (!find(Kind::cohort, name)) new_slot(Kind::cohort, name);
  }
  std::vector<QuotaNodeId> forgotten;
  for (const auto& [name, id] : cohorts_) {
    if (!at(id).object && !std::binary_search(named.begin(), named.end(), name)) {
      forgotten.push_back(id);
    }
  }
  for (const QuotaNodeId cohort : forgotten) free_slot(cohort);
}

void Tree::link_parents() {
  for (Node& node : nodes_) {
    node.children.clear();
    node.active = true;
    node.parent = {};
    if (node.used && !node.spec.parent.empty()) node.parent = *find(Kind::cohort, node.spec.parent);
  }
}

// A node whose way up never ends is inactive, and so is everything below it. Each of them is made a
// root of its own, so that no walk needs to know of cycles.
void Tree::isolate_cycles() {
  enum class Seen : std::uint8_t { never, on_this_walk, ends, never_ends };
  std::vector<Seen> seen(nodes_.size(), Seen::never);
  std::vector<std::uint32_t> walk;
  for (std::uint32_t start = 0; start < nodes_.size(); ++start) {
    QuotaNodeId node{start};
    walk.clear();
    while (node.valid() && seen[node.index] == Seen::never) {
      seen[node.index] = Seen::on_this_walk;
      walk.push_back(node.index);
      node = nodes_[node.index].parent;
    }
    const bool ends = !node.valid() || seen[node.index] == Seen::ends;
    for (const std::uint32_t index : walk) seen[index] = ends ? Seen::ends : Seen::never_ends;
  }
  for (std::uint32_t index = 0; index < nodes_.size(); ++index) {
    if (seen[index] != Seen::never_ends) continue;
    nodes_[index].active = false;
    nodes_[index].parent = {};
  }
}

void Tree::order_from_the_roots() {
  std::vector<QuotaNodeId> next;  // a stack, so its roots are in reverse
  const auto link = [&](const auto& names) {
    for (const auto& [name, id] : names) {
      const QuotaNodeId parent = at(id).parent;
      (parent.valid() ? at(parent).children : next).push_back(id);
    }
  };
  link(cohorts_);
  link(queues_);
  std::reverse(next.begin(), next.end());
  order_.clear();
  while (!next.empty()) {
    const QuotaNodeId id = next.back();
    next.pop_back();
    order_.push_back(id);
    Node& node = at(id);
    node.root = node.parent.valid() ? at(node.parent).root : id;
    node.depth = node.parent.valid() ? at(node.parent).depth + 1 : 0;
    next.insert(next.end(), node.children.rbegin(), node.children.rend());
  }
}

void Tree::measure_heights() {
  for (const QuotaNodeId id : order_) at(id).height = 0;
  for (auto id = order_.rbegin(); id != order_.rend(); ++id) {
    const Node& node = at(*id);
    if (!node.parent.valid()) continue;
    Node& parent = at(node.parent);
    parent.height = std::max(parent.height, node.height + 1);
  }
}

void Tree::lay_out_cells(std::span<const Held> held) {
  columns_.clear();
  for (const QuotaNodeId id : order_) {
    Node& node = at(id);
    if (node.root == id) columns_.emplace_back();
    node.columns = static_cast<std::uint32_t>(columns_.size() - 1);  // a root's nodes are together
    for (const Quota& quota : node.spec.quotas) columns_.back().of.push_back(quota.of);
  }
  for (const Held& each : held) columns_[at(each.queue).columns].of.push_back(each.of);
  for (Columns& columns : columns_) {
    std::sort(columns.of.begin(), columns.of.end(),
              [&](auto left, auto right) { return flavor_resources_.comes_before(left, right); });
    columns.of.erase(std::unique(columns.of.begin(), columns.of.end()), columns.of.end());
    columns.place.assign(flavor_resources_.size(), kNoIndex);
    for (std::uint32_t i = 0; i < columns.of.size(); ++i) columns.place[columns.of[i].index] = i;
  }
}

void Tree::fill_cells() {
  cells_.clear();
  for (const QuotaNodeId id : order_) {
    Node& node = at(id);
    const Columns& columns = columns_[node.columns];
    node.first_cell = cells_.size();
    cells_.resize(cells_.size() + columns.of.size());
    for (const Quota& quota : node.spec.quotas) {
      Cell& cell = cells_[node.first_cell + columns.place[quota.of.index]];
      TUTTI_CHECK(!cell.listed, "two quotas of one flavor-resource");
      cell.listed = true;
      cell.nominal = quota.nominal;
      cell.borrowing_limit = quota.borrowing_limit.value_or(kNone);
      cell.lending_limit = quota.lending_limit.value_or(kNone);
    }
  }
}

void Tree::sum_up_quota() {
  for (auto id = order_.rbegin(); id != order_.rend(); ++id) {
    const Node& node = at(*id);
    for (std::size_t i = 0; i < columns_[node.columns].of.size(); ++i) {
      Cell& cell = cells_[node.first_cell + i];
      cell.subtree += cell.nominal;  // on top of what children gave
      if (cell.lending_limit != kNone) cell.local = left_of(cell.subtree, cell.lending_limit);
      if (node.parent.valid()) {
        cells_[at(node.parent).first_cell + i].subtree += cell.subtree - cell.local;
      }
    }
  }
  for (const QuotaNodeId id : order_) {
    const Node& node = at(id);
    if (!node.active) continue;  // nobody may take anything
    for (std::size_t i = 0; i < columns_[node.columns].of.size(); ++i) {
      Cell& cell = cells_[node.first_cell + i];
      cell.potential = cell.subtree;
      if (!node.parent.valid()) continue;
      cell.potential = cell.local + cells_[at(node.parent).first_cell + i].potential;
      if (cell.borrowing_limit == kNone) continue;
      cell.potential = std::min(cell.potential, cell.subtree + cell.borrowing_limit);
    }
  }
}

}  // namespace tutti::quota
