// One entry of `profiles`.
#pragma once

#include "core/framework/config.h"
#include "wire/decode/field_reader.h"

namespace tutti::config {

core::ProfileConfig read_profile(const wire::Field& at);

}  // namespace tutti::config
