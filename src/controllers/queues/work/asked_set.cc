#include "controllers/queues/work/asked_set.h"

#include <algorithm>
#include <charconv>

#include "base/check.h"
#include "model/cluster.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace tutti::controllers {
namespace {

using wire::Arena;
using wire::Value;

std::string asked(const model::Labels& annotations, std::string_view key) {
  const std::string* value = model::find(annotations, key);
  return value != nullptr ? *value : std::string();
}

Value parsed(const std::string& json, Arena& arena) {
  Value out;
  const Status read = wire::read_json(json, [&](wire::Document&& document) {
    out = document.root().clone(arena);
    return ok_status();
  });
  TUTTI_CHECK(read.ok(), "a form is JSON");
  return out;
}

void fill(wire::Document& document, const std::vector<AskedSet>& sets) {
  Arena& arena = document.arena();
  Value root = Value::object();
  Value list = Value::array();
  for (const AskedSet& asked : sets) {
    Value item = Value::object();
    item.set_member(arena, "name", Value::string(arena, asked.set.name));
    item.set_member(arena, "count", Value::integer(asked.set.count));
    item.set_member(arena, "template", parsed(asked.form, arena));
    list.push_back(arena, std::move(item));
  }
  root.set(arena, {"spec", "podSets"}, std::move(list));
  document.set_root(std::move(root));
}

}  // namespace

std::optional<model::PodSetTopologyRequest> topology_asked(const model::Labels& annotations) {
  model::PodSetTopologyRequest request;
  request.required = asked(annotations, "kueue.x-k8s.io/podset-required-topology");
  request.preferred = asked(annotations, "kueue.x-k8s.io/podset-preferred-topology");
  request.slice_topology = asked(annotations, "kueue.x-k8s.io/podset-slice-required-topology");
  request.group = asked(annotations, "kueue.x-k8s.io/podset-group-name");
  if (asked(annotations, "kueue.x-k8s.io/podset-unconstrained-topology") == "true") {
    request.unconstrained = true;
  }
  const std::string size = asked(annotations, "kueue.x-k8s.io/podset-slice-size");
  std::int32_t slice = 0;
  const auto [stopped, error] = std::from_chars(size.data(), size.data() + size.size(), slice);
  const bool whole = error == std::errc() && stopped == size.data() + size.size();
  if (whole && slice > 0) request.slice_size = slice;
  const bool none = request == model::PodSetTopologyRequest{};
  return none ? std::nullopt : std::optional(std::move(request));
}

void complete_set(model::PodSet& set, const store::Store& objects) {
  set.topology = topology_asked(set.pods.annotations);
  if (set.pods.spec == nullptr || set.pods.priority) return;
  const std::string& name = set.pods.spec->priority_class_name;
  const auto named = objects.find<model::PriorityClass>({}, name);
  if (named != nullptr) set.pods.priority = named->value;
}

Status decode_forms(std::vector<AskedSet>& sets, wire::Decoder& decoder) {
  wire::Document document;
  fill(document, sets);
  Arena& arena = document.arena();
  Value& root = document.root();
  root.set_member(arena, "apiVersion", Value::string(arena, "kueue.x-k8s.io/v1beta2"));
  root.set_member(arena, "kind", Value::string(arena, "Workload"));
  root.set(arena, {"metadata", "name"}, Value::string(arena, "of-forms"));
  TUTTI_ASSIGN(const auto decoded, wire::decode(root, decoder));
  const auto& made = model::as<model::AdmissionRequest>(*decoded).spec.pod_sets;
  for (std::size_t i = 0; i < sets.size(); ++i) sets[i].set.pods = made[i].pods;
  return ok_status();
}

std::shared_ptr<const std::string> request_document(const std::vector<AskedSet>& sets) {
  const bool all = std::ranges::none_of(sets, [](const AskedSet& set) { return set.form.empty(); });
  if (!all) return nullptr;
  wire::Document document;
  fill(document, sets);
  return std::make_shared<const std::string>(wire::to_json(document.root()));
}

}  // namespace tutti::controllers
