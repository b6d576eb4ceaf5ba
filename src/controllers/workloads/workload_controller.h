// Makes the groups and members of workloads of other projects, as mapping.h plans them.
#pragma once

#include <set>

#include "base/std.h"
#include "controllers/controller.h"
#include "controllers/workloads/mapping.h"
#include "controllers/workloads/plan.h"
#include "model/group.h"
#include "wire/decode/decode.h"

namespace tutti::controllers {

class WorkloadController : public Controller {
 public:
  // Whether the members are to have their documents.
  WorkloadController(Cluster& cluster, bool keeps_documents);

  void observe(const store::WatchEvent& event) override;

 protected:
  void reconcile(const model::ObjectKey& key) override;

 private:
  bool ensure_groups(const model::Object& owner, const Plan& plan, const std::string& priority);
  bool ensure(const model::Object& owner, const model::Object& wanted);
  void ensure_minimum(const model::Object& owner, const model::PodGroup& wanted);
  void create_member(const model::Object& owner, const PlannedMember& member);
  void remove_others(const model::Object& owner, const std::set<std::string>& members);
  void refuse(const model::Object& owner, const std::string& why);
  Neighbours neighbours_of(const model::Object& owner);

  wire::Decoder decoder_;
  // Look again when something they may need has come.
  std::set<model::ObjectKey> waiting_;
  std::unique_ptr<wire::Document> neighbour_;  // the one last found
};

}  // namespace tutti::controllers
