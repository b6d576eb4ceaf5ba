#include "wire/decode/decode_kinds.h"
#include "wire/decode/decode_parts.h"

namespace tutti::wire {

void read_kind(const Field& at, model::Topology& out) {
  at.required_member("spec", [&](const Field& spec) {
    spec.list("levels",
              [&](const Field& level) { level.required("nodeLabel", out.levels.emplace_back()); });
  });
}

}  // namespace tutti::wire
