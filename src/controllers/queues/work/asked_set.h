// AskedSet: a pod set as its owner describes it, for the request that is made of it.
#pragma once

#include "base/std.h"
#include "model/admission_request.h"
#include "store/store.h"
#include "wire/decode/decode.h"

namespace tutti::controllers {

struct AskedSet {
  model::PodSet set;
  std::string form;  // the template as JSON; empty: nobody keeps documents
};

// Where the annotations of a template want the pods to be; absent: anywhere.
std::optional<model::PodSetTopologyRequest> topology_asked(const model::Labels& annotations);

// Gives the set what its template implies: topology, and the priority of its pods.
void complete_set(model::PodSet& set, const store::Store& objects);

// Fills in the typed templates of sets that have only a form.
Status decode_forms(std::vector<AskedSet>& sets, wire::Decoder& decoder);

// The document of a request for the sets; null: some of them have no form.
std::shared_ptr<const std::string> request_document(const std::vector<AskedSet>& sets);

}  // namespace tutti::controllers
