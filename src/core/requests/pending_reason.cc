#include "core/requests/pending_reason.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/requests/pod_set_amounts.h"

namespace tutti::core {

std::string_view word(Waits reason) {
  switch (reason) {
    case Waits::placement_failed:
      return "PlacementFailed";
    case Waits::topology_placement_failed:
      return "TopologyPlacementFailed";
    case Waits::for_quota:
      return "WaitingForQuota";
    case Waits::exceeds_max_quota:
      return "ExceedsMaxQuota";
    case Waits::no_matching_flavor:
      return "NoMatchingFlavor";
    case Waits::pending_evaluation:
      return "PendingEvaluation";
    case Waits::for_reservation:
      return "WaitingForReservation";
    case Waits::for_preempted:
      return "WaitingForPreemptedWorkloads";
    case Waits::for_pods_ready:
      return "WaitingForPodsReady";
    case Waits::admission_gated:
      return "AdmissionGated";
    case Waits::suspended:
      return "Suspended";
    case Waits::on_hold:
      return "OnHold";
    case Waits::misconfigured:
      return "Misconfigured";
  }
  return {};
}

FlavorReason refusal_of(const quota::Tree& tree, quota::QuotaNodeId queue,
                        const std::string& pod_set, const quota::FlavorOutcome& outcome) {
  FlavorReason refusal;
  for (const quota::ResourceOutcome& each : outcome.resources) {
    if (each.grade.mode == quota::Mode::fit) continue;
    const quota::FlavorResources& names = tree.flavor_resources();
    Shortage shortage{.pod_set = pod_set,
                      .flavor = std::string(names.name(names.flavor(each.of))),
                      .resource = std::string(names.name(names.resource(each.of)))};
    const quota::Amount most = tree.lists(queue, each.of) ? tree.potential(queue, each.of) : 0;
    const quota::Amount have =
        each.exceeds_max ? most : quota::at_least_zero(tree.available(queue, each.of));
    shortage.never = each.exceeds_max;
    shortage.have = quota::to_int64(have);
    shortage.need = quota::to_int64(have + each.missing);
    if (!refusal.message.empty()) refusal.message += ", ";
    if (each.exceeds_max) {
      refusal.reason = Waits::exceeds_max_quota;
      refusal.message += fmt::format(
          "insufficient quota for {} in flavor {}, previously considered podsets requests ({}) + "
          "current podset request ({}) > maximum capacity ({})",
          shortage.resource, shortage.flavor,
          amount_text(shortage.resource, quota::to_int64(each.assumed)),
          amount_text(shortage.resource, quota::to_int64(each.asked)),
          amount_text(shortage.resource, shortage.have));
    } else {
      refusal.message += fmt::format(
          "insufficient unused quota for {} in flavor {}, {} more needed", shortage.resource,
          shortage.flavor, amount_text(shortage.resource, quota::to_int64(each.missing)));
    }
    refusal.shortages.push_back(std::move(shortage));
  }
  return refusal;
}

std::string amount_text(std::string_view resource, std::int64_t base_units) {
  const bool binary =
      resource == "memory" || resource == "ephemeral-storage" || resource.starts_with("hugepages-");
  if (binary && base_units != 0) {
    constexpr std::string_view kSuffixes[] = {"Ti", "Gi", "Mi", "Ki"};
    std::int64_t unit = std::int64_t{1} << 40;
    for (const std::string_view suffix : kSuffixes) {
      if (base_units % unit == 0) return fmt::format("{}{}", base_units / unit, suffix);
      unit >>= 10;
    }
  }
  return quantity_of(resource, base_units).text();
}

}  // namespace tutti::core
