// Arguments of the plugins that weigh resources.
#pragma once

#include "core/framework/config.h"
#include "wire/decode/field_reader.h"

namespace tutti::config {

void read_args(const wire::Field& at, core::FitArgs& out);
void read_args(const wire::Field& at, core::BalancedAllocationArgs& out);

}  // namespace tutti::config
