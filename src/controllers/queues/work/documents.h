// Changing an object's document along with its typed fields.
#pragma once

#include <functional>

#include "base/std.h"
#include "model/object.h"
#include "wire/document.h"

namespace tutti::controllers {

// The object's stored document, parsed; null: it has none.
std::unique_ptr<wire::Document> stored_document(const model::Object& object);

// Rewrites the document by `edit`; an object without one stays as it is.
using DocumentEdit = std::function<void(wire::Value& root, wire::Arena& arena)>;
void edit_document(model::Object& object, const DocumentEdit& edit);

// The member under the path, to be changed; null: there is none.
wire::Value* member_at(wire::Value& root, std::initializer_list<std::string_view> path);

}  // namespace tutti::controllers
