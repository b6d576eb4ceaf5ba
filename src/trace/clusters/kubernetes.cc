// What `kubectl get pods,jobs,nodes -A -o json` prints.
#include <fmt/format.h>

#include <algorithm>

#include "core/shapes/shape.h"
#include "model/group.h"
#include "model/job.h"
#include "model/node.h"
#include "trace/clusters/objects.h"
#include "trace/clusters/pods.h"
#include "trace/clusters/sources.h"

namespace tutti::trace {
namespace {

using Names = std::pair<std::string, std::string>;  // namespace and name

// What other objects of the files say of the pods' gangs.
struct Gangs {
  struct Group {
    std::int32_t minimum = 1;
    std::string level;
  };
  std::map<Names, bool> jobs;  // whether the Job is one
  std::map<Names, Group> groups;
};

struct PodSource {
  PodRecord record;
  std::string job;       // the Job that owns it
  bool indexed = false;  // of that Job
};

std::optional<Millis> earliest_start(const wire::Value& document) {
  std::optional<Millis> earliest;
  const auto consider = [&](const wire::Value* state, std::string_view phase) {
    const wire::Value* of_phase = state != nullptr ? state->find(phase) : nullptr;
    const wire::Value* text = of_phase != nullptr ? of_phase->find("startedAt") : nullptr;
    if (text == nullptr || !text->is_string()) return;
    const auto instant = parse_rfc3339(text->text());
    if (!instant.ok()) return;
    const Millis at = instant->time_since_epoch();
    earliest = earliest ? std::min(*earliest, at) : at;
  };
  const wire::Value* status = document.find("status");
  const wire::Value* containers = status != nullptr ? status->find("containerStatuses") : nullptr;
  if (containers == nullptr || !containers->is_array()) return earliest;
  for (const wire::Value& container : containers->items()) {
    for (const std::string_view phase : {"running", "terminated"}) {
      consider(container.find("state"), phase);
      consider(container.find("lastState"), phase);
    }
  }
  return earliest;
}

// The effective request of the pod, by resource.
void read_requests_of(const model::Pod& pod, Job& asks) {
  std::vector<std::string> names = {"cpu", "memory", "ephemeral-storage", "pods"};
  const core::ResourceIds ids = [&](std::string_view name) {
    auto at = std::ranges::find(names, name);
    if (at == names.end()) at = names.emplace(names.end(), name);
    return core::ResourceId{static_cast<std::uint32_t>(at - names.begin())};
  };
  for (const core::ResourceAmount& one : core::effective_requests(pod, ids)) {
    take_amount(asks, names[one.resource.index], one.amount);
  }
}

bool names_a_model(std::string_view key) {
  const auto labels = model_labels();
  return std::ranges::find(labels, key) != labels.end();
}

// Models of GPUs that it may have. Returns whether it says anything else of nodes.
bool read_selectors(const model::PodSpec& spec, Job& asks) {
  bool others = !spec.affinity.required.empty() || !spec.anti_affinity.required.empty() ||
                std::ranges::any_of(spec.spread, &model::TopologySpreadConstraint::hard);
  for (const auto& [key, value] : spec.node_selector) {
    if (names_a_model(key)) asks.models = {value};
    others = others || !names_a_model(key);
  }
  if (!spec.node_affinity.required) return others;
  for (const model::NodeSelectorTerm& term : *spec.node_affinity.required) {
    const bool alone = spec.node_affinity.required->size() == 1;
    for (const model::Requirement& one : term.match_expressions) {
      const bool model =
          alone && names_a_model(one.key) && one.op == model::Requirement::Operator::in;
      if (model) asks.models = one.values;
      others = others || !model;
    }
    others = others || !term.match_fields.empty();
  }
  return others;
}

std::string_view label_of(const model::ObjectMeta& meta, std::string_view key) {
  const std::string* found = model::find(meta.labels, key);
  if (found == nullptr) found = model::find(meta.annotations, key);
  return found != nullptr ? std::string_view(*found) : std::string_view{};
}

// Returns why the pod is no job: it comes with its node.
std::string_view comes_with_node(const model::Pod& pod) {
  for (const model::OwnerReference& owner : pod.meta.owners) {
    if (owner.kind == "DaemonSet") return "pods of DaemonSets";
    if (owner.kind == "Node") return "static pods";
  }
  return {};
}

class PodReader {
 public:
  explicit PodReader(Trace& trace) : trace_(trace) {}

  Status take(const model::Object& object, const wire::Value& document, Input& input) {
    if (const auto* job = dynamic_cast<const model::Job*>(&object)) {
      gangs_.jobs[{job->meta.ns, job->meta.name}] = model::has_gang_shape(*job);
    } else if (const auto* group = dynamic_cast<const model::PodGroup*>(&object)) {
      gangs_.groups[{group->meta.ns, group->meta.name}] = {
          group->spec.policy.minimum, std::string(level_of(group->spec.topology_key))};
    } else if (const auto* pod = dynamic_cast<const model::Pod*>(&object)) {
      TUTTI_TRY(take_pod(*pod, document));
      ++input.rows;
    }
    return ok_status();
  }

  void finish(const ReadOptions& options) {
    std::vector<PodRecord> records;
    for (PodSource& pod : pods_) {
      PodRecord& record = pod.record;
      // As the product has it: an Indexed Job all of whose pods run at once is a gang.
      const auto job = gangs_.jobs.find({record.ns, pod.job});
      const bool of_job = job != gangs_.jobs.end() ? job->second : pod.indexed;
      if (record.gang.empty() && !pod.job.empty() && of_job) record.gang = pod.job;
      const auto group = gangs_.groups.find({record.ns, record.gang});
      if (group != gangs_.groups.end()) {
        record.minimum = group->second.minimum;
        record.asks.level = group->second.level;
      }
      records.push_back(std::move(record));
    }
    add_gangs(std::move(records), now_, options, trace_);
  }

 private:
  Status take_pod(const model::Pod& pod, const wire::Value& document) {
    const auto bad = [&](std::string_view what) {
      return Error{Error::Code::malformed,
                   fmt::format("line {}: {}: {}", document.line(), wire::name_in(document), what)};
    };
    if (!pod.meta.created) return bad("metadata.creationTimestamp: expected a time");
    if (const auto why = comes_with_node(pod); !why.empty()) {
      ++trace_.dropped[std::string(why)];
      return ok_status();
    }
    PodSource made;
    PodRecord& record = made.record;
    record.ns = pod.meta.ns;
    record.name = pod.meta.name;
    record.created = pod.meta.created->time_since_epoch();
    record.started = earliest_start(document);
    if (!record.started && pod.status.start_time && !pod.node_name.empty() && pod.terminal()) {
      record.started = pod.status.start_time->time_since_epoch();
      ++trace_.invented["start: the kubelet's, of pods whose containers do not say"];
    }
    if (pod.terminal()) {
      if (!record.started || !pod.status.finished) {
        ++trace_.dropped["ended before the start"];
        return ok_status();
      }
      record.ended = pod.status.finished->time_since_epoch();
    }
    for (const auto& time : {std::optional(record.created), record.started, record.ended}) {
      if (time) now_ = std::max(now_, *time);
    }
    read_what_it_asks(pod, made);
    pods_.push_back(std::move(made));
    return ok_status();
  }

  void read_what_it_asks(const model::Pod& pod, PodSource& made) {
    PodRecord& record = made.record;
    read_requests_of(pod, record.asks);
    if (read_selectors(*pod.spec, record.asks)) {
      ++trace_.ignored["node selectors, affinities and spread constraints of pods"];
    }
    if (!pod.spec->resource_claims.empty()) ++trace_.ignored["resource claims of pods"];
    const std::string_view queue = label_of(pod.meta, "kueue.x-k8s.io/queue-name");
    record.asks.queue = queue.empty() ? std::string_view(record.ns) : queue;
    record.asks.priority = pod.priority.value_or(0);
    record.gang = pod.spec->scheduling_group;
    if (record.gang.empty()) {
      record.gang = gang_by_labels([&](std::string_view key) { return label_of(pod.meta, key); });
    }
    for (const model::OwnerReference& owner : pod.meta.owners) {
      if (owner.kind == "Job") made.job = owner.name;
    }
    made.indexed = !label_of(pod.meta, "batch.kubernetes.io/job-completion-index").empty();
  }

  Trace& trace_;
  Gangs gangs_;
  std::vector<PodSource> pods_;
  Millis now_{0};
};

void add_node(const model::Node& node, NodeList& list) {
  Node made;
  made.name = node.meta.name;
  for (const auto& [name, amount] : node.allocatable) {
    take_amount(made, name, name == "cpu" ? amount.milli() : amount.units());
  }
  for (const std::string_view key : model_labels()) {
    const auto value = label_of(node.meta, key);
    if (made.model.empty() && made.gpus > 0) made.model = value;
  }
  for (const auto& [key, value] : node.meta.labels) {
    const std::string_view level = level_of(key);
    const bool fresh =
        std::ranges::none_of(made.levels, [&](const auto& lies) { return lies.first == level; });
    if (!level.empty() && fresh) made.levels.emplace_back(level, value);
  }
  if (node.unschedulable) ++list.ignored["nodes that are cordoned: pods may go there"];
  if (!node.taints.empty()) ++list.ignored["taints of nodes"];
  list.nodes.push_back(std::move(made));
}

}  // namespace

bool looks_like_objects(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos || text[first] != '{') return false;
  constexpr std::size_t kHead = 4096;
  const std::string_view head = text.substr(first, kHead);
  return head.find("\"apiVersion\"") != std::string_view::npos;
}

Status read_pods(std::span<Unpacked> files, const ReadOptions& options, Trace& trace) {
  PodReader reader(trace);
  for (Unpacked& file : files) {
    std::size_t* const skipped = options.skip_bad_rows ? &file.input.skipped : nullptr;
    TUTTI_TRY(each_object(file.input.path, file.text, skipped,
                          [&](const model::Object& object, const wire::Value& document) {
                            return reader.take(object, document, file.input);
                          }));
    trace.inputs.push_back(file.input);
  }
  reader.finish(options);
  return ok_status();
}

Status read_kubernetes_nodes(std::span<Unpacked> files, const ReadOptions& options,
                             NodeList& nodes) {
  for (Unpacked& file : files) {
    std::size_t* const skipped = options.skip_bad_rows ? &file.input.skipped : nullptr;
    TUTTI_TRY(each_object(file.input.path, file.text, skipped,
                          [&](const model::Object& object, const wire::Value&) {
                            const auto* node = dynamic_cast<const model::Node*>(&object);
                            if (node == nullptr) return ok_status();
                            add_node(*node, nodes);
                            ++file.input.rows;
                            return ok_status();
                          }));
    nodes.inputs.push_back(file.input);
  }
  return ok_status();
}

}  // namespace tutti::trace
