// One entry of `profiles`.
#pragma once

#include "core/config.h"
#include "wire/kinds/field_reader.h"

namespace tutti::config {

core::ProfileConfig read_profile(const wire::Field& at);

}  // namespace tutti::config
