#include "doctor/naming.h"

#include <algorithm>
#include <cctype>

#include "model/admission_request.h"

namespace tutti::doctor {
namespace {

constexpr std::string_view kLabelField = "metadata.labels[kueue.x-k8s.io/queue-name]";

bool has_owner(const model::Object& object) {
  return std::ranges::any_of(object.meta.owners.list(),
                             [](const model::OwnerReference& owner) { return owner.controller; });
}

std::optional<QueuedObject> queued(const model::Object& object) {
  if (has_owner(object)) return std::nullopt;
  if (const auto* const request = model::try_as<model::AdmissionRequest>(object)) {
    return QueuedObject{&object, request->spec.queue, "spec.queueName"};
  }
  const std::string* const queue = model::find(object.meta.labels, kQueueLabel);
  if (queue == nullptr || object.meta.ns.empty()) return std::nullopt;
  return QueuedObject{&object, *queue, std::string(kLabelField)};
}

}  // namespace

std::vector<QueuedObject> queued_objects(const store::Store& objects) {
  std::vector<QueuedObject> found;
  for (std::size_t kind = 0; kind < model::kKindCount; ++kind) {
    for (const model::ObjectPtr& object : objects.objects(static_cast<model::Kind>(kind))) {
      if (auto each = queued(*object)) found.push_back(std::move(*each));
    }
  }
  return found;
}

std::string kind_of(const model::Object& object) {
  if (object.kind == model::Kind::other) {
    return static_cast<const model::OtherObject&>(object).kind_name;
  }
  return std::string(model::facts(object.kind).name);
}

std::string kubectl_word(const model::Object& object) {
  std::string word = kind_of(object);
  std::ranges::transform(word, word.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::size_t slash = object.api_version.find('/');
  const std::string group =
      slash == std::string::npos ? std::string() : object.api_version.substr(0, slash);
  // Groups with a dot are those of other projects, whose kinds may have a namesake.
  const bool own = group.find('.') == std::string::npos || group.ends_with(".k8s.io");
  const bool kueue = object.kind == model::Kind::admission_request;
  return own && !kueue ? word : word + "." + group;
}

}  // namespace tutti::doctor
