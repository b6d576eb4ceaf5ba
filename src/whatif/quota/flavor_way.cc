// Another flavor of its queue, which its pods could use if they selected and tolerated otherwise.
#include <fmt/format.h>

#include <algorithm>

#include "core/matching/toleration.h"
#include "core/requests/flavor_match.h"
#include "whatif/change_target.h"
#include "whatif/pod_edits.h"
#include "whatif/quota/quota_ways.h"

namespace tutti::whatif {
namespace {

constexpr std::string_view kAllowedFlavors = "kueue.x-k8s.io/workload-allowed-resource-flavors";
// Edits of one pod set; who needs more asks for other machines altogether.
constexpr int kEditsMax = 4;

struct SetEdit {
  model::PodSet set;
  std::vector<explain::PatchStep> steps;  // relative to a pod
  std::vector<std::string> words;
};

// The next edit towards a flavor that repels the pods; nothing: no single one helps.
std::optional<PodEdit> edit_towards(const model::ResourceFlavor& flavor,
                                    const model::PodSpec& spec) {
  std::vector<model::Toleration> all = spec.tolerations;
  all.insert(all.end(), flavor.tolerations.begin(), flavor.tolerations.end());
  for (const model::Taint& taint : flavor.node_taints) {
    const bool repels = taint.effect == "NoSchedule" || taint.effect == "NoExecute";
    if (repels && !core::tolerates(all, taint)) return tolerating(spec, taint);
  }
  for (const auto& [key, value] : spec.node_selector) {
    const std::string* own = model::find(flavor.node_labels, key);
    if (own != nullptr && *own != value) return selecting(spec, key, key, *own);
  }
  for (PodEdit& edit : concessions(spec)) {
    if (edit.kind == "nodeAffinity") return std::move(edit);
  }
  return std::nullopt;
}

// Edits of the set until the flavor takes it; nothing: they do not lead there.
std::optional<SetEdit> edited(const QuotaAsker& asker, const model::PodSet& set,
                              const model::ResourceFlavor& flavor) {
  const core::QuotaObjects& objects = asker.table().objects();
  const bool implied = objects.is_all_topology(*asker.queue());
  SetEdit out{.set = set, .steps = {}, .words = {}};
  for (int edits = 0; edits <= kEditsMax; ++edits) {
    const std::string why =
        core::flavor_mismatch(objects, asker.object(), out.set, flavor.meta.name, implied);
    if (why.empty()) return out;
    if (out.set.pods.spec == nullptr) return std::nullopt;
    auto edit = edit_towards(flavor, *out.set.pods.spec);
    if (!edit) return std::nullopt;
    out.set.pods.spec = std::make_shared<const model::PodSpec>(std::move(edit->spec));
    out.steps.insert(out.steps.end(), edit->steps.begin(), edit->steps.end());
    out.words.push_back(std::move(edit->summary));
  }
  return std::nullopt;
}

std::optional<explain::Way> way_by_edits(const QuotaAsker& asker,
                                         const model::ResourceFlavor& flavor) {
  auto changed = asker.copy();
  explain::ObjectChange change{{name_of(asker.author())}};
  std::vector<std::string> words;
  for (std::size_t i = 0; i < changed->spec.pod_sets.size(); ++i) {
    const model::PodSet& set = asker.object().spec.pod_sets[i];
    auto edit = edited(asker, set, flavor);
    if (!edit) return std::nullopt;
    if (edit->steps.empty()) continue;
    const std::string prefix = asker.template_path(i);
    if (prefix.empty()) return std::nullopt;
    for (explain::PatchStep& step : steps_for(*set.pods.spec, std::move(edit->steps))) {
      step.path = prefix + step.path;
      if (std::ranges::find(change.patch, step) == change.patch.end()) {
        change.patch.push_back(std::move(step));
      }
    }
    for (std::string& word : edit->words) {
      if (std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
    }
    changed->spec.pod_sets[i] = std::move(edit->set);
  }
  if (change.patch.empty()) return std::nullopt;
  const Trial trial = asker.try_request(changed);
  if (!trial.admitted) return std::nullopt;
  return with_evictions(
      {"otherFlavor",
       fmt::format("let it use flavor {}: {}", flavor.meta.name, fmt::join(words, ", ")),
       {std::move(change)}},
      trial);
}

// Where the Workload says which flavors it allows.
std::optional<explain::Way> way_by_allowing(const QuotaAsker& asker,
                                            const model::ResourceFlavor& flavor) {
  const std::string* allowed = model::find(asker.object().meta.annotations, kAllowedFlavors);
  if (allowed == nullptr) return std::nullopt;
  const std::string more = *allowed + "," + flavor.meta.name;
  auto changed = asker.copy();
  for (auto& [key, value] : changed->meta.annotations.edit()) {
    if (key == kAllowedFlavors) value = more;
  }
  const Trial trial = asker.try_request(changed);
  if (!trial.admitted) return std::nullopt;
  explain::ObjectChange change{
      {name_of(asker.object())},
      set_entry("annotations", asker.object().meta.annotations, kAllowedFlavors, more)};
  return with_evictions({"otherFlavor",
                         fmt::format("let it use flavor {}: allow it in annotation {}",
                                     flavor.meta.name, kAllowedFlavors),
                         {std::move(change)}},
                        trial);
}

}  // namespace

void add_flavor_way(const QuotaAsker& asker, Ways& ways) {
  std::optional<explain::Way> best;
  for (const explain::FlavorRoom& room : asker.rooms()) {
    const model::ResourceFlavor* flavor = asker.table().objects().flavor(room.name);
    if (room.usable() || flavor == nullptr) continue;
    auto way = way_by_edits(asker, *flavor);
    if (!way) way = way_by_allowing(asker, *flavor);
    if (!way || (best && best->evicts.size() <= way->evicts.size())) continue;
    best = std::move(way);
    if (best->evicts.empty()) break;
  }
  if (best) ways.push_back(*std::move(best));
}

}  // namespace tutti::whatif
