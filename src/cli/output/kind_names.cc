#include "cli/output/kind_names.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tutti::cli {
namespace {

using model::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 36> kShortNames = {{
    {"claim", Kind::resource_claim},
    {"claims", Kind::resource_claim},
    {"no", Kind::node},
    {"po", Kind::pod},
    {"ns", Kind::ns},
    {"pc", Kind::priority_class},
    {"svc", Kind::service},
    {"rc", Kind::replication_controller},
    {"rs", Kind::replica_set},
    {"sts", Kind::stateful_set},
    {"deploy", Kind::deployment},
    {"pvc", Kind::persistent_volume_claim},
    {"pv", Kind::persistent_volume},
    {"sc", Kind::storage_class},
    {"pdb", Kind::pod_disruption_budget},
    {"ev", Kind::event},
    {"wl", Kind::workload},
    {"pg", Kind::pod_group},
    {"group", Kind::pod_group},
    {"groups", Kind::pod_group},
    {"cpg", Kind::composite_pod_group},
    {"topo", Kind::topology},
    {"rf", Kind::resource_flavor},
    {"flavor", Kind::resource_flavor},
    {"flavors", Kind::resource_flavor},
    {"cq", Kind::cluster_queue},
    {"co", Kind::cohort},
    {"lq", Kind::local_queue},
    {"queue", Kind::local_queue},
    {"queues", Kind::local_queue},
    {"wpc", Kind::workload_priority_class},
    {"ac", Kind::admission_check},
    // The bare word stands for the kind of scheduling.k8s.io.
    {"kwl", Kind::admission_request},
    {"kueueworkload", Kind::admission_request},
    {"kueueworkloads", Kind::admission_request},
    {"workloads.kueue.x-k8s.io", Kind::admission_request},
}};

// Kinds of which pods are made and that the model does not decode.
struct WorkKind {
  std::string_view kind;
  std::string_view short_name;
};
constexpr std::array<WorkKind, 14> kWorkKinds = {{
    {"JobSet", ""},
    {"LeaderWorkerSet", "lws"},
    {"RayCluster", ""},
    {"RayJob", ""},
    {"TrainJob", ""},
    {"PyTorchJob", ""},
    {"TFJob", ""},
    {"MPIJob", ""},
    {"XGBoostJob", ""},
    {"PaddleJob", ""},
    {"InferenceService", "isvc"},
    {"Job", "vcjob"},
    {"CronJob", "cj"},
    {"DaemonSet", "ds"},
}};

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& letter : out) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return out;
}

// "deployments" of "deployments.apps", as kubectl names kinds in full. What is no API group stays:
// "jobs.d" is a folder.
std::string_view without_group(std::string_view word) {
  const std::size_t dot = word.find('.');
  if (dot == std::string_view::npos) return word;
  const std::string_view group = word.substr(dot + 1);
  const bool known = group == "apps" || group == "batch" || group.find('.') < group.size() - 1;
  return known ? word.substr(0, dot) : word;
}

}  // namespace

bool is_name_or_plural(std::string_view word, std::string_view kind) {
  const std::string singular = lower_case(kind);
  return word == singular || word == singular + "s" || word == singular + "es";
}

std::optional<Kind> kind_named(std::string_view word) {
  const std::string lower = lower_case(word);
  for (std::size_t index = 0; index + 1 < model::kKindCount; ++index) {
    const auto kind = static_cast<Kind>(index);
    const model::KindFacts& facts = model::facts(kind);
    if (lower == facts.plural || is_name_or_plural(lower, facts.name)) return kind;
  }
  const auto known =
      std::ranges::find(kShortNames, lower, &std::pair<std::string_view, Kind>::first);
  if (known != kShortNames.end()) return known->second;
  const std::string_view bare = without_group(lower);
  return bare.size() == lower.size() ? std::nullopt : kind_named(bare);
}

std::string_view work_kind_named(std::string_view word) {
  const std::string lower = lower_case(without_group(word));
  if (lower.empty()) return {};
  for (const WorkKind& work : kWorkKinds) {
    if (lower == work.short_name || is_name_or_plural(lower, work.kind)) return work.kind;
  }
  return {};
}

bool names_a_kind(std::string_view word) {
  return kind_named(word).has_value() || !work_kind_named(word).empty();
}

bool names_kind_of(std::string_view word, const model::Object& object) {
  if (object.kind != Kind::other) return kind_named(word) == object.kind;
  return is_name_or_plural(word, static_cast<const model::OtherObject&>(object).kind_name);
}

KindFilter KindFilter::parse(std::string_view list) {
  KindFilter filter;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    const std::string_view word = list.substr(0, comma);
    if (const std::optional<Kind> kind = kind_named(word)) {
      filter.kinds_.push_back(*kind);
    } else {
      filter.others_.push_back(lower_case(word));
    }
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  return filter;
}

bool KindFilter::wants(const model::Object& object) const {
  if (kinds_.empty() && others_.empty()) return true;
  if (object.kind != Kind::other) return std::ranges::find(kinds_, object.kind) != kinds_.end();
  return std::ranges::any_of(others_,
                             [&](const auto& word) { return names_kind_of(word, object); });
}

}  // namespace tutti::cli
