// A higher priority in its queue, of those that have a class.
#include <fmt/format.h>

#include <algorithm>

#include "whatif/quota/quota_ways.h"

namespace tutti::whatif {
namespace {

constexpr std::string_view kClassLabel = "kueue.x-k8s.io/priority-class";
constexpr std::string_view kClassKind = "WorkloadPriorityClass";
constexpr std::size_t kClassesMax = 8;

std::vector<const model::WorkloadPriorityClass*> higher_classes(const QuotaAsker& asker) {
  const std::int32_t own = asker.object().spec.priority.value_or(0);
  std::vector<const model::WorkloadPriorityClass*> classes;
  for (const model::ObjectPtr& object : asker.world().objects) {
    const auto* known = model::try_as<model::WorkloadPriorityClass>(*object);
    if (known != nullptr && known->value > own) classes.push_back(known);
  }
  std::ranges::sort(classes, {}, [](const auto* known) {
    return std::pair(known->value, std::string_view(known->meta.name));
  });
  if (classes.size() > kClassesMax) classes.resize(kClassesMax);
  return classes;
}

explain::ObjectChange with_class(const QuotaAsker& asker,
                                 const model::WorkloadPriorityClass& rank) {
  using explain::Datum;
  explain::ObjectChange change{{name_of(asker.author())}};
  if (!asker.is_handmade()) {
    change.patch = set_entry("labels", asker.author().meta.labels, kClassLabel, rank.meta.name);
    return change;
  }
  change.patch = {{"add", "/spec/priority", Datum::of(std::int64_t{rank.value})}};
  if (asker.object().api_version == model::kKueueV1Beta1) {
    change.patch.push_back({"add", "/spec/priorityClassName", Datum::of(rank.meta.name)});
    change.patch.push_back(
        {"add", "/spec/priorityClassSource", Datum::of("kueue.x-k8s.io/workloadpriorityclass")});
  } else {
    change.patch.push_back({"add", "/spec/priorityClassRef",
                            Datum::object({{"group", Datum::of("kueue.x-k8s.io")},
                                           {"kind", Datum::of(kClassKind)},
                                           {"name", Datum::of(rank.meta.name)}})});
  }
  return change;
}

}  // namespace

void add_rank_way(const QuotaAsker& asker, Ways& ways) {
  for (const model::WorkloadPriorityClass* rank : higher_classes(asker)) {
    auto changed = asker.copy();
    changed->spec.priority = rank->value;
    changed->spec.priority_class = model::PriorityClassReference{
        .group = "kueue.x-k8s.io", .kind = std::string(kClassKind), .name = rank->meta.name};
    const Trial trial = asker.try_request(changed);
    if (!trial.admitted) continue;
    ways.push_back(with_evictions({"priority",
                                   fmt::format("give it WorkloadPriorityClass {} (priority {})",
                                               rank->meta.name, rank->value),
                                   {with_class(asker, *rank)}},
                                  trial));
    return;
  }
}

}  // namespace tutti::whatif
