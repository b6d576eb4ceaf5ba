#include "controllers/queues/work/documents.h"

#include "base/check.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace tutti::controllers {

std::unique_ptr<wire::Document> stored_document(const model::Object& object) {
  if (!object.document) return nullptr;
  auto out = std::make_unique<wire::Document>();
  const Status read = wire::read_json(*object.document, [&](wire::Document&& stored) {
    *out = std::move(stored);
    return ok_status();
  });
  TUTTI_CHECK(read.ok(), "a stored document is JSON");
  return out;
}

void edit_document(model::Object& object, const DocumentEdit& edit) {
  const auto document = stored_document(object);
  if (document == nullptr) return;
  edit(document->root(), document->arena());
  object.document = std::make_shared<const std::string>(wire::to_json(document->root()));
}

wire::Value* member_at(wire::Value& root, std::initializer_list<std::string_view> path) {
  wire::Value* found = &root;
  for (const std::string_view name : path) {
    if (found != nullptr) found = found->find(name);
  }
  return found;
}

}  // namespace tutti::controllers
