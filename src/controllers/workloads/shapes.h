// From documents to plans, one function per shape; mapping.h says which kind has which.
#pragma once

#include "controllers/workloads/mapping.h"
#include "controllers/workloads/plan.h"
#include "wire/value.h"

namespace tutti::controllers {

Plan plan_job_set(const wire::Value& document, const Neighbours& neighbours);
Plan plan_leader_worker_set(const wire::Value& document, const Neighbours& neighbours);
Plan plan_ray_cluster(const wire::Value& document, const Neighbours& neighbours);
Plan plan_ray_job(const wire::Value& document, const Neighbours& neighbours);
Plan plan_train_job(const wire::Value& document, const Neighbours& neighbours);
Plan plan_pytorch_job(const wire::Value& document, const Neighbours& neighbours);
Plan plan_tf_job(const wire::Value& document, const Neighbours& neighbours);
Plan plan_mpi_job(const wire::Value& document, const Neighbours& neighbours);
Plan plan_xgboost_job(const wire::Value& document, const Neighbours& neighbours);
Plan plan_paddle_job(const wire::Value& document, const Neighbours& neighbours);
Plan plan_volcano_job(const wire::Value& document, const Neighbours& neighbours);
Plan plan_inference_service(const wire::Value& document, const Neighbours& neighbours);

}  // namespace tutti::controllers
