#include "sim/bind_faults.h"

#include "sim/plane/annotations.h"

namespace tutti::sim {

void BindFaults::observe(const store::WatchEvent& event) {
  if (event.object().kind != model::Kind::pod) return;
  const auto asked = [](const model::ObjectPtr& pod) {
    return pod ? count_annotation(*pod, kBindFails).value_or(0) : 0;
  };
  if (asked(event.before) == asked(event.after)) return;
  const auto& uid = event.object().meta.uid;
  failures_left_.erase(uid);
  if (event.after) failures_left_.emplace(uid, asked(event.after));
}

bool BindFaults::strikes(const model::Pod& pod) {
  if (flag_annotation(pod, kBindFailsAlways)) return true;
  const auto left = failures_left_.find(pod.meta.uid);
  if (left == failures_left_.end() || left->second == 0) return false;
  --left->second;
  return true;
}

}  // namespace tutti::sim
