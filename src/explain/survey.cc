#include "explain/survey.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "devices/census.h"

namespace tutti::explain {
namespace {

// Changes that are followed one by one however few the nodes are.
constexpr std::size_t kFollowed = 1'000;

void mark(Bitset& nodes, std::size_t node, bool is_so) {
  is_so ? nodes.set(node) : nodes.reset(node);
}

// What the filter says of a node that it rejects.
void judge_rejected(const core::FilterEvaluator& evaluator, core::NodeId node,
                    Survey::Filter& filter) {
  const auto said = evaluator.explain(node);
  const bool curable = std::ranges::all_of(
      said, [](const core::Verdict& verdict) { return verdict.code == core::Code::unschedulable; });
  const bool unwell = std::ranges::any_of(said, [](const core::Verdict& verdict) {
    return verdict.reason.starts_with(devices::kUnhealthy);
  });
  mark(filter.curable, node.index, curable);
  mark(filter.lacking, node.index, !curable && !unwell);
}

// Of all live nodes.
void judge_nodes(const core::FilterEvaluator& evaluator, const Bitset& live,
                 Survey::Filter& filter) {
  Bitset accepted = live;
  evaluator.filter(accepted);
  filter.rejected = live;
  filter.rejected.and_not(accepted);
  filter.curable = filter.lacking = Bitset(live.size());
  filter.rejected.for_each_set([&](std::size_t node) {
    judge_rejected(evaluator, {static_cast<std::uint32_t>(node)}, filter);
  });
}

// Of one; whether the answer is another than before.
bool judge_node(const core::FilterEvaluator& evaluator, core::NodeId node, Survey::Filter& filter) {
  const std::size_t at = node.index;
  const auto answer = [&] {
    return std::tuple(filter.rejected.test(at), filter.curable.test(at), filter.lacking.test(at));
  };
  const auto before = answer();
  for (Bitset* nodes : {&filter.rejected, &filter.curable, &filter.lacking}) nodes->reset(at);
  if (!evaluator.accepts(node)) {
    filter.rejected.set(at);
    judge_rejected(evaluator, node, filter);
  }
  return answer() != before;
}

// What preparing the filter came to when it did not come to an evaluator.
Survey::Filter refused(std::string_view plugin, const core::Verdict& verdict, const Bitset& live) {
  const bool curable = verdict.code == core::Code::unschedulable;
  const Bitset none(live.size());
  return {std::string(plugin), live, curable ? live : none, none, verdict.reason};
}

// What a filter's objection is about, looked up once for all nodes.
struct Stance {
  const Survey::Filter* filter;
  bool about_size;  // too small even when empty: no other change brings the pod there
  bool own_choice;  // ruled out by the pod's own choice of nodes: it does not want the node
};
std::vector<Stance> stances(const Survey& survey) {
  std::vector<Stance> made;
  for (const auto& filter : survey.filters) {
    const Blocker blocker = blocker_of(filter.plugin);
    made.push_back({&filter, blocker == Blocker::capacity || blocker == Blocker::devices,
                    filter.plugin == "NodeAffinity" || filter.plugin == "NodeName"});
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
    far.too_small = far.too_small || (about_size && filter->lacking.test(node));
    far.unwanted = far.unwanted || own_choice;
  }
  return far;
}

// Room does not help on a node that something else keeps away: objections that room could lift then
// go uncounted.
void count_node(const Survey& survey, std::size_t node, std::vector<Rejection>& counted) {
  const bool hopeless = std::ranges::any_of(survey.filters, [&](const Survey::Filter& filter) {
    return filter.rejected.test(node) && !filter.curable.test(node);
  });
  const auto code = hopeless ? core::Code::unresolvable : core::Code::unschedulable;
  for (const auto& filter : survey.filters) {
    if (!filter.rejected.test(node) || (hopeless && filter.curable.test(node))) continue;
    const auto same = std::ranges::find_if(counted, [&](const Rejection& known) {
      return known.plugin == filter.plugin && known.code == code;
    });
    if (same == counted.end()) {
      counted.push_back({filter.plugin, code, 1});
    } else {
      ++same->nodes;
    }
  }
}

}  // namespace

Bitset Survey::accepted_but_for(Blocker blocker) const {
  Bitset accepted = live;
  for (const auto& filter : filters) {
    if (blocker_of(filter.plugin) != blocker) accepted.and_not(filter.rejected);
  }
  return accepted;
}

bool Survey::rejects_for(Blocker blocker) const {
  return std::ranges::any_of(
      filters, [&](const Filter& filter) { return blocker_of(filter.plugin) == blocker; });
}

std::vector<Rejection> Survey::nearest() const {
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

Survey survey(const core::Cluster& cluster, const core::Profile& profile,
              const core::PodClass& pods) {
  Survey made = blank_survey(cluster);
  for (const auto& enabled : profile.filters) {
    const auto prepared = enabled->prepare_filter(cluster, pods);
    if (prepared.verdict.code == core::Code::skip) continue;
    Survey::Filter filter = refused(enabled.plugin->name(), prepared.verdict, made.live);
    if (prepared.evaluator != nullptr) judge_nodes(*prepared.evaluator, made.live, filter);
    if (filter.rejected.any()) made.filters.push_back(std::move(filter));
  }
  return made;
}

Survey blank_survey(const core::Cluster& cluster) { return {cluster.live_nodes(), {}}; }

// --- kept up to date -----------------------------------------------------------------------------

void KeptSurvey::start_over(const core::PodClass& pods) {
  const auto known = cluster_.find_pod(pods.sample->meta.uid);
  TUTTI_CHECK(known, "the class of a pod that is not there");
  sample_ = cluster_.pod(*known).object;
  core::PodClass lasting = pods;
  lasting.sample = sample_.get();
  opinions_.clear();
  for (const auto& enabled : profile_.filters) {
    auto prepared = enabled->prepare_filter(cluster_, lasting);
    if (prepared.verdict.code == core::Code::skip) continue;
    Opinion opinion{refused(enabled.plugin->name(), prepared.verdict, cluster_.live_nodes()),
                    std::move(prepared.evaluator)};
    if (opinion.evaluator != nullptr) {
      judge_nodes(*opinion.evaluator, cluster_.live_nodes(), opinion.filter);
    }
    opinions_.push_back(std::move(opinion));
  }
}

bool KeptSurvey::hear(Opinion& opinion, std::span<const core::Change> changes) {
  if (opinion.evaluator == nullptr) return false;
  std::vector<core::NodeId> touched;
  bool everywhere = false;
  for (const core::Change& change : changes) {
    const core::Effect effect = opinion.evaluator->changed(change);
    everywhere = everywhere || effect == core::Effect::everything;
    if (effect == core::Effect::node) touched.push_back(change.node);
  }
  if (everywhere) {
    judge_nodes(*opinion.evaluator, cluster_.live_nodes(), opinion.filter);
    return true;
  }
  std::ranges::sort(touched);
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  bool news = false;
  for (const core::NodeId node : touched) {
    if (!cluster_.node_alive(node)) continue;
    news = judge_node(*opinion.evaluator, node, opinion.filter) || news;
  }
  return news;
}

const std::shared_ptr<const Survey>& KeptSurvey::refresh(const core::PodClass& pods) {
  const auto changes = cluster_.journal_since(seen_journal_);
  // Rather than following a long list everyone is asked anew.
  const bool lost = !changes || changes->size() > std::max(kFollowed, cluster_.node_slots());
  bool news = survey_ == nullptr || lost || seen_structure_ != cluster_.structure_version();
  if (news) {
    start_over(pods);
  } else {
    for (Opinion& opinion : opinions_) news = hear(opinion, *changes) || news;
  }
  seen_structure_ = cluster_.structure_version();
  seen_journal_ = cluster_.journal_end();
  if (!news) return survey_;
  Survey made = blank_survey(cluster_);
  for (const Opinion& opinion : opinions_) {
    if (opinion.filter.rejected.any()) made.filters.push_back(opinion.filter);
  }
  survey_ = std::make_shared<const Survey>(std::move(made));
  return survey_;
}

}  // namespace tutti::explain
