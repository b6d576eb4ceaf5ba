// Changes of a waiting pod's own wishes: what each does to the spec, and how it is written down.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "explain/way.h"
#include "model/node.h"
#include "model/pod.h"

namespace tutti::whatif {

struct PodEdit {
  std::string kind;
  std::string summary;
  model::PodSpec spec;  // as changed
  std::vector<explain::PatchStep> steps;
};

// Every single requirement that can be given up.
std::vector<PodEdit> concessions(const model::PodSpec& spec);
// Without an effect: whatever it is.
PodEdit tolerating(const model::PodSpec& spec, const model::Taint& taint);

// The pod asks for this much less of a resource: its pod-level request, or that of the container
// that asks for the most. Empty when nobody of them asks for so much.
std::optional<PodEdit> asking_less(const model::PodSpec& spec, const std::string& resource,
                                   std::int64_t milli_less);

// The steps for a spec as it was written, which may lack lists and maps that admission fills in or
// that nobody needed before: a JSON patch adds to nothing that is not there.
std::vector<explain::PatchStep> steps_for(const model::PodSpec& written,
                                          std::vector<explain::PatchStep> steps);

}  // namespace tutti::whatif
