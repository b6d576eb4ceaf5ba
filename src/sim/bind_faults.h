// Injected failures of binding calls: tutti.dev/bind-fails and tutti.dev/bind-fails-always.
#pragma once

#include <unordered_map>

#include "base/std.h"
#include "model/pod.h"
#include "sim/plane/plane.h"

namespace tutti::sim {

class BindFaults : public Controller {
 public:
  // A new or changed annotation starts the count anew.
  void observe(const store::WatchEvent& event) override;
  // Whether this call for the pod is to fail; uses up one of the failures asked for.
  bool strikes(const model::Pod& pod);

 private:
  std::unordered_map<std::string, std::uint32_t> failures_left_;  // by pod uid
};

}  // namespace tutti::sim
