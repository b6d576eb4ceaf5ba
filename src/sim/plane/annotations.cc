#include "sim/plane/annotations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "base/text.h"
#include "core/requests/tree_owner.h"
#include "core/victims/victim_cost.h"
#include "model/apps.h"
#include "model/group.h"
#include "model/job.h"
#include "model/quota_annotations.h"

namespace tutti::sim {
namespace {

enum class Form {
  duration,
  count,
  flag,
  instant,
  restart_cost,
  work_class,
  mode,
  admission_owner,
  stop_policy,
  tenure,
  judged_elsewhere,  // by admission, as an API server would
};

struct Annotation {
  std::string_view name;
  Form form;
  std::optional<model::Kind> only_on;  // absent: any kind
};

constexpr std::array kAnnotations = std::to_array<Annotation>({
    {kAt, Form::duration, std::nullopt},
    {kDeleteAt, Form::duration, std::nullopt},
    {kQuiet, Form::flag, std::nullopt},
    {kRunsFor, Form::duration, model::Kind::pod},
    {kFailsAfter, Form::duration, model::Kind::pod},
    {kBindFails, Form::count, model::Kind::pod},
    {kBindFailsAlways, Form::flag, model::Kind::pod},
    {kDownAt, Form::duration, model::Kind::node},
    {kUpAt, Form::duration, model::Kind::node},
    {core::kMinRuntime, Form::duration, std::nullopt},
    {core::kCheckpointGrace, Form::duration, std::nullopt},
    {core::kCheckpointedAt, Form::instant, std::nullopt},
    {core::kRestartCost, Form::restart_cost, std::nullopt},
    {core::kWorkClass, Form::work_class, std::nullopt},
    {kGroupSize, Form::count, model::Kind::pod_group},
    {model::kDisruptionModeAnnotation, Form::mode, std::nullopt},
    {core::kAdmissionOwner, Form::admission_owner, std::nullopt},
    {core::kStopPolicy, Form::stop_policy, model::Kind::cluster_queue},
    {model::kOpportunistic, Form::flag, std::nullopt},
    {model::kGuaranteedReplicas, Form::count, std::nullopt},
    {model::kTenure, Form::tenure, model::Kind::admission_request},
    {model::kMinParallelism, Form::count, model::Kind::job},
    {model::kAskedParallelism, Form::count, model::Kind::job},
    {"tutti.dev/backfill", Form::judged_elsewhere, std::nullopt},
    {"tutti.dev/expected-runtime", Form::judged_elsewhere, std::nullopt},
    {"tutti.dev/yield", Form::judged_elsewhere, std::nullopt},
});

std::optional<Millis> parse_time(std::string_view text) {
  const auto parsed = parse_duration(text);
  if (!parsed.ok() || *parsed < Millis::zero()) return std::nullopt;
  return *parsed;
}

std::optional<std::uint32_t> parse_count(std::string_view text) {
  std::uint32_t value = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stopped != text.data() + text.size()) return std::nullopt;
  return value;
}

// What is wrong with the value; empty when nothing.
std::string_view problem(Form form, std::string_view value) {
  switch (form) {
    case Form::duration:
      return parse_time(value) ? "" : "must be a duration such as 30s or 1h30m";
    case Form::count:
      return parse_count(value) ? "" : "must be a whole number";
    case Form::flag:
      return value == "true" || value == "false" ? "" : "must be true or false";
    case Form::instant:
      return parse_rfc3339(value).ok() ? "" : "must be a time such as 2026-01-01T00:10:00Z";
    case Form::restart_cost:
      return core::valid_restart_cost(value) ? "" : "must be a duration or a number of seconds";
    case Form::work_class:
      return core::is_work_class(value) ? "" : "must be training, inference or batch";
    case Form::mode:
      return value == "single" ? "" : "must be single";
    case Form::admission_owner:
      return core::is_admission_owner(value) ? "" : "must be tutti or kueue";
    case Form::stop_policy:
      return core::is_stop_policy(value) ? "" : "must be None, Hold or HoldAndDrain";
    case Form::tenure:
      return value == "guaranteed" || value == "burst" ? "" : "must be guaranteed or burst";
    case Form::judged_elsewhere:
      return "";
  }
  return "";
}

constexpr std::string_view kPrefix = "tutti.dev/";

std::string unknown_message(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Annotation& annotation : kAnnotations) known.push_back(annotation.name);
  const std::string_view meant = nearest_word(name, known);
  if (meant.empty()) return "is no annotation of Tutti's";
  return fmt::format("is no annotation of Tutti's; did you mean {}?", meant);
}

// Where annotations stand, and of what kind the objects are that they will be on.
struct Place {
  std::string_view path;
  model::Kind kind = model::Kind::other;
  bool of_template = false;
  bool for_ever = false;  // pods that are replaced when they end
};

bool has_replicas(model::Kind kind) {
  return kind == model::Kind::deployment || kind == model::Kind::stateful_set ||
         kind == model::Kind::other;
}

// What is wrong with a known annotation in this place; empty when nothing.
std::string problem_in(const Place& place, const Annotation& annotation, std::string_view value) {
  if (annotation.form == Form::judged_elsewhere) return {};
  if (annotation.only_on && *annotation.only_on != place.kind) {
    return fmt::format("is for a {} only", model::facts(*annotation.only_on).name);
  }
  if (annotation.name == model::kGuaranteedReplicas && !has_replicas(place.kind)) {
    return "is for sets of replicas: Deployment, StatefulSet, LeaderWorkerSet, InferenceService";
  }
  if (place.of_template && !annotation.only_on) return "is for an object, not for a template";
  if (place.for_ever && (annotation.name == kRunsFor || annotation.name == kFailsAfter)) {
    return "is for pods that end; these are replaced whenever one does";
  }
  const auto wrong = problem(annotation.form, value);
  return wrong.empty() ? std::string() : fmt::format("{}, is '{}'", wrong, value);
}

void check(const model::Labels& annotations, const Place& place,
           admission::FieldProblems& problems) {
  const auto report = [&](std::string_view name, std::string message) {
    problems.push_back({fmt::format("{}[{}]", place.path, name), std::move(message)});
  };
  for (const auto& [name, value] : annotations) {
    if (!name.starts_with(kPrefix)) continue;
    if (std::ranges::find(kAnnotations, name, &Annotation::name) != kAnnotations.end()) continue;
    report(name, unknown_message(name));
  }
  for (const Annotation& annotation : kAnnotations) {
    const auto* value = model::find(annotations, annotation.name);
    if (value == nullptr) continue;
    auto wrong = problem_in(place, annotation, *value);
    if (!wrong.empty()) report(annotation.name, std::move(wrong));
  }
}

// A minimum that the Job does not have.
void check_minimum(const model::Job& job, admission::FieldProblems& problems) {
  const auto least = count_annotation(job, model::kMinParallelism);
  const auto size = static_cast<std::uint32_t>(std::max(0, job.parallelism.value_or(1)));
  if (!least || (*least > 0 && *least <= size)) return;
  problems.push_back({fmt::format("metadata.annotations[{}]", model::kMinParallelism),
                      fmt::format("must be from 1 to the parallelism, {}, is '{}'", size, *least)});
}

const model::PodTemplate* template_of(const model::Object& object) {
  switch (object.kind) {
    case model::Kind::job:
      return &model::as<model::Job>(object).pods;
    case model::Kind::deployment:
    case model::Kind::replica_set:
    case model::Kind::stateful_set:
      return &static_cast<const model::ReplicaKeeper&>(object).pods;
    default:
      return nullptr;
  }
}

}  // namespace

admission::FieldProblems check_annotations(const model::Object& object) {
  admission::FieldProblems problems;
  check(object.meta.annotations, {"metadata.annotations", object.kind}, problems);
  if (const auto* job = model::try_as<model::Job>(object)) check_minimum(*job, problems);
  if (const auto* pods = template_of(object)) {
    check(pods->annotations,
          {"spec.template.metadata.annotations", model::Kind::pod, true,
           object.kind != model::Kind::job},
          problems);
  }
  return problems;
}

std::optional<Millis> duration_annotation(const model::Object& object, std::string_view name) {
  const auto* value = model::find(object.meta.annotations, name);
  return value ? parse_time(*value) : std::nullopt;
}

std::optional<std::uint32_t> count_annotation(const model::Object& object, std::string_view name) {
  const auto* value = model::find(object.meta.annotations, name);
  return value ? parse_count(*value) : std::nullopt;
}

bool flag_annotation(const model::Object& object, std::string_view name) {
  const auto* value = model::find(object.meta.annotations, name);
  return value && *value == "true";
}

bool declares_end(const model::Object& pod) {
  return duration_annotation(pod, kRunsFor) || duration_annotation(pod, kFailsAfter);
}

}  // namespace tutti::sim
