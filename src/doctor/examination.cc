#include "doctor/examination.h"

namespace tutti::doctor {

std::vector<Finding> examine(const Scene& scene) {
  Findings findings;
  for (const auto check : {check_queues, check_work, check_nodes, check_quota, check_gangs}) {
    check(scene, findings);
  }
  sort(findings);
  return findings;
}

}  // namespace tutti::doctor
