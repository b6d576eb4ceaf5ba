#include "model/job.h"

namespace tutti::model {

bool has_gang_shape(const Job& job) {
  return !job.scheduling && job.indexed && job.parallelism.value_or(1) > 1 &&
         job.completions == job.parallelism;
}

bool is_gang_by_shape(const Job& job) {
  return has_gang_shape(job) && job.pods.spec && job.pods.spec->scheduling_group.empty();
}

}  // namespace tutti::model
