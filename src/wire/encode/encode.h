// From model objects back to documents.
#pragma once

#include "model/object.h"
#include "wire/document.h"

namespace tutti::wire {

// The object as `kubectl get` would show it, in its own API version: its stored document with the
// fields that Tutti may change laid over it. Whatever else the document says is handed back as it
// was. The value lives in the arena of `document`, whose root is not touched.
//
// An object without a document is written from its typed fields alone. This is complete for Event,
// Lease, Workload, PodGroup and CompositePodGroup; for the other kinds it gives metadata and what
// Tutti may change. An object that does not say its version is written in the newest we know.
Value encode(const model::Object& object, Document& document);

}  // namespace tutti::wire
