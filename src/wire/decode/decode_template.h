// Pod templates, wherever a kind has one.
#pragma once

#include "model/admission_request.h"
#include "model/apps.h"
#include "model/job.h"
#include "model/pod_template.h"
#include "wire/decode/field_reader.h"
#include "wire/decode/pod_spec_pool.h"

namespace tutti::wire {

void read_template(const Field& at, PodSpecPool& specs, model::PodTemplate& out);

// Like read_kind() of decode_kinds.h, for kinds with a template. Without `specs` it is not read.
void read_kind(const Field& at, PodSpecPool* specs, model::Job& out);
void read_kind(const Field& at, PodSpecPool* specs, model::Deployment& out);
void read_kind(const Field& at, PodSpecPool* specs, model::ReplicaSet& out);
void read_kind(const Field& at, PodSpecPool* specs, model::StatefulSet& out);
void read_kind(const Field& at, PodSpecPool* specs, model::AdmissionRequest& out);

}  // namespace tutti::wire
