// Saved answers of Prometheus about what kube-state-metrics sees of pods and nodes: of
// /api/v1/query_range or /api/v1/query, one metric in each file or several.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "base/text.h"
#include "trace/cells.h"
#include "trace/clusters/pods.h"
#include "trace/clusters/sources.h"
#include "wire/json_reader.h"
#include "wire/number_text.h"

namespace tutti::trace {
namespace {

// One series: its labels, and what a simulation needs of its samples.
struct Series {
  std::map<std::string, std::string, std::less<>> labels;
  double first = 0;  // values
  double last = 0;
  Millis seen_last{0};  // time of the last sample
  Millis step{0};       // the least time between two samples; 0: there is one

  std::string_view label(std::string_view key) const {
    const auto at = labels.find(key);
    return at == labels.end() ? std::string_view{} : std::string_view(at->second);
  }
  std::string_view metric() const { return label("__name__"); }
};

// [1699999999.123, "4"].
std::optional<std::pair<Millis, double>> parse_sample(const wire::Value& sample) {
  if (!sample.is_array() || sample.items().size() != 2) return std::nullopt;
  const wire::Value& time = sample.items()[0];
  const wire::Value& text = sample.items()[1];
  if (!(time.is_integer() || time.is_number()) || !text.is_string()) return std::nullopt;
  const double seconds = time.as_double();
  // Values may be written as 1.7e+09.
  const auto number =
      wire::is_json_number(text.text()) ? wire::double_of(text.text()) : std::nullopt;
  constexpr double kSecondsMax = 1e11;
  if (!number || !(seconds >= 0 && seconds < kSecondsMax)) return std::nullopt;
  constexpr double kMillis = 1000;
  return std::pair(Millis{std::llround(seconds * kMillis)}, *number);
}

class AnswerReader {
 public:
  AnswerReader(Input& input, bool skip, std::vector<Series>& into)
      : input_(input), skip_(skip), into_(into) {}

  Status read(std::string_view text) {
    const Status status =
        wire::read_json(text, [&](wire::Document&& document) { return answer(document.root()); });
    return status.ok() ? status
                       : Status(Error{Error::Code::malformed,
                                      at_line(input_.path, status.error().message)});
  }

 private:
  static Error wrong(const wire::Value& at, std::string_view problem) {
    return {Error::Code::malformed, fmt::format("line {}: {}", at.line(), problem)};
  }

  Status answer(const wire::Value& root) {
    const wire::Value* status = root.find("status");
    const wire::Value* data = root.find("data");
    const wire::Value* result = data != nullptr ? data->find("result") : nullptr;
    if (status != nullptr && status->is_string() && status->text() != "success") {
      return wrong(root, "Prometheus answered with an error");
    }
    if (result == nullptr || !result->is_array()) {
      return wrong(root, "expected an answer of /api/v1/query_range: data.result");
    }
    for (const wire::Value& one : result->items()) {
      const Status taken = series(one);
      if (!taken.ok() && !skip_) return taken;
      if (taken.ok()) ++input_.rows;
      if (!taken.ok()) ++input_.skipped;
    }
    return ok_status();
  }

  Status series(const wire::Value& one) {
    const wire::Value* metric = one.find("metric");
    if (metric == nullptr || !metric->is_object()) return wrong(one, "expected metric: {labels}");
    Series made;
    for (const wire::Member& label : metric->members()) {
      if (!label.value.is_string()) return wrong(label.value, "expected a label's text");
      made.labels.emplace(label.key, label.value.text());
    }
    const wire::Value* values = one.find("values");
    const wire::Value* value = one.find("value");
    if (value != nullptr) TUTTI_TRY(sample(*value, true, made));
    if (values != nullptr && values->is_array()) {
      bool first = true;
      for (const wire::Value& each : values->items()) {
        TUTTI_TRY(sample(each, first, made));
        first = false;
      }
    }
    if (value == nullptr && (values == nullptr || !values->is_array() || values->items().empty())) {
      return wrong(one, "expected values: [[time, \"number\"], …]");
    }
    into_.push_back(std::move(made));
    return ok_status();
  }

  static Status sample(const wire::Value& value, bool first, Series& made) {
    const auto parsed = parse_sample(value);
    if (!parsed) return wrong(value, "expected [time, \"number\"]");
    const auto [at, number] = *parsed;
    if (first) {
      made.first = number;
    } else if (at > made.seen_last) {
      const Millis step = at - made.seen_last;
      made.step = made.step == Millis{0} ? step : std::min(made.step, step);
    }
    made.last = number;
    made.seen_last = at;
    return ok_status();
  }

  Input& input_;
  bool skip_;
  std::vector<Series>& into_;
};

Status read_answers(std::span<Unpacked> files, const ReadOptions& options,
                    std::vector<Series>& series) {
  for (Unpacked& file : files) {
    TUTTI_TRY(AnswerReader(file.input, options.skip_bad_rows, series).read(file.text));
  }
  return ok_status();
}

// Kubernetes' label as Prometheus has it: label_kueue_x_k8s_io_queue_name.
std::string sanitised(std::string_view key) {
  std::string made = "label_";
  for (const char c : key) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    made += kept ? c : '_';
  }
  return made;
}

// Names of resources that lost their dots and slashes: nvidia_com_gpu.
std::string resource_name(std::string_view sanitised_name) {
  constexpr std::pair<std::string_view, std::string_view> kKnown[] = {
      {"nvidia_com_gpu", "nvidia.com/gpu"},
      {"amd_com_gpu", "amd.com/gpu"},
      {"tutti_dev_gpu_milli", "tutti.dev/gpu-milli"},
      {"ephemeral_storage", "ephemeral-storage"},
      {"gpu_intel_com_i915", "gpu.intel.com/i915"},
      {"gpu_intel_com_xe", "gpu.intel.com/xe"},
      {"habana_ai_gaudi", "habana.ai/gaudi"},
      {"google_com_tpu", "google.com/tpu"},
      {"aws_amazon_com_neuron", "aws.amazon.com/neuron"},
  };
  for (const auto& [from, to] : kKnown) {
    if (sanitised_name == from) return std::string(to);
  }
  return std::string(sanitised_name);
}

// Cores become milli-cores; fractions of other things are rounded up.
std::int64_t amount_of(std::string_view resource, double value) {
  constexpr double kMost = 1e15;
  constexpr double kMilli = 1000;
  const double scaled = resource == "cpu" ? std::round(value * kMilli) : std::ceil(value);
  return static_cast<std::int64_t>(std::clamp(scaled, 0.0, kMost));
}

Millis time_of(double seconds) {
  constexpr double kSecondsMax = 1e11;
  constexpr double kMillis = 1000;
  return Millis{std::llround(std::clamp(seconds, 0.0, kSecondsMax) * kMillis)};
}

// What all series say of one pod.
struct SampledPod {
  std::optional<Millis> created;
  std::optional<Millis> scheduled;
  std::optional<Millis> started;
  std::optional<Millis> completed;
  Millis seen_last{0};
  std::map<std::string, double> requests;  // by resource, of all containers
  std::map<std::string, std::string, std::less<>> labels;
  std::string owner_kind;
  std::string owner;
};

class SampledPods {
 public:
  explicit SampledPods(const std::vector<Series>& series) {
    // Pods of one name that followed each other are told apart by uid, where every series has one.
    uids_ = std::ranges::all_of(series, [](const Series& one) {
      return one.label("pod").empty() || !one.label("uid").empty();
    });
    for (const Series& one : series) take(one);
  }

  Status hand_over(const std::string& file, const ReadOptions& options, Trace& trace) {
    if (pods_.empty()) {
      return Error{Error::Code::malformed,
                   file + ": expected a series of kube_pod_created, found none"};
    }
    std::vector<PodRecord> records;
    for (const auto& [key, pod] : pods_)
      add(std::get<0>(key), std::get<1>(key), pod, records, trace);
    if (step_ > Millis{0}) {
      trace.notes.push_back(
          fmt::format("Prometheus was asked every {} s: pods that lived shorter may be missing, "
                      "and ends of deleted pods are that exact.",
                      std::chrono::duration_cast<std::chrono::seconds>(step_).count()));
    }
    add_gangs(std::move(records), now_, options, trace);
    return ok_status();
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;  // namespace, name, uid

  void take(const Series& one) {
    const std::string_view metric = one.metric();
    if (one.label("pod").empty() || !metric.starts_with("kube_pod_")) return;
    now_ = std::max(now_, one.seen_last);
    if (one.step > Millis{0}) step_ = step_ == Millis{0} ? one.step : std::min(step_, one.step);
    SampledPod& pod = pods_[Key(one.label("namespace"), one.label("pod"),
                                uids_ ? one.label("uid") : std::string_view{})];
    pod.seen_last = std::max(pod.seen_last, one.seen_last);
    if (metric == "kube_pod_created") pod.created = time_of(one.first);
    if (metric == "kube_pod_status_scheduled_time") pod.scheduled = time_of(one.first);
    if (metric == "kube_pod_start_time") pod.started = time_of(one.first);
    if (metric == "kube_pod_completion_time") pod.completed = time_of(one.last);
    if (metric == "kube_pod_container_resource_requests") {
      pod.requests[resource_name(one.label("resource"))] += one.last;
    }
    if (metric == "kube_pod_owner") {
      pod.owner_kind = one.label("owner_kind");
      pod.owner = one.label("owner_name");
    }
    if (metric == "kube_pod_labels") pod.labels = one.labels;
  }

  void add(const std::string& ns, const std::string& name, const SampledPod& pod,
           std::vector<PodRecord>& records, Trace& trace) const {
    if (pod.owner_kind == "DaemonSet" || pod.owner_kind == "Node") {
      ++trace.dropped[pod.owner_kind == "Node" ? "static pods" : "pods of DaemonSets"];
      return;
    }
    if (!pod.created) {
      ++trace.dropped["pods without kube_pod_created"];
      return;
    }
    PodRecord record;
    record.ns = ns;
    record.name = name;
    record.created = *pod.created;
    // The kubelet's start is nearest to what kubectl shows of containers.
    record.started = pod.started ? pod.started : pod.scheduled;
    record.ended = pod.completed;
    // Half a step of grace: all series of a range end at about the same sample.
    if (!record.ended && pod.seen_last + step_ + step_ / 2 < now_ + Millis{1}) {
      if (!record.started) {
        ++trace.dropped["ended before the start"];
        return;
      }
      record.ended = pod.seen_last;
      ++trace.invented["end: the last sample, of pods that were deleted"];
    }
    if (record.ended && record.started && *record.ended < *record.started) {
      record.ended = record.started;
    }
    const auto label = [&](std::string_view key) {
      const auto at = pod.labels.find(sanitised(key));
      return at == pod.labels.end() ? std::string_view{} : std::string_view(at->second);
    };
    for (const auto& [resource, value] : pod.requests) {
      take_amount(record.asks, resource, amount_of(resource, value));
    }
    const std::string_view queue = label("kueue.x-k8s.io/queue-name");
    record.asks.queue = queue.empty() ? std::string_view(ns) : queue;
    record.gang = gang_by_labels(label);
    const bool indexed = !label("batch.kubernetes.io/job-completion-index").empty();
    if (record.gang.empty() && indexed && pod.owner_kind == "Job") record.gang = pod.owner;
    if (pod.requests.empty()) ++trace.invented["requests: none, of pods that no series says of"];
    records.push_back(std::move(record));
  }

  bool uids_ = true;
  std::map<Key, SampledPod> pods_;
  Millis now_{0};
  Millis step_{0};
};

}  // namespace

bool looks_like_samples(std::string_view text) {
  constexpr std::size_t kHead = 4096;
  const std::string_view head = text.substr(0, kHead);
  return head.find("\"resultType\"") != std::string_view::npos ||
         (head.find("\"status\"") != std::string_view::npos &&
          head.find("\"data\"") != std::string_view::npos &&
          head.find("\"apiVersion\"") == std::string_view::npos &&
          head.find("\"success\"") != std::string_view::npos);
}

Status read_samples(std::span<Unpacked> files, const ReadOptions& options, Trace& trace) {
  std::vector<Series> series;
  TUTTI_TRY(read_answers(files, options, series));
  for (const Unpacked& file : files) trace.inputs.push_back(file.input);
  return SampledPods(series).hand_over(files.front().input.path, options, trace);
}

Status read_sampled_nodes(std::span<Unpacked> files, const ReadOptions& options, NodeList& nodes) {
  std::vector<Series> series;
  TUTTI_TRY(read_answers(files, options, series));
  for (const Unpacked& file : files) nodes.inputs.push_back(file.input);
  std::map<std::string, Node, std::less<>> made;
  for (const Series& one : series) {
    if (one.metric() != "kube_node_status_allocatable") continue;
    Node& node = made[std::string(one.label("node"))];
    const std::string resource = resource_name(one.label("resource"));
    take_amount(node, resource, amount_of(resource, one.last));
  }
  for (const Series& one : series) {
    const auto at = made.find(one.label("node"));
    if (one.metric() != "kube_node_labels" || at == made.end()) continue;
    for (const std::string_view key : model_labels()) {
      const std::string_view value = one.label(sanitised(key));
      if (at->second.model.empty() && at->second.gpus > 0) at->second.model = value;
    }
    for (const std::string_view key :
         {"topology.kubernetes.io/region", "topology.kubernetes.io/zone"}) {
      const std::string_view value = one.label(sanitised(key));
      const bool fresh = std::ranges::none_of(
          at->second.levels, [&](const auto& lies) { return lies.first == level_of(key); });
      if (!value.empty() && fresh) at->second.levels.emplace_back(level_of(key), value);
    }
  }
  if (made.empty()) {
    return Error{Error::Code::malformed,
                 files.front().input.path +
                     ": expected a series of kube_node_status_allocatable, found none"};
  }
  for (auto& [name, node] : made) {
    node.name = name;
    nodes.nodes.push_back(std::move(node));
  }
  return ok_status();
}

}  // namespace tutti::trace
