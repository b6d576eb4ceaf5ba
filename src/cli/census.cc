#include "cli/census.h"

namespace tutti::cli {

Census take_census(const store::Store& objects,
                   const std::function<bool(const model::Pod&)>& foreign) {
  Census census;
  for (const auto& object : objects.objects(model::Kind::pod)) {
    const auto& pod = model::as<model::Pod>(*object);
    const std::string& group = pod.spec->scheduling_group;
    if (group.empty()) continue;
    const bool elsewhere = foreign(pod);
    if (!elsewhere && !pod.terminal()) continue;
    explain::Absent& absent = census[{pod.meta.ns, group}];
    if (elsewhere) {
      ++absent.foreign;
      if (absent.scheduler.empty()) absent.scheduler = pod.spec->scheduler_name;
    } else {
      ++(pod.status.phase == model::PodPhase::succeeded ? absent.succeeded : absent.failed);
    }
  }
  return census;
}

}  // namespace tutti::cli
