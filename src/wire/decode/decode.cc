#include "wire/decode/decode.h"

#include <fmt/format.h>

#include "base/text.h"
#include "wire/decode/decode_kinds.h"
#include "wire/decode/decode_parts.h"
#include "wire/decode/decode_pod.h"
#include "wire/decode/decode_template.h"
#include "wire/decode/kind_table.h"
#include "wire/json_writer.h"

namespace tutti::wire {
namespace {

using model::Kind;
using ObjectPointer = std::shared_ptr<model::Object>;

struct TypeMeta {
  std::string api_version;
  std::string kind;
};

// Makes the object, fills in what all kinds have, then what `fill` knows of this one.
template <typename T, typename Fill>
ObjectPointer make(const Field& at, TypeMeta& type, Fill&& fill) {
  auto object = std::make_shared<T>();
  object->api_version = std::move(type.api_version);
  at("metadata", object->meta);
  fill(*object);
  return object;
}

template <typename T>
ObjectPointer make_kind(const Field& at, TypeMeta& type) {
  return make<T>(at, type, [&](T& object) { read_kind(at, object); });
}

ObjectPointer make_other(const Field& at, TypeMeta& type) {
  return make<model::OtherObject>(
      at, type, [&](model::OtherObject& object) { object.kind_name = type.kind; });
}

ObjectPointer make_pod(const Field& at, TypeMeta& type, Decoder& context) {
  return make<model::Pod>(at, type,
                          [&](model::Pod& pod) { read_pod(at, context.pod_specs(), pod); });
}

template <typename T>
ObjectPointer make_templated(const Field& at, TypeMeta& type, Decoder& context) {
  return make<T>(at, type, [&](T& object) { read_kind(at, context.template_specs(), object); });
}

ObjectPointer make_object(Kind kind, const Field& at, TypeMeta& type, Decoder& context) {
  switch (kind) {
    case Kind::pod:
      return make_pod(at, type, context);
    case Kind::node:
      return make_kind<model::Node>(at, type);
    case Kind::ns:
      return make_kind<model::Namespace>(at, type);
    case Kind::priority_class:
      return make_kind<model::PriorityClass>(at, type);
    case Kind::service:
      return make_kind<model::Service>(at, type);
    case Kind::replication_controller:
      return make_kind<model::ReplicationController>(at, type);
    case Kind::replica_set:
      return make_templated<model::ReplicaSet>(at, type, context);
    case Kind::stateful_set:
      return make_templated<model::StatefulSet>(at, type, context);
    case Kind::deployment:
      return make_templated<model::Deployment>(at, type, context);
    case Kind::job:
      return make_templated<model::Job>(at, type, context);
    case Kind::persistent_volume_claim:
      return make_kind<model::PersistentVolumeClaim>(at, type);
    case Kind::persistent_volume:
      return make_kind<model::PersistentVolume>(at, type);
    case Kind::storage_class:
      return make_kind<model::StorageClass>(at, type);
    case Kind::csi_node:
      return make_kind<model::CsiNode>(at, type);
    case Kind::csi_driver:
      return make_kind<model::CsiDriver>(at, type);
    case Kind::csi_storage_capacity:
      return make_kind<model::CsiStorageCapacity>(at, type);
    case Kind::volume_attachment:
      return make_kind<model::VolumeAttachment>(at, type);
    case Kind::pod_disruption_budget:
      return make_kind<model::PodDisruptionBudget>(at, type);
    case Kind::event:
      return make_kind<model::Event>(at, type);
    case Kind::lease:
      return make_kind<model::Lease>(at, type);
    case Kind::workload:
      return make_kind<model::Workload>(at, type);
    case Kind::pod_group:
      return make_kind<model::PodGroup>(at, type);
    case Kind::composite_pod_group:
      return make_kind<model::CompositePodGroup>(at, type);
    case Kind::device_class:
      return make_kind<model::DeviceClass>(at, type);
    case Kind::resource_claim:
      return make_kind<model::ResourceClaim>(at, type);
    case Kind::resource_claim_template:
      return make_kind<model::ResourceClaimTemplate>(at, type);
    case Kind::resource_slice:
      return make_kind<model::ResourceSlice>(at, type);
    case Kind::device_taint_rule:
      return make_kind<model::DeviceTaintRule>(at, type);
    case Kind::topology:
      return make_kind<model::Topology>(at, type);
    case Kind::resource_flavor:
      return make_kind<model::ResourceFlavor>(at, type);
    case Kind::cluster_queue:
      return make_kind<model::ClusterQueue>(at, type);
    case Kind::cohort:
      return make_kind<model::Cohort>(at, type);
    case Kind::local_queue:
      return make_kind<model::LocalQueue>(at, type);
    case Kind::workload_priority_class:
      return make_kind<model::WorkloadPriorityClass>(at, type);
    case Kind::admission_check:
      return make_kind<model::AdmissionCheck>(at, type);
    case Kind::admission_request:
      return make_templated<model::AdmissionRequest>(at, type, context);
    case Kind::other:
      break;
  }
  return make_other(at, type);
}

TypeMeta read_type(const Field& at) {
  TypeMeta type;
  at.required("apiVersion", type.api_version);
  at.required("kind", type.kind);
  if (at.failed()) return type;
  if (const auto versions = understood_versions_instead_of(type.api_version, type.kind)) {
    at.fail_member("apiVersion", fmt::format("{} is not understood in version {}, only in {}",
                                             type.kind, type.api_version, *versions));
  }
  return type;
}

}  // namespace

std::string name_in(const Value& document) {
  const auto text = [](const Value* object, std::string_view name) -> std::string_view {
    const Value* member = object != nullptr ? object->find(name) : nullptr;
    return member != nullptr && member->is_string() ? member->text() : std::string_view{};
  };
  const Value* meta = document.find("metadata");
  const std::string_view kind = text(&document, "kind");
  const std::string_view ns = text(meta, "namespace");
  const std::string_view name = text(meta, "name");
  return fmt::format("{}{}{}{}{}", kind, kind.empty() || name.empty() ? "" : " ",
                     name.empty() ? "" : ns, name.empty() || ns.empty() ? "" : "/", name);
}

namespace {

Error to_error(const FieldError& error, const Value& document) {
  std::string message;
  if (error.line != 0) message = fmt::format("line {}: ", error.line);
  const std::string name = name_in(document);
  if (!name.empty()) message += brief_line(name) + ": ";
  if (!error.path.empty()) message += brief_line(error.path) + ": ";
  return {Error::Code::malformed, message + brief_line(error.message)};
}

constexpr std::string_view kListSuffix = "List";

// A plain List is one even without items; other kinds may be called so for another reason.
bool is_list(const Value& object) {
  const Value* kind = object.find("kind");
  return kind != nullptr && kind->is_string() && kind->text().ends_with(kListSuffix) &&
         (kind->text() == kListSuffix || object.find("items") != nullptr);
}

// Completes an item of a PodList to a Pod. The items of a plain List say themselves what they are.
void imply_type(Arena& arena, const Value& list, Value& item) {
  std::string_view kind = list.find("kind")->text();
  kind.remove_suffix(kListSuffix.size());
  const Value* version = list.find("apiVersion");
  if (kind.empty() || version == nullptr || !item.is_object()) return;
  const std::uint32_t line = item.line();
  if (item.find("apiVersion") == nullptr) {
    item.set_member(arena, "apiVersion", version->clone(arena).at_line(line));
  }
  if (item.find("kind") == nullptr) {
    item.set_member(arena, "kind", Value::string(arena, kind).at_line(line));
  }
}

Status visit(Arena& arena, Value& object, const std::function<Status(const Value&)>& body) {
  if (!is_list(object)) return body(object);
  Value* items = object.find("items");
  if (items == nullptr || items->is_null()) return ok_status();
  if (!items->is_array()) {
    const std::string found = fmt::format("expected an array, found {}", describe(items->kind()));
    return to_error({"items", found, items->line()}, object);
  }
  for (Value& item : items->items()) {
    imply_type(arena, object, item);
    TUTTI_TRY(visit(arena, item, body));
  }
  return ok_status();
}

}  // namespace

ObjectPointer decode(const Value& document, Decoder& context, FieldErrors& errors) {
  const Field at(document, errors);
  TypeMeta type = read_type(at);
  if (at.failed()) return nullptr;
  const Kind kind = kind_of(type.api_version, type.kind);
  ObjectPointer object = make_object(kind, at, type, context);

  if (at.failed()) return nullptr;
  // What an uninterpreted object says is in its document alone.
  if (context.documents() == Decoder::Documents::dropped && kind != Kind::other) return object;

  std::string text = to_json(document);
  if (text.size() > kMaxDocumentBytes) {
    at.fail("the object is too large");
    return nullptr;
  }
  object->document = std::make_shared<const std::string>(std::move(text));
  return object;
}

Result<ObjectPointer> decode(const Value& document, Decoder& context) {
  FieldErrors errors;
  ObjectPointer object = decode(document, context, errors);
  if (!errors.empty()) return to_error(errors.front(), document);
  return object;
}

Status for_each_object(Document& document, const std::function<Status(const Value&)>& body) {
  return visit(document.arena(), document.root(), body);
}

}  // namespace tutti::wire
