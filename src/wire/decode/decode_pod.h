// Pod: what is its own, around a spec that it may share.
#pragma once

#include "model/pod.h"
#include "wire/decode/field_reader.h"
#include "wire/decode/pod_spec_pool.h"

namespace tutti::wire {

// Requires kind, apiVersion and metadata in place.
void read_pod(const Field& at, PodSpecPool& specs, model::Pod& out);

inline constexpr EnumTable<model::PodPhase, 5> kPodPhases = {{
    {"Pending", model::PodPhase::pending},
    {"Running", model::PodPhase::running},
    {"Succeeded", model::PodPhase::succeeded},
    {"Failed", model::PodPhase::failed},
    {"Unknown", model::PodPhase::unknown},
}};

}  // namespace tutti::wire
