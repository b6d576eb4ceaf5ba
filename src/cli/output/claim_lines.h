// Resource claims as lines for people: who uses which devices.
#pragma once

#include "base/std.h"
#include "model/device.h"
#include "store/store.h"
#include "terminal/table.h"

namespace tutti::cli {

// "h100-a: gpu-0 gpu-1; net: nic-0", in order of the allocation; a share with what it takes.
std::string devices_text(const model::Allocation& allocation);

// One row per claim: name, who it is reserved for, its devices or why it has none.
terminal::Table claim_table(const store::Store& objects);

}  // namespace tutti::cli
