#include "wire/decode/decode_kinds.h"
#include "wire/decode/decode_parts.h"

namespace tutti::wire {

void read(const Field& at, model::Taint& out) {
  at("key", out.key);
  at("value", out.value);
  at("effect", out.effect);
}

static void read(const Field& at, model::NodeImage& out) {
  at("names", out.names);
  at("sizeBytes", out.size_bytes);
}

void read_kind(const Field& at, model::Node& out) {
  at.member("spec", [&](const Field& spec) {
    spec("unschedulable", out.unschedulable);
    spec("taints", out.taints);
  });
  at.member("status", [&](const Field& status) {
    bool given = false;
    status("capacity", out.capacity);
    status.member("allocatable", [&](const Field& allocatable) {
      given = true;
      read(allocatable, out.allocatable);
    });
    if (!given) out.allocatable = out.capacity;
    status("conditions", out.conditions);
    status("images", out.images);
    status("declaredFeatures", out.declared_features);
  });
}

}  // namespace tutti::wire
