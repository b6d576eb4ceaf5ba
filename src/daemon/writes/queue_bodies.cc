#include "daemon/writes/queue_bodies.h"

#include <array>

#include "wire/encode/encode.h"
#include "wire/json_writer.h"

namespace tutti::daemon {
namespace {

using wire::Value;

constexpr std::array<std::string_view, 5> kOwnMembers = {
    "admission", "conditions", "admissionChecks", "requeueState", "schedulingStats"};
// Spelled so in v1beta2, and in v1beta1.
constexpr std::array<std::string_view, 2> kPastExecution = {"accumulatedPastExecutionTimeSeconds",
                                                            "accumulatedPastExexcutionTimeSeconds"};

// An object made of another's members.
class Excerpt {
 public:
  Excerpt(Value* from, wire::Arena& arena) : from_(from), arena_(arena) {}

  void take(std::string_view name) {
    Value* member = from_ != nullptr ? from_->find(name) : nullptr;
    if (member != nullptr) made_.set_member(arena_, name, std::move(*member));
  }
  void take_or_remove(std::string_view name) {
    take(name);
    if (made_.find(name) == nullptr) made_.set_member(arena_, name, Value());
  }
  Value& made() { return made_; }

 private:
  Value* from_;
  wire::Arena& arena_;
  Value made_ = Value::object();
};

Value identity(const model::ObjectMeta& meta, bool with_version, wire::Arena& arena) {
  Value out = Value::object();
  out.set_member(arena, "uid", Value::string(arena, meta.uid));
  if (with_version) {
    out.set_member(arena, "resourceVersion",
                   Value::string(arena, std::to_string(meta.resource_version)));
  }
  return out;
}

std::string patch_of(wire::Arena& arena, Value meta, std::string_view member, Value value) {
  Value root = Value::object();
  root.set_member(arena, "metadata", std::move(meta));
  root.set_member(arena, member, std::move(value));
  return wire::to_json(root);
}

}  // namespace

std::string request_status_body(const model::AdmissionRequest& request) {
  wire::Document document;
  wire::Arena& arena = document.arena();
  Value whole = wire::encode(request, document);
  Excerpt status(whole.find("status"), arena);
  for (const std::string_view name : kOwnMembers) status.take_or_remove(name);
  for (const std::string_view name : kPastExecution) status.take(name);
  // Merged with what was there.
  Value* requeue = status.made().find("requeueState");
  if (requeue->is_object() && requeue->find("requeueAt") == nullptr) {
    requeue->set_member(arena, "requeueAt", Value());
  }
  return patch_of(arena, identity(request.meta, true, arena), "status", std::move(status.made()));
}

std::string request_checks_body(const model::AdmissionRequest& request) {
  wire::Document document;
  wire::Arena& arena = document.arena();
  Value whole = wire::encode(request, document);
  Excerpt status(whole.find("status"), arena);
  status.take_or_remove("admissionChecks");
  return patch_of(arena, identity(request.meta, true, arena), "status", std::move(status.made()));
}

std::string request_inactive_body(const model::AdmissionRequest& request) {
  wire::Document document;
  wire::Arena& arena = document.arena();
  Value spec = Value::object();
  spec.set_member(arena, "active", Value::boolean(false));
  return patch_of(arena, identity(request.meta, false, arena), "spec", std::move(spec));
}

std::string queue_status_body(const model::Object& queue) {
  wire::Document document;
  wire::Arena& arena = document.arena();
  Value whole = wire::encode(queue, document);
  Value* status = whole.find("status");
  return patch_of(arena, identity(queue.meta, false, arena), "status",
                  status != nullptr ? std::move(*status) : Value::object());
}

}  // namespace tutti::daemon
