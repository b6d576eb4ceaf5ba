// Groups from Workloads that people write themselves.
//
// A pod that names the group "<workload>-<template>" gets it: if there is no such PodGroup and the
// Workload, which has no controller, has such a template, the PodGroup is made from it, and so are
// the CompositePodGroups above it, "<workload>-<composite template>". Nothing is made that no pod
// asks for. The groups belong to the Workload and go with it.
#pragma once

#include "base/std.h"
#include "controllers/controller.h"
#include "model/group.h"

namespace tutti::controllers {

class StampingController : public Controller {
 public:
  using Controller::Controller;

  void observe(const store::WatchEvent& event) override;

 protected:
  // Makes the PodGroup if it is missing and a Workload has a template of its name.
  void reconcile(const model::ObjectKey& key) override;

 private:
  void look_at_waiting_pods(const model::Workload& workload);
  void stamp(const model::Workload& workload, const std::vector<const model::GroupTemplate*>& path);
};

}  // namespace tutti::controllers
