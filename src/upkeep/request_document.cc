#include "upkeep/request_document.h"

#include "base/check.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace tutti::upkeep {
namespace {

using wire::Arena;
using wire::Value;

void put_text(Value& at, Arena& arena, std::string_view name, const std::string& text) {
  if (!text.empty()) at.set_member(arena, name, Value::string(arena, text));
}

Value topology_value(const model::PodSetTopologyRequest& topology, Arena& arena) {
  Value out = Value::object();
  put_text(out, arena, "required", topology.required);
  put_text(out, arena, "preferred", topology.preferred);
  if (topology.unconstrained) {
    out.set_member(arena, "unconstrained", Value::boolean(*topology.unconstrained));
  }
  put_text(out, arena, "podIndexLabel", topology.pod_index_label);
  put_text(out, arena, "podSetGroupName", topology.group);
  put_text(out, arena, "podSetSliceRequiredTopology", topology.slice_topology);
  if (topology.slice_size) {
    out.set_member(arena, "podSetSliceSize", Value::integer(*topology.slice_size));
  }
  return out;
}

void complete(Value& item, const model::PodSet& set, Arena& arena) {
  if (set.topology && item.find("topologyRequest") == nullptr) {
    item.set_member(arena, "topologyRequest", topology_value(*set.topology, arena));
  }
}

}  // namespace

std::shared_ptr<const std::string> full_document(const model::AdmissionRequest& request) {
  if (request.document == nullptr) return nullptr;
  std::string text;
  const Status read = wire::read_json(*request.document, [&](wire::Document&& document) {
    Value* spec = document.root().find("spec");
    Value* sets = spec != nullptr ? spec->find("podSets") : nullptr;
    if (sets != nullptr && sets->is_array()) {
      const auto items = sets->items();
      for (std::size_t i = 0; i < std::min(items.size(), request.spec.pod_sets.size()); ++i) {
        complete(items[i], request.spec.pod_sets[i], document.arena());
      }
    }
    text = wire::to_json(document.root());
    return ok_status();
  });
  TUTTI_CHECK(read.ok(), "a stored document is JSON");
  return std::make_shared<const std::string>(std::move(text));
}

}  // namespace tutti::upkeep
