// Another queue of its namespace.
#include <fmt/format.h>

#include "whatif/quota/quota_ways.h"

namespace tutti::whatif {
namespace {

constexpr std::string_view kQueueLabel = "kueue.x-k8s.io/queue-name";
constexpr std::size_t kQueuesMax = 16;

explain::ObjectChange to_queue(const QuotaAsker& asker, const std::string& queue) {
  explain::ObjectChange change{{name_of(asker.author())}};
  if (asker.is_handmade()) {
    change.patch = {{"add", "/spec/queueName", explain::Datum::of(queue)}};
  } else {
    change.patch = set_entry("labels", asker.author().meta.labels, kQueueLabel, queue);
  }
  return change;
}

}  // namespace

void add_queue_way(const QuotaAsker& asker, Ways& ways) {
  std::optional<explain::Way> best;
  std::size_t tried = 0;
  for (const auto& [key, local] : asker.table().objects().local_queues()) {
    const auto& [ns, name] = key;
    if (ns != asker.object().meta.ns || name == asker.object().spec.queue) continue;
    if (local->spec.cluster_queue == asker.request().queue || ++tried > kQueuesMax) continue;
    auto changed = asker.copy();
    changed->spec.queue = name;
    const Trial trial = asker.try_request(changed);
    if (!trial.admitted || (best && best->evicts.size() <= trial.evicts.size())) continue;
    best = with_evictions(
        {"otherQueue",
         fmt::format("submit it to queue {} (ClusterQueue {})", name, local->spec.cluster_queue),
         {to_queue(asker, name)}},
        trial);
    if (best->evicts.empty()) break;
  }
  if (best) ways.push_back(*std::move(best));
}

}  // namespace tutti::whatif
