// A Lease between the API server's text and the model. Fields that we do not know survive.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "model/cluster.h"

namespace tutti::kube {

Result<std::shared_ptr<const model::Lease>> read_lease(std::string_view text);
std::string write_lease(const model::Lease& lease);

}  // namespace tutti::kube
