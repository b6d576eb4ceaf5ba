#include "explain/findings/verdict_cache.h"

#include <algorithm>
#include <string>

namespace tutti::explain {
namespace {

// Bounds memory: a survey costs some bytes per node and class.
constexpr std::size_t kNodesSurveyed = 8'000'000;
constexpr std::size_t kSurveysMin = 64;
// Beyond this many kinds at one moment, each is worked out by itself.
constexpr std::size_t kConclusions = 64;

bool same_diagnosis(const core::Diagnosis& a, const core::Diagnosis& b) {
  return a.nodes == b.nodes && a.reasons == b.reasons;
}

bool same_placement(const core::PlacementReport& a, const core::PlacementReport& b) {
  return a.fit == b.fit && a.needed == b.needed && a.value == b.value && a.key == b.key &&
         a.reasons == b.reasons;
}

auto figures_of(const core::Attempt& attempt) {
  return std::tie(attempt.code, attempt.minimum, attempt.running, attempt.tried, attempt.placed,
                  attempt.search, attempt.refused_by);
}

// The attempt's own message names the group, and where there is nothing better a verdict repeats
// it.
bool repeats_the_message(const core::Attempt& attempt, const Verdict& conclusion) {
  return attempt.code == core::Code::error || attempt.search == core::Search::exhausted ||
         conclusion.summary.find(attempt.message) != std::string::npos;
}

auto figures_of(const Demand& demand) {
  return std::tie(demand.required, demand.running, demand.missing, demand.together, demand.lone,
                  demand.keys_below, demand.topology_key, demand.slice_key, demand.slice_size);
}

}  // namespace

VerdictCache::VerdictCache(const core::Cluster& cluster)
    : cluster_(cluster),
      keys_(cluster),
      seen_(versions()),
      stock_(std::make_shared<NodeStock>(cluster)) {}

VerdictCache::Versions VerdictCache::versions() const {
  return {cluster_.versions().structure, cluster_.versions().nodes, cluster_.versions().observed,
          cluster_.journal().end()};
}

void VerdictCache::come_to_the_present() {
  if (seen_ == versions()) return;
  conclusions_.clear();
  stock_ = std::make_shared<NodeStock>(cluster_);
  seen_ = versions();
}

const std::shared_ptr<NodeStock>& VerdictCache::stock() {
  come_to_the_present();
  return stock_;
}

std::shared_ptr<const FilterSurvey> VerdictCache::survey(const core::Profile& profile,
                                                         const core::PodClass& pods) {
  const std::size_t most =
      std::max(kSurveysMin, kNodesSurveyed / std::max<std::size_t>(1, cluster_.nodes().slots()));
  const auto [at, fresh] = surveys_.try_emplace({&profile, keys_.key(profile, pods)});
  Surveyed& known = at->second;
  known.last_used = ++clock_;
  if (fresh) known.survey = std::make_unique<KeptFilterSurvey>(cluster_, profile);
  auto survey = known.survey->refresh(pods);
  if (surveys_.size() > most) forget_the_oldest();
  return survey;
}

void VerdictCache::forget_the_oldest() {
  const auto oldest = std::ranges::min_element(
      surveys_, {}, [](const auto& known) { return known.second.last_used; });
  surveys_.erase(oldest);
}

bool VerdictCache::is_nameless(const Demand& demand) const {
  return demand.classes.size() == 1 && demand.own_room.empty() &&
         !cluster_.wants_devices(demand.classes.front().sample);
}

bool VerdictCache::is_nominated(const Demand& demand) const {
  return !cluster_.pod(demand.classes.front().sample).object->status.nominated_node.empty();
}

bool VerdictCache::same_demand(const Demand& a, const Demand& b) const {
  const auto same_class = [&](const MemberClass& one, const MemberClass& other) {
    return one.count == other.count &&
           cluster_.pod(one.sample).shape == cluster_.pod(other.sample).shape;
  };
  return a.classes.front().survey == b.classes.front().survey && figures_of(a) == figures_of(b) &&
         std::ranges::equal(a.classes, b.classes, same_class) &&
         std::ranges::equal(a.placed, b.placed, same_class);
}

bool VerdictCache::same_attempt(const core::Attempt& a, const core::Attempt& b) const {
  const auto same_report = [&](const core::ClassReport& one, const core::ClassReport& other) {
    return one.pods == other.pods && one.placed == other.placed && one.room == other.room &&
           cluster_.pod(one.sample).shape == cluster_.pod(other.sample).shape &&
           same_diagnosis(one.diagnosis, other.diagnosis);
  };
  return figures_of(a) == figures_of(b) && std::ranges::equal(a.classes, b.classes, same_report) &&
         std::ranges::equal(a.placements, b.placements, same_placement);
}

const Verdict* VerdictCache::conclusion(const core::Attempt& attempt, const Demand& demand) {
  if (!is_nameless(demand)) return nullptr;
  come_to_the_present();
  const bool nominated = is_nominated(demand);
  for (const Conclusion& known : conclusions_) {
    if (known.nominated == nominated && same_demand(known.demand, demand) &&
        same_attempt(known.attempt, attempt)) {
      return &known.verdict;
    }
  }
  return nullptr;
}

void VerdictCache::keep(const core::Attempt& attempt, const Demand& demand,
                        const Verdict& conclusion) {
  if (!is_nameless(demand) || repeats_the_message(attempt, conclusion)) return;
  if (seen_ != versions() || conclusions_.size() >= kConclusions) return;
  conclusions_.push_back({attempt, demand, is_nominated(demand), conclusion});
}

}  // namespace tutti::explain
