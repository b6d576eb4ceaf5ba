#include "session/planned_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "answers/kueue_word.h"
#include "base/text.h"
#include "model/admission_request.h"
#include "session/work/work_verdict.h"
#include "store/typed.h"

namespace tutti::session {
namespace {

using model::Kind;

std::string namespace_of(const model::Object& object) {
  return object.meta.ns.empty() ? "default" : object.meta.ns;
}

bool has_queue(const model::Object& object) {
  if (object.kind == Kind::admission_request) return true;
  if (!object.meta.owners.empty()) return false;
  return object.kind == Kind::pod || makes_pods(object);
}

Status check_queue(const sim::Input& all, const std::string& ns, const std::string& queue) {
  std::vector<std::string_view> known;
  for (const sim::LoadedObject& loaded : all.objects) {
    if (loaded.object->kind != Kind::local_queue || namespace_of(*loaded.object) != ns) continue;
    if (loaded.object->meta.name == queue) return ok_status();
    known.push_back(loaded.object->meta.name);
  }
  const std::string_view meant = nearest_word(queue, known);
  return Error{Error::Code::invalid,
               fmt::format("--queue: there is no LocalQueue {}/{}{}", ns, brief_line(queue),
                           meant.empty() ? "" : fmt::format("; did you mean {}?", meant))};
}

model::ObjectPtr in_queue(const model::Object& object, const std::string& queue) {
  if (const auto* request = model::try_as<model::AdmissionRequest>(object)) {
    auto moved = std::make_shared<model::AdmissionRequest>(*request);
    moved->spec.queue = queue;
    return moved;
  }
  auto moved = store::clone(object);
  auto& labels = moved->meta.labels.edit();
  std::erase_if(labels, [](const auto& label) { return label.first == answers::kKueueQueueLabel; });
  labels.emplace_back(answers::kKueueQueueLabel, queue);
  std::ranges::sort(labels);
  return moved;
}

}  // namespace

Status put_in_queue(sim::Input& all, const std::set<model::ObjectKey>& asked,
                    const std::string& queue) {
  for (sim::LoadedObject& loaded : all.objects) {
    model::ObjectKey key = model::key_of(*loaded.object);
    if (has_queue(*loaded.object)) key.ns = namespace_of(*loaded.object);
    if (!has_queue(*loaded.object) || !asked.contains(key)) continue;
    TUTTI_TRY(check_queue(all, key.ns, queue));
    loaded.object = in_queue(*loaded.object, queue);
  }
  return ok_status();
}

}  // namespace tutti::session
