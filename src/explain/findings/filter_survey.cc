#include "explain/findings/filter_survey.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "devices/device_capacity.h"

namespace tutti::explain {
namespace {

// Changes that are followed one by one however few the nodes are.
constexpr std::size_t kFollowed = 1'000;
// Following a change costs about as much as asking about so many nodes in one pass.
constexpr std::size_t kNodesPerChange = 8;

// What the filter says of the nodes that it rejects.
FilterSurvey::Prospects ask(const core::FilterEvaluator& evaluator, const Bitset& rejected) {
  FilterSurvey::Prospects made{Bitset(rejected.size()), Bitset(rejected.size())};
  rejected.for_each_set([&](std::size_t node) {
    const auto said = evaluator.explain({static_cast<std::uint32_t>(node)});
    const bool curable = std::ranges::all_of(said, [](const core::PluginStatus& verdict) {
      return verdict.code == core::Code::unschedulable;
    });
    const bool unwell = std::ranges::any_of(said, [](const core::PluginStatus& verdict) {
      return verdict.reason.starts_with(devices::kUnhealthy);
    });
    if (curable) made.curable.set(node);
    if (!curable && !unwell) made.lacking.set(node);
  });
  return made;
}

Bitset rejected_by(const core::FilterEvaluator& evaluator, const Bitset& live) {
  Bitset accepted = live;
  evaluator.filter(accepted);
  Bitset rejected = live;
  rejected.and_not(accepted);
  return rejected;
}

// Asks about all live nodes; without an evaluator the filter refuses the class as such.
FilterSurvey::Filter opinion(const core::Plugin& plugin, const core::PluginStatus& verdict,
                             std::shared_ptr<const core::FilterEvaluator> evaluator,
                             const Bitset& live) {
  if (evaluator == nullptr) return {plugin, verdict, live};
  Bitset rejected = rejected_by(*evaluator, live);
  return {plugin, std::move(evaluator), std::move(rejected)};
}

// What a filter's objection is about, looked up once for all nodes.
struct Stance {
  const FilterSurvey::Filter* filter;
  bool about_size;  // too small even when empty: no other change brings the pod there
  bool own_choice;  // ruled out by the pod's own choice of nodes: it does not want the node
};
std::vector<Stance> stances(const FilterSurvey& survey) {
  std::vector<Stance> made;
  for (const auto& filter : survey.filters) {
    using enum core::Concern;
    made.push_back({&filter, filter.concern == resources || filter.concern == devices,
                    filter.concern == node_affinity || filter.concern == node_name});
  }
  return made;
}

struct Distance {
  bool too_small = false;
  bool unwanted = false;
  std::size_t objections = 0;
  auto operator<=>(const Distance&) const = default;
};

Distance distance(const std::vector<Stance>& filters, std::size_t node) {
  Distance far;
  for (const auto& [filter, about_size, own_choice] : filters) {
    if (!filter->rejected.test(node)) continue;
    ++far.objections;
    far.too_small = far.too_small || (about_size && filter->prospects().lacking.test(node));
    far.unwanted = far.unwanted || own_choice;
  }
  return far;
}

// Room does not help on a node that something else keeps away: objections that room could lift then
// go uncounted.
void count_node(const FilterSurvey& survey, std::size_t node, std::vector<Rejection>& counted) {
  const bool hopeless =
      std::ranges::any_of(survey.filters, [&](const FilterSurvey::Filter& filter) {
        return filter.rejected.test(node) && !filter.prospects().curable.test(node);
      });
  const auto code = hopeless ? core::Code::unresolvable : core::Code::unschedulable;
  for (const auto& filter : survey.filters) {
    if (!filter.rejected.test(node)) continue;
    if (hopeless && filter.prospects().curable.test(node)) continue;
    const auto same = std::ranges::find_if(counted, [&](const Rejection& known) {
      return known.plugin == filter.plugin && known.code == code;
    });
    if (same == counted.end()) {
      counted.push_back({filter.plugin, code, 1, filter.concern});
    } else {
      ++same->nodes;
    }
  }
}

}  // namespace

FilterSurvey::Filter::Filter(const core::Plugin& asked, const core::PluginStatus& verdict,
                             const Bitset& nodes)
    : plugin(asked.name()), concern(asked.concern()), rejected(nodes), refusal(verdict.reason) {
  const Bitset none(nodes.size());
  const bool curable = verdict.code == core::Code::unschedulable;
  prospects_ = std::make_shared<const Prospects>(Prospects{curable ? nodes : none, none});
}

const FilterSurvey::Prospects& FilterSurvey::Filter::prospects() const {
  if (!prospects_) prospects_ = std::make_shared<const Prospects>(ask(*evaluator_, rejected));
  return *prospects_;
}

bool FilterSurvey::Filter::operator==(const Filter& other) const {
  return plugin == other.plugin && rejected == other.rejected && refusal == other.refusal &&
         prospects() == other.prospects();
}

Bitset FilterSurvey::accepted_but_for(Blocker blocker) const {
  Bitset accepted = live;
  for (const auto& filter : filters) {
    if (filter.blocker() != blocker) accepted.and_not(filter.rejected);
  }
  return accepted;
}

bool FilterSurvey::rejects_for(Blocker blocker) const {
  return std::ranges::any_of(filters,
                             [&](const Filter& filter) { return filter.blocker() == blocker; });
}

std::vector<Rejection> FilterSurvey::nearest() const {
  const auto asked = stances(*this);
  std::optional<Distance> least;
  live.for_each_set([&](std::size_t node) {
    const Distance far = distance(asked, node);
    if (far.objections > 0 && (!least || far < *least)) least = far;
  });
  std::vector<Rejection> counted;
  if (!least) return counted;
  live.for_each_set([&](std::size_t node) {
    if (distance(asked, node) == *least) count_node(*this, node, counted);
  });
  return counted;
}

FilterSurvey survey(const core::Cluster& cluster, const core::Profile& profile,
                    const core::PodClass& pods) {
  FilterSurvey made = blank_survey(cluster);
  for (const auto& enabled : profile.filters) {
    auto prepared = enabled->prepare_filter(cluster, pods);
    if (prepared.verdict.code == core::Code::skip) continue;
    FilterSurvey::Filter filter =
        opinion(*enabled.plugin, prepared.verdict, std::move(prepared.evaluator), made.live);
    if (filter.rejected.any()) made.filters.push_back(std::move(filter));
  }
  return made;
}

FilterSurvey blank_survey(const core::Cluster& cluster) { return {cluster.nodes().live(), {}}; }

// --- kept up to date -----------------------------------------------------------------------------

void KeptFilterSurvey::start_over(const core::PodClass& pods) {
  const auto known = cluster_.pods().find(pods.sample->meta.uid);
  TUTTI_CHECK(known, "the class of a pod that is not there");
  sample_ = cluster_.pod(*known).object;
  core::PodClass lasting = pods;
  lasting.sample = sample_.get();
  opinions_.clear();
  for (const auto& enabled : profile_.filters) {
    auto prepared = enabled->prepare_filter(cluster_, lasting);
    if (prepared.verdict.code == core::Code::skip) continue;
    const std::shared_ptr<core::FilterEvaluator> evaluator = std::move(prepared.evaluator);
    opinions_.push_back(
        {enabled.plugin,
         opinion(*enabled.plugin, prepared.verdict, evaluator, cluster_.nodes().live()),
         evaluator});
  }
}

bool KeptFilterSurvey::hear(Opinion& opinion, std::span<const core::Change> changes) {
  if (opinion.evaluator == nullptr) return false;
  std::vector<core::NodeId> touched;
  bool everywhere = false;
  for (const core::Change& change : changes) {
    const core::Effect effect = opinion.evaluator->changed(change);
    everywhere = everywhere || effect == core::Effect::everything;
    // Many changes in a row are often those of one node.
    const bool again = !touched.empty() && touched.back() == change.node;
    if (effect == core::Effect::node && !again) touched.push_back(change.node);
  }
  if (!everywhere && touched.empty()) return false;
  Bitset rejected;
  if (everywhere) {
    rejected = rejected_by(*opinion.evaluator, cluster_.nodes().live());
  } else {
    rejected = std::move(opinion.filter.rejected);
    for (const core::NodeId node : touched) {
      if (!cluster_.nodes().alive(node)) continue;
      const bool accepts = opinion.evaluator->accepts(node);
      accepts ? rejected.reset(node.index) : rejected.set(node.index);
    }
  }
  opinion.filter = {*opinion.plugin, opinion.evaluator, std::move(rejected)};
  return true;
}

const std::shared_ptr<const FilterSurvey>& KeptFilterSurvey::refresh(const core::PodClass& pods) {
  const auto changes = cluster_.journal().since(seen_journal_);
  // Rather than following a long list everyone is asked anew.
  const std::size_t most = std::max(kFollowed, cluster_.nodes().slots() / kNodesPerChange);
  const bool lost = !changes || changes->size() > most;
  bool news = survey_ == nullptr || lost || seen_structure_ != cluster_.versions().structure;
  if (news) {
    start_over(pods);
  } else {
    for (Opinion& opinion : opinions_) news = hear(opinion, *changes) || news;
  }
  seen_structure_ = cluster_.versions().structure;
  seen_journal_ = cluster_.journal().end();
  if (!news) return survey_;
  FilterSurvey made = blank_survey(cluster_);
  for (const Opinion& opinion : opinions_) {
    if (opinion.filter.rejected.any()) made.filters.push_back(opinion.filter);
  }
  survey_ = std::make_shared<const FilterSurvey>(std::move(made));
  return survey_;
}

}  // namespace tutti::explain
