#include "core/evaluation/evaluation.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include "base/check.h"
#include "model/apps.h"

namespace tutti::core {
namespace {

// Better nodes that are not feasible, after which looking at all costs less than at the next best.
constexpr std::size_t kTries = 32;

}  // namespace

void Evaluation::reset(const Profile& profile, const PodClass& pods) {
  TUTTI_CHECK(pods.sample != nullptr, "a class without a pod");
  profile_ = &profile;
  pods_ = pods;
  // The evaluation may outlive the pod it was made for.
  if (const auto known = cluster_.pods().find(pods.sample->meta.uid)) {
    sample_ = cluster_.pod(*known).object;
    pods_.sample = sample_.get();
  }
  prepare();
}

void Evaluation::prepare() {
  seen_structure_ = cluster_.versions().structure;
  seen_journal_ = cluster_.journal().end();
  refusal_ = {};
  refusing_ = nullptr;
  filters_.clear();
  scores_.clear();
  const auto refuse = [&](const Plugin* plugin, PluginStatus verdict) {
    refusal_ = said_by(*plugin, std::move(verdict));
    refusing_ = plugin;
  };
  for (const auto& filter : profile_->filters) {
    auto prepared = filter->prepare_filter(cluster_, pods_);
    if (prepared.verdict.code == Code::skip) continue;
    if (!prepared.verdict.success()) return refuse(filter.plugin, prepared.verdict), recompute();
    TUTTI_CHECK(prepared.evaluator != nullptr, "a filter that does not skip answers");
    filters_.push_back({filter.plugin, std::move(prepared.evaluator)});
  }
  for (const auto& score : profile_->scores) {
    auto prepared = score->prepare_score(cluster_, pods_);
    if (prepared.verdict.code == Code::skip) continue;
    if (!prepared.verdict.success()) return refuse(score.plugin, prepared.verdict), recompute();
    TUTTI_CHECK(prepared.evaluator != nullptr, "a score that does not skip answers");
    const bool normalizes = prepared.evaluator->normalizes();
    scores_.push_back({score.plugin,
                       std::move(prepared.evaluator),
                       score.weight,
                       score->yields_to_packing(),
                       normalizes,
                       {}});
  }
  give_packing_its_way();
  absolute_ = std::ranges::none_of(scores_, [](const Score& score) { return score.normalizes; });
  recompute();
}

// Where a score packs, weights are stretched: a thousandth of its points outweighs all that yields.
void Evaluation::give_packing_its_way() {
  constexpr std::int64_t kBeyondYielding = std::int64_t{1} << 14;
  constexpr std::int64_t kPoint = kMaxPackingScore / kMaxNodeScore;
  const auto packs = [](const Score& score) { return score.evaluator->packs(); };
  if (std::ranges::none_of(scores_, packs)) return;
  for (auto& score : scores_) {
    if (score.yields) continue;
    score.weight *= packs(score) ? kBeyondYielding : kBeyondYielding * kPoint;
  }
}

void Evaluation::recompute() {
  settled_ = cluster_.nodes().live();
  if (!refusal_.success()) settled_.clear();
  for (const auto& filter : filters_) {
    if (!filter.sweeps) filter.evaluator->filter(settled_);
  }
  scores_stale_ = true;
  sweep();
}

void Evaluation::sweep() {
  feasible_ = settled_;
  for (const auto& filter : filters_) {
    if (filter.sweeps) filter.evaluator->filter(feasible_);
  }
  ++started_over_;
  objection_.assign(cluster_.nodes().slots(), kNotAsked);
  objections_.clear();
  forget_reasons();
  scores_stale_ = scores_stale_ || !absolute_;
}

void Evaluation::recompute_scores() {
  ranks_ = cluster_.nodes().name_ranks();
  totals_.assign(cluster_.nodes().slots(), 0);
  for (auto& score : scores_) {
    score.normalizes ? add_normalized_scores(score) : add_final_scores(score);
  }
  scores_stale_ = false;
  tournament_built_ = false;
  asked_before_ = false;
}

void Evaluation::add_final_scores(const Score& score) {
  scratch_.resize(totals_.size());
  score.evaluator->score(contenders(), scratch_);
  const std::int64_t weight = score.weight;
  for (std::size_t i = 0; i < totals_.size(); ++i) totals_[i] += weight * scratch_[i];
}

void Evaluation::add_normalized_scores(Score& score) {
  score.raw.assign(totals_.size(), 0);
  score.evaluator->score(feasible_, score.raw);
  const Bitset* outside = score.evaluator->outside_normalization();
  score.at_min = score.at_max = 0;
  feasible_.for_each_set([&](std::size_t i) {
    if (outside != nullptr && outside->test(i)) return;
    const std::int64_t raw = score.raw[i];
    if (score.at_min == 0 || raw < score.min) score.min = raw, score.at_min = 0;
    if (score.at_max == 0 || raw > score.max) score.max = raw, score.at_max = 0;
    score.at_min += raw == score.min;
    score.at_max += raw == score.max;
  });
  if (score.at_min == 0) score.min = score.max = 0;
  feasible_.for_each_set([&](std::size_t i) {
    const NodeId node{static_cast<std::uint32_t>(i)};
    totals_[i] +=
        score.weight * score.evaluator->normalize(node, score.raw[i], score.min, score.max);
  });
}

void Evaluation::refresh(const PodClass& pods) {
  if (seen_structure_ != cluster_.versions().structure) return reset(*profile_, pods);
  const auto changes = cluster_.journal().since(seen_journal_);
  if (!changes) return reset(*profile_, pods);
  if (changes->empty()) return;
  seen_journal_ = cluster_.journal().end();
  if (!refusal_.success()) return;
  if (!apply(*changes)) recompute();
}

// False when all filters have to be asked about all nodes again.
bool Evaluation::apply(std::span<const Change> changes) {
  touched_.clear();
  bool sweeping = false;
  bool surprise = false;  // a filter that was not known to sweep
  for (const Change& change : changes) {
    bool touched = false;
    for (auto& filter : filters_) {
      const Effect effect = filter.evaluator->changed(change);
      touched = touched || effect != Effect::none;
      if (effect != Effect::everything) continue;
      sweeping = true;
      surprise = !std::exchange(filter.sweeps, true) || surprise;
    }
    for (const auto& score : scores_) {
      const Effect effect = score.evaluator->changed(change);
      touched = touched || effect != Effect::none;
      scores_stale_ = scores_stale_ || effect == Effect::everything;
    }
    // Many changes in a row are often those of one node.
    const bool again = !touched_.empty() && touched_.back() == change.node;
    if (touched && !again) touched_.push_back(change.node);
  }
  if (surprise) return false;
  std::ranges::sort(touched_);
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  if (sweeping) {
    for (const NodeId node : touched_) {
      const bool contends = settle(node);
      if (absolute_ && !scores_stale_) enter(node, contends);
    }
    sweep();
    return true;
  }
  if (!touched_.empty()) forget_reasons();
  for (const NodeId node : touched_) update_node(node);
  return true;
}

// Asks the filters that do not sweep.
bool Evaluation::settle(NodeId node) {
  const bool accepted = cluster_.nodes().live().test(node.index) &&
                        std::ranges::all_of(filters_, [&](const Filter& f) {
                          return f.sweeps || f.evaluator->accepts(node);
                        });
  accepted ? settled_.set(node.index) : settled_.reset(node.index);
  return accepted;
}

void Evaluation::update_node(NodeId node) {
  objection_[node.index] = kNotAsked;
  const bool was = feasible_.test(node.index);
  const bool settled = settle(node);
  const bool is = settled && std::ranges::all_of(filters_, [&](const Filter& f) {
                    return !f.sweeps || f.evaluator->accepts(node);
                  });
  is ? feasible_.set(node.index) : feasible_.reset(node.index);
  if (scores_stale_) return;
  for (auto& score : scores_) {
    if (score.normalizes && !extremes_hold(score, node, was, is)) scores_stale_ = true;
  }
  if (!scores_stale_) enter(node, absolute_ ? settled : is);
}

// Scores the node anew, or takes it out.
void Evaluation::enter(NodeId node, bool contends) {
  if (contends) totals_[node.index] = total(node);
  if (tournament_built_) {
    tournament_.update(node.index, contends, [&](auto a, auto b) { return better(a, b); });
  }
}

// Accounts for the node's new raw score; false when the extremes moved and all totals with them.
bool Evaluation::extremes_hold(Score& score, NodeId node, bool was, bool is) {
  const Bitset* outside = score.evaluator->outside_normalization();
  if (outside != nullptr && outside->test(node.index)) return true;
  std::int64_t& raw = score.raw[node.index];
  bool hold = true;
  if (was) {
    if (raw == score.min) hold = --score.at_min > 0 && hold;
    if (raw == score.max) hold = --score.at_max > 0 && hold;
  }
  if (is) {
    raw = score.evaluator->score(node);
    if (raw < score.min || raw > score.max) return false;
    score.at_min += raw == score.min;
    score.at_max += raw == score.max;
    hold = score.at_min > 0 && score.at_max > 0;
  }
  return hold;
}

std::int64_t Evaluation::total(NodeId node) const {
  std::int64_t sum = 0;
  for (const auto& score : scores_) {
    const std::int64_t value =
        score.normalizes
            ? score.evaluator->normalize(node, score.raw[node.index], score.min, score.max)
            : score.evaluator->score(node);
    sum += score.weight * value;
  }
  return sum;
}

bool Evaluation::better(std::uint32_t a, std::uint32_t b) const {
  if (totals_[a] != totals_[b]) return totals_[a] > totals_[b];
  return ranks_[a] < ranks_[b];
}

std::optional<NodeId> Evaluation::best(const Bitset* within) {
  if (scores_stale_) recompute_scores();
  if (within != nullptr) {
    const bool relative = std::ranges::any_of(
        scores_, [](const Score& score) { return score.normalizes && score.min != score.max; });
    return relative ? scan_normalized(*within) : scan(*within);
  }
  // A tournament pays off from the second question on; classes of one pod never get there.
  if (!asked_before_) {
    asked_before_ = true;
    return scan(feasible_);
  }
  if (!tournament_built_) {
    tournament_.build(
        totals_.size(), [&](std::size_t i) { return contenders().test(i); },
        [&](auto a, auto b) { return better(a, b); });
    tournament_built_ = true;
  }
  const std::uint32_t first = tournament_.best();
  if (first == Tournament::kNobody) return std::nullopt;
  if (feasible_.test(first)) return NodeId{first};
  const auto winner = tournament_.best_where([&](std::uint32_t i) { return feasible_.test(i); },
                                             [&](auto a, auto b) { return better(a, b); }, kTries);
  if (!winner) return scan(feasible_);
  return *winner == Tournament::kNobody ? std::nullopt : std::optional(NodeId{*winner});
}

std::optional<NodeId> Evaluation::scan(const Bitset& within) const {
  std::uint32_t winner = kNoIndex;
  for (std::size_t w = 0; w < feasible_.words().size(); ++w) {
    for (auto rest = feasible_.word(w) & within.word(w); rest != 0; rest &= rest - 1) {
      const auto i = static_cast<std::uint32_t>(w * Bitset::kWordBits) +
                     static_cast<std::uint32_t>(std::countr_zero(rest));
      if (winner == kNoIndex || better(i, winner)) winner = i;
    }
  }
  if (winner == kNoIndex) return std::nullopt;
  return NodeId{winner};
}

std::optional<NodeId> Evaluation::scan_normalized(const Bitset& within) {
  Bitset nodes = feasible_;
  nodes.and_with(within);
  std::vector<std::int64_t> totals(totals_.size(), 0);
  for (const auto& score : scores_) {
    if (score.normalizes) {
      add_normalized(score, nodes, totals);
    } else {
      nodes.for_each_set([&](std::size_t i) {
        totals[i] += score.weight * score.evaluator->score(NodeId{static_cast<std::uint32_t>(i)});
      });
    }
  }
  totals_.swap(totals);
  const auto winner = scan(within);
  totals_.swap(totals);
  return winner;
}

void Evaluation::add_normalized(const Score& score, const Bitset& nodes,
                                std::span<std::int64_t> totals) const {
  const Bitset* outside = score.evaluator->outside_normalization();
  std::int64_t min = std::numeric_limits<std::int64_t>::max();
  std::int64_t max = std::numeric_limits<std::int64_t>::min();
  nodes.for_each_set([&](std::size_t i) {
    if (outside != nullptr && outside->test(i)) return;
    min = std::min(min, score.raw[i]);
    max = std::max(max, score.raw[i]);
  });
  if (min > max) min = max = 0;
  nodes.for_each_set([&](std::size_t i) {
    const NodeId node{static_cast<std::uint32_t>(i)};
    totals[i] += score.weight * score.evaluator->normalize(node, score.raw[i], min, max);
  });
}

std::int64_t Evaluation::room(NodeId node) const {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const auto& filter : filters_) least = std::min(least, filter.evaluator->room(node));
  return least;
}

Bitset Evaluation::may_accept() const {
  Bitset nodes = cluster_.nodes().live();
  for (const auto& filter : filters_) filter.evaluator->rule_out(nodes);
  return nodes;
}

bool Evaluation::may_open_without_company() const {
  return std::ranges::any_of(filters_, [](const Filter& filter) {
    return filter.evaluator->may_open() && filter.evaluator->company_wish() == nullptr;
  });
}

bool Evaluation::wants_company_of(LabelClassId labels) const {
  return std::ranges::any_of(filters_, [&](const Filter& filter) {
    const CompanyWish* wish = filter.evaluator->company_wish();
    return wish != nullptr && wish->counts(labels);
  });
}

std::optional<Bitset> Evaluation::company_wanted(NodeId node) const {
  for (const auto& filter : filters_) {
    const CompanyWish* wish = filter.evaluator->company_wish();
    if (wish == nullptr || wish->is_met(node)) continue;
    Bitset where = cluster_.nodes().live();
    wish->keep_near(node, where);
    return where;
  }
  return std::nullopt;
}

Bitset Evaluation::may_accept_with_company() const {
  if (!refusal_.success()) return Bitset(cluster_.nodes().slots());
  Bitset nodes = may_accept();
  nodes.for_each_set([&](std::size_t i) {
    const NodeId node{static_cast<std::uint32_t>(i)};
    const bool lacks_company = std::ranges::any_of(filters_, [&](const Filter& filter) {
      const CompanyWish* wish = filter.evaluator->company_wish();
      return wish != nullptr && !wish->is_met(node);
    });
    if (!lacks_company) nodes.reset(i);
  });
  return nodes;
}

bool Evaluation::company_agrees(NodeId node) const {
  return std::ranges::all_of(filters_, [&](const Filter& filter) {
    return !filter.evaluator->may_open() || filter.evaluator->accepts(node);
  });
}

std::int64_t Evaluation::room_for(const JointDemand& crowd) const {
  std::int64_t least = crowd.pods;
  for (const auto& filter : filters_) {
    least = std::min(least, filter.evaluator->room_for(crowd));
  }
  return least;
}

const Diagnosis& Evaluation::diagnose(const Bitset* within) {
  if (diagnosis_valid_ && within == nullptr) return diagnosis_;
  count_reasons(within);
  diagnosis_valid_ = within == nullptr;
  return diagnosis_;
}

// The index of what the node says; nodes with the same to say share one.
std::uint32_t Evaluation::objection_of(NodeId node) {
  std::uint32_t& known = objection_[node.index];
  if (known != kNotAsked) return known;
  const auto filter =
      std::ranges::find_if(filters_, [&](const Filter& f) { return !f.evaluator->accepts(node); });
  TUTTI_CHECK(filter != filters_.end(), "a filter's mask and its single answer differ");
  std::vector<ReasonCount> said;
  for (auto& verdict : filter->evaluator->explain(node)) {
    said.push_back(reason_of(said_by(*filter->plugin, std::move(verdict)), 1));
  }
  const auto same = std::ranges::find(objections_, said);
  known = static_cast<std::uint32_t>(same - objections_.begin());
  if (same == objections_.end()) objections_.push_back(std::move(said));
  return known;
}

void Evaluation::count_reasons(const Bitset* within) {
  diagnosis_ = {};
  const Bitset& live = cluster_.nodes().live();
  if (!refusal_.success()) {
    diagnosis_.nodes = live.count();
    diagnosis_.reasons.push_back(reason_of(refusal_, diagnosis_.nodes));
    return;
  }
  std::vector<std::size_t> saying;
  (within != nullptr ? *within : live).for_each_set([&](std::size_t i) {
    if (!live.test(i)) return;
    ++diagnosis_.nodes;
    if (feasible_.test(i)) return;
    const std::uint32_t said = objection_of({static_cast<std::uint32_t>(i)});
    saying.resize(std::max(saying.size(), objections_.size()), 0);
    ++saying[said];
  });
  diagnosis_.reasons = reasons_of(saying);
}

std::vector<ReasonCount> Evaluation::reasons_of(std::span<const std::size_t> saying) const {
  std::map<std::tuple<std::string, std::string>, ReasonCount> counted;
  for (std::size_t said = 0; said < saying.size(); ++said) {
    if (saying[said] == 0) continue;
    for (const auto& reason : objections_[said]) {
      const auto [at, fresh] = counted.try_emplace({reason.plugin, reason.reason}, reason);
      at->second.nodes = (fresh ? 0 : at->second.nodes) + saying[said];
    }
  }
  std::vector<ReasonCount> reasons;
  for (auto& [key, entry] : counted) reasons.push_back(std::move(entry));
  std::ranges::stable_sort(reasons, std::ranges::greater{}, &ReasonCount::nodes);
  return reasons;
}

PluginStatus Evaluation::shortage(std::string reason) const {
  PluginStatus status{Code::unschedulable, {}, std::move(reason), Concern::resources};
  const Plugin* filter = profile_->resource_filter();
  return filter == nullptr ? std::move(status) : said_by(*filter, std::move(status));
}

const std::vector<const Plugin*>& Evaluation::rejecting_plugins() {
  if (rejecting_valid_) return rejecting_;
  rejecting_valid_ = true;
  rejecting_.clear();
  if (refusing_ != nullptr) rejecting_.push_back(refusing_);
  for (const auto& filter : filters_) {
    Bitset accepted = cluster_.nodes().live();
    filter.evaluator->filter(accepted);
    if (accepted != cluster_.nodes().live()) rejecting_.push_back(filter.plugin);
  }
  return rejecting_;
}

EvaluationCache::Key EvaluationCache::key(const Profile& profile, const PodClass& pods) {
  const std::uint32_t kind = looks_at(profile.looks, PodAspects::labels)
                                 ? pods.labels.index + 1
                                 : label_kinds_.of(pods.shape, pods.labels);
  return {pods.shape, kind, pods.claims, pods.apart};
}

EvaluationCache::Key EvaluationCache::key(const Profile& profile, const PodClass& pods,
                                          LabelSorter& among) const {
  const std::uint32_t kind = looks_at(profile.looks, PodAspects::labels)
                                 ? pods.labels.index + 1
                                 : among.kind_of(cluster_, pods.labels);
  return {pods.shape, kind, pods.claims, pods.apart};
}

Evaluation& EvaluationCache::get(const Profile& profile, const PodClass& pods) {
  return *entry(profile, pods).evaluation;
}

// With its evaluation up to date.
EvaluationCache::Entry& EvaluationCache::entry(const Profile& profile, const PodClass& pods) {
  const Key wanted = key(profile, pods);
  ++clock_;
  Entry* oldest = nullptr;
  for (auto& known : entries_) {
    if (known.key == wanted && known.work == pods.work && known.profile == &profile) {
      known.last_used = clock_;
      known.evaluation->refresh(pods);
      return known;
    }
    if (oldest == nullptr || known.last_used < oldest->last_used) oldest = &known;
  }
  if (entries_.size() < kCapacity) {
    entries_.push_back({});
    oldest = &entries_.back();
    oldest->evaluation = std::make_unique<Evaluation>(cluster_);
  }
  oldest->profile = &profile;
  oldest->key = wanted;
  oldest->work = pods.work;
  oldest->last_used = clock_;
  // Room and reasons of the class that was here before notice by themselves: started_over() of an
  // Evaluation counts on and never says the same twice.
  oldest->evaluation->reset(profile, pods);
  return *oldest;
}

ClassCapacity& EvaluationCache::room(const Profile& profile, const PodClass& pods) {
  Entry& known = entry(profile, pods);
  known.room.refresh(cluster_, cluster_.shape(pods.shape), known.evaluation->feasible(),
                     known.evaluation->started_over());
  return known.room;
}

const std::vector<ReasonCount>& EvaluationCache::reasons(const Profile& profile,
                                                         const PodClass& pods,
                                                         const std::string& key,
                                                         std::uint32_t domain) {
  Entry& known = entry(profile, pods);
  known.reasons.refresh(cluster_, *known.evaluation);
  return known.reasons.of(cluster_, *known.evaluation, cluster_.shape(pods.shape), key, domain);
}

}  // namespace tutti::core
