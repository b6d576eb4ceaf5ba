// Fewer pods than it asks for: the most that would be admitted.
#include <fmt/format.h>

#include <algorithm>

#include "whatif/quota/quota_ways.h"

namespace tutti::whatif {
namespace {

constexpr std::string_view kMinParallelism = "kueue.x-k8s.io/job-min-parallelism";

// The one set that may shrink: Kueue takes a minimum of one set only. Several could: the largest.
std::optional<std::size_t> shrinking_set(const model::AdmissionRequest& request) {
  const auto& sets = request.spec.pod_sets;
  const auto known = std::ranges::find_if(
      sets, [](const model::PodSet& set) { return set.min_count.has_value(); });
  const auto at =
      known != sets.end() ? known : std::ranges::max_element(sets, {}, &model::PodSet::count);
  if (at == sets.end() || at->min_count.value_or(at->count) <= 1) return std::nullopt;
  return static_cast<std::size_t>(at - sets.begin());
}

Trial try_minimum(const QuotaAsker& asker, std::size_t set, std::int64_t minimum) {
  auto changed = asker.copy();
  changed->spec.pod_sets[set].min_count = static_cast<std::int32_t>(minimum);
  return asker.try_request(changed);
}

explain::ObjectChange with_minimum(const QuotaAsker& asker, std::size_t set, std::int64_t minimum) {
  explain::ObjectChange change{{name_of(asker.author())}};
  if (asker.is_handmade()) {
    change.patch = {
        {"add", fmt::format("/spec/podSets/{}/minCount", set), explain::Datum::of(minimum)}};
  } else {
    change.patch = set_entry("annotations", asker.author().meta.annotations, kMinParallelism,
                             fmt::to_string(minimum));
  }
  return change;
}

}  // namespace

void add_size_way(const QuotaAsker& asker, Ways& ways) {
  const auto set = shrinking_set(asker.object());
  if (!set) return;
  if (!asker.is_handmade() && asker.author().kind != model::Kind::job) return;
  const Trial open = try_minimum(asker, *set, 1);
  if (!open.admitted) return;
  const std::int64_t count = open.promise[*set].count;
  const Trial exact = try_minimum(asker, *set, count);
  if (!exact.admitted) return;
  const model::PodSet& asked = asker.object().spec.pod_sets[*set];
  ways.push_back(
      with_evictions({"shrink",
                      fmt::format("let it start with {} of the {} pods of set {} (a minimum of {})",
                                  exact.promise[*set].count, asked.count, asked.name, count),
                      {with_minimum(asker, *set, count)}},
                     exact));
}

}  // namespace tutti::whatif
