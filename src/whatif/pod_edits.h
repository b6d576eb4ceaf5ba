// Changes of a waiting pod's own wishes: what each does to the spec, and how it is written down.
#pragma once

#include "base/std.h"
#include "explain/verdict/way.h"
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

// The pod asks for this much less of a resource: its pod-level request, and whatever stands above
// what is left. Of the containers and sidecars that run at once that is the one that asks for the
// most, of init containers every one that alone asks for more. Empty when somebody would be left
// with nothing.
std::optional<PodEdit> asking_less(const model::PodSpec& spec, const std::string& resource,
                                   std::int64_t milli_less);

// The pod asks for as much of another resource instead.
PodEdit renaming(const model::PodSpec& spec, const std::string& from, const std::string& to);
// The pod selects nodes by another label instead of the one of that key.
PodEdit selecting(const model::PodSpec& spec, const std::string& old_key, const std::string& key,
                  const std::string& value);

// Whether what the step removes from a pod is in its spec as it was written: a controller may have
// put it there, as it does with exclusive topologies.
bool removes_what_is_written(const model::PodSpec& written, const model::PodSpec& pod,
                             const explain::PatchStep& step);

// The spec without what an API server adds to every pod: the best guess at a template that nobody
// has seen.
model::PodSpec without_additions(const model::PodSpec& pod);

// The steps for a spec as it was written, which may lack lists and maps that admission fills in or
// that nobody needed before: a JSON patch adds to nothing that is not there.
std::vector<explain::PatchStep> steps_for(const model::PodSpec& written,
                                          std::vector<explain::PatchStep> steps);

}  // namespace tutti::whatif
