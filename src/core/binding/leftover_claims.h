// Claims that were allocated for a pod which is not placed: left behind by a scheduler that died
// between the allocation and the binding.
#pragma once

#include "core/framework/ports.h"
#include "devices/device_state.h"
#include "model/pod.h"

namespace tutti::core {

// Gives back what is allocated for this pod alone, and takes away the claim that was made for its
// extended resources. It was not placed: the allocation keeps devices
// from others and may tie the pod to a place that has no room for it.
void give_up_claims(const devices::DeviceState& devices, const model::Pod& pod, ClusterPort& port);

}  // namespace tutti::core
