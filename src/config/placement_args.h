// Arguments of the plugins that look at where nodes and pods are.
#pragma once

#include "core/framework/config.h"
#include "wire/decode/field_reader.h"

namespace tutti::config {

void read_args(const wire::Field& at, core::NodeAffinityArgs& out);
void read_args(const wire::Field& at, core::PodTopologySpreadArgs& out);

}  // namespace tutti::config
