#include "core/evaluation/domain_reasons.h"

#include <algorithm>

#include "base/check.h"
#include "core/evaluation/counting.h"
#include "core/evaluation/evaluation.h"
#include "core/framework/reason_text.h"

namespace tutti::core {
namespace {

// Adds to what filters say how many nodes run out of each request.
void add_shortages(const Cluster& cluster, const Evaluation& evaluation, const PodShape& shape,
                   std::span<const std::size_t> running_out, std::vector<ReasonCount>& reasons) {
  for (std::size_t r = 0; r < running_out.size(); ++r) {
    if (running_out[r] == 0) continue;
    const auto text = shortage_text(cluster.resources().name(shape.requests[r].resource));
    const auto same = std::ranges::find(reasons, text, &ReasonCount::reason);
    if (same != reasons.end()) {
      same->nodes += running_out[r];
    } else {
      reasons.push_back(reason_of(evaluation.shortage(text), running_out[r]));
    }
  }
  std::ranges::stable_sort(reasons, std::ranges::greater{}, &ReasonCount::nodes);
}

}  // namespace

std::vector<ReasonCount> reasons_when_full(const Cluster& cluster, Evaluation& evaluation,
                                           const PodShape& shape, const Bitset& nodes) {
  std::vector<ReasonCount> reasons = evaluation.diagnose(&nodes).reasons;
  std::vector<std::size_t> full(shape.requests.size(), 0);
  nodes.for_each_set([&](std::size_t i) {
    if (evaluation.feasible().test(i)) count_what_runs_out(cluster, shape, i, full);
  });
  add_shortages(cluster, evaluation, shape, full, reasons);
  return reasons;
}

void DomainReasons::forget() {
  sayings_.clear();
  said_.clear();
  by_key_.clear();
  changed_.clear();
}

void DomainReasons::refresh(const Cluster& cluster, const Evaluation& evaluation) {
  const auto changes = cluster.journal().since(seen_journal_);
  if (!changes || epoch_ != evaluation.started_over()) forget();
  epoch_ = evaluation.started_over();
  seen_journal_ = cluster.journal().end();
  if (by_key_.empty()) return;
  // Rather than keeping a long list everyone is asked anew.
  if (changed_.size() + changes->size() > said_.size()) return forget();
  for (const Change& change : *changes) changed_.push_back(change.node);
}

std::uint32_t DomainReasons::saying_of(const Cluster& cluster, Evaluation& evaluation,
                                       const PodShape& shape, NodeId node) {
  Saying saying;
  if (evaluation.accepts(node)) {
    std::vector<std::size_t> full(shape.requests.size(), 0);
    count_what_runs_out(cluster, shape, node.index, full);
    for (const std::size_t one : full) saying.runs_out.push_back(one > 0);
  } else {
    saying.objection = evaluation.objection_of(node);
  }
  const auto same = std::ranges::find(sayings_, saying);
  const auto number = static_cast<std::uint32_t>(same - sayings_.begin());
  if (same == sayings_.end()) sayings_.push_back(std::move(saying));
  return number;
}

void DomainReasons::count(Domain& domain, std::uint32_t saying, bool more) {
  domain.current = false;
  const auto known = std::ranges::find(domain.nodes_saying, saying,
                                       &std::pair<std::uint32_t, std::uint32_t>::first);
  if (known == domain.nodes_saying.end()) {
    TUTTI_CHECK(more, "a node takes back what it never said");
    domain.nodes_saying.emplace_back(saying, 1);
  } else {
    TUTTI_CHECK(more || known->second > 0, "a node takes back what it never said");
    more ? ++known->second : --known->second;
  }
}

void DomainReasons::ask_changed(const Cluster& cluster, Evaluation& evaluation,
                                const PodShape& shape) {
  for (const NodeId node : changed_) {
    const std::uint32_t before = said_[node.index];
    const std::uint32_t now = saying_of(cluster, evaluation, shape, node);
    if (now == before) continue;
    said_[node.index] = now;
    for (auto& [key, domains] : by_key_) {
      for (const std::uint32_t domain : cluster.group_domains(key).domains_at(node)) {
        count(domains[domain], before, false);
        count(domains[domain], now, true);
      }
    }
  }
  changed_.clear();
}

std::vector<DomainReasons::Domain>& DomainReasons::domains(const Cluster& cluster,
                                                           Evaluation& evaluation,
                                                           const PodShape& shape,
                                                           const std::string& key) {
  const auto [at, fresh] = by_key_.try_emplace(key);
  std::vector<Domain>& made = at->second;
  if (!fresh) return made;
  const DomainColumn& column = cluster.group_domains(key);
  made.resize(column.values.size());
  if (said_.empty()) {
    said_.assign(cluster.nodes().slots(), kSilent);
    cluster.nodes().live().for_each_set([&](std::size_t i) {
      said_[i] = saying_of(cluster, evaluation, shape, {static_cast<std::uint32_t>(i)});
    });
  }
  cluster.nodes().live().for_each_set([&](std::size_t i) {
    const NodeId node{static_cast<std::uint32_t>(i)};
    for (const std::uint32_t domain : column.domains_at(node)) count(made[domain], said_[i], true);
  });
  return made;
}

std::vector<ReasonCount> DomainReasons::worded(const Cluster& cluster, const Evaluation& evaluation,
                                               const PodShape& shape, const Domain& domain) const {
  std::vector<std::size_t> objecting;
  std::vector<std::size_t> full(shape.requests.size(), 0);
  for (const auto& [number, nodes] : domain.nodes_saying) {
    const Saying& saying = sayings_[number];
    if (saying.objection != kNoIndex) {
      objecting.resize(std::max(objecting.size(), saying.objection + std::size_t{1}), 0);
      objecting[saying.objection] = nodes;
    }
    for (std::size_t r = 0; r < saying.runs_out.size(); ++r) {
      if (saying.runs_out[r]) full[r] += nodes;
    }
  }
  std::vector<ReasonCount> reasons = evaluation.reasons_of(objecting);
  add_shortages(cluster, evaluation, shape, full, reasons);
  return reasons;
}

const std::vector<ReasonCount>& DomainReasons::of(const Cluster& cluster, Evaluation& evaluation,
                                                  const PodShape& shape, const std::string& key,
                                                  std::uint32_t domain) {
  // One verdict for every node, whichever domain it is in.
  if (!evaluation.refusal().success()) return evaluation.diagnose(nullptr).reasons;
  ask_changed(cluster, evaluation, shape);
  Domain& here = domains(cluster, evaluation, shape, key)[domain];
  if (!here.current) here.reasons = worded(cluster, evaluation, shape, here);
  here.current = true;
  return here.reasons;
}

}  // namespace tutti::core
