#include "model/admission_request.h"

namespace tutti::model {

bool has_condition(const AdmissionRequest& request, std::string_view type) {
  const Condition* condition = find(request.status.conditions, type);
  return condition != nullptr && condition->status == "True";
}

}  // namespace tutti::model
