// Changing the spec of pods that share one.
//
// A PodSpec is shared by all pods of a template and never changed in place, so a change makes a
// copy. Pods that shared a spec before a change must share one after it: the scheduler recognises
// identical pods by it, and a hundred thousand copies are a hundred thousand copies.
#pragma once

#include <functional>
#include <map>

#include "base/std.h"
#include "model/pod.h"

namespace tutti::admission {

// Remembers what each spec became. Keeps all of them alive: make one per batch, that is per loaded
// set of manifests or per request, and drop it afterwards.
class SpecRewrites {
 public:
  using SharedSpec = std::shared_ptr<const model::PodSpec>;

  // The spec that `edit` makes of `source`, or `source` itself when the edit changes nothing.
  // `variant` names the edit together with everything besides the spec that it depends on: equal
  // sources and variants give one result, and `edit` runs for the first only.
  SharedSpec rewritten(const SharedSpec& source, std::string variant,
                       const std::function<void(model::PodSpec&)>& edit);

 private:
  // Looked up, never iterated: the order by address reaches no one.
  std::map<std::pair<SharedSpec, std::string>, SharedSpec> known_;
};

}  // namespace tutti::admission
