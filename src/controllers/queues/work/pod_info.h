// PodInfo: what admission adds to the pods of a set, and takes away again: labels, annotations, a
// node selector and tolerations. Both forms of a template are changed alike, the typed one and the
// one in the document.
#pragma once

#include "base/std.h"
#include "model/admission_request.h"
#include "model/pod_template.h"
#include "store/store.h"
#include "wire/value.h"

namespace tutti::controllers {

struct PodInfo {
  model::Labels labels;
  model::Labels annotations;
  model::Labels node_selector;
  std::vector<model::Toleration> tolerations;
};

// As the author of the work wrote them.
PodInfo written_info(const model::PodSet& set);
// With what the set was promised: labels and tolerations of its flavors, what checks add, and the
// words by which a pod says whose it is.
PodInfo started_info(const model::AdmissionRequest& request, const model::PodSet& set,
                     const store::Store& objects);

// Whether the pods of the template are already told whose they are.
bool is_started(const model::PodTemplate& pods, const model::AdmissionRequest& request);

void apply(const PodInfo& info, model::PodTemplate& pods);
// `pods`: an object with metadata and spec.
void apply(const PodInfo& info, wire::Value& pods, wire::Arena& arena);
// Beside what the pod's spec in the document says.
void add_to_spec(const PodInfo& info, wire::Value& pod, wire::Arena& arena);

}  // namespace tutti::controllers
