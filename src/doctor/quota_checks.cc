// Quota against machines.
#include <fmt/format.h>

#include "capacity/quota_cover.h"
#include "core/requests/pending_reason.h"
#include "doctor/examination.h"

namespace tutti::doctor {
namespace {

void add_unbacked(const capacity::FlavorCover& cover, Findings& findings) {
  const auto amount = [&](std::int64_t units) { return core::amount_text(cover.resource, units); };
  std::string owners;
  for (const auto& promise : cover.promises) {
    if (promise.nominal == 0) continue;
    owners +=
        fmt::format("{}{} {}", owners.empty() ? "" : ", ", promise.owner, amount(promise.nominal));
  }
  findings.push_back(
      {"quota-without-machines",
       Severity::warning,
       {"ResourceFlavor", "", cover.flavor},
       fmt::format("nominalQuota of {}", cover.resource),
       fmt::format("queues are promised {} {} ({}), its {} nodes have {}: {} can be admitted by "
                   "nobody who is placed",
                   amount(cover.nominal), cover.resource, owners, cover.nodes,
                   amount(cover.machines), amount(cover.quota_without_machines())),
       fmt::format("lower the quota by {}, or add nodes", amount(cover.quota_without_machines()))});
}

}  // namespace

void check_quota(const Scene& scene, Findings& findings) {
  const capacity::QuotaCover cover = capacity::quota_cover(scene.scheduler);
  for (const capacity::FlavorCover& each : cover.flavors) {
    const auto amount = [&](std::int64_t units) { return core::amount_text(each.resource, units); };
    // Without nodes more is wrong than an amount: said of the flavor.
    if (each.nodes > 0 && each.quota_without_machines() > 0) add_unbacked(each, findings);
    const bool device = each.resource.find('/') != std::string::npos;
    if (!device || each.machines_without_quota() == 0) continue;
    findings.push_back(
        {"machines-without-quota",
         Severity::info,
         {"ResourceFlavor", "", each.flavor},
         fmt::format("nominalQuota of {}", each.resource),
         fmt::format("its {} nodes have {} {}, queues are promised {}: {} serve nobody in a queue",
                     each.nodes, amount(each.machines), each.resource, amount(each.nominal),
                     amount(each.machines_without_quota())),
         fmt::format("raise a nominalQuota by {}", amount(each.machines_without_quota()))});
  }
  for (const capacity::Uncovered& each : cover.uncovered) {
    findings.push_back({"machines-without-quota",
                        Severity::info,
                        {"Node", "", each.nodes.empty() ? std::string() : each.nodes.front()},
                        "status.allocatable",
                        fmt::format("{} {} on {} nodes are of no flavor that a queue has quota of",
                                    core::amount_text(each.resource, each.machines), each.resource,
                                    each.nodes.size()),
                        "add a ResourceFlavor for them, and quota of it"});
  }
}

}  // namespace tutti::doctor
