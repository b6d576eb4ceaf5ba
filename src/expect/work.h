// Work: objects of which pods are made, and those pods.
#pragma once

#include "base/std.h"
#include "model/pod.h"
#include "store/store.h"

namespace tutti::expect {

// The object of that kind, "LeaderWorkerSet"; of several projects' kinds of one name Kubernetes'
// own first. Null: there is none.
const model::Object* find_work(const store::Store& objects, const std::string& kind,
                               const std::string& ns, const std::string& name);

// Pods that have not ended and were made of the object, or of what was made of it.
std::vector<const model::Pod*> pods_made_of(const store::Store& objects, const model::Object& work);

}  // namespace tutti::expect
