// Queues, cohorts and checks of Kueue: their spec is as its document says, their status is ours.
#include "wire/decode/quota_words.h"
#include "wire/encode/encode_kinds.h"

namespace tutti::wire {
namespace {

enum class Borrowed : bool { hidden, shown };

void write_usage(Overlay& status, std::string_view name,
                 const std::vector<model::FlavorUsage>& flavors, Borrowed borrowed) {
  const auto same_flavor = [](const Value& item, const model::FlavorUsage& usage) {
    return says(item, "name", usage.flavor);
  };
  const auto same_resource = [](const Value& item, const model::ResourceUsage& usage) {
    return says(item, "name", usage.resource);
  };
  const auto write_resource = [&](Overlay& at, const model::ResourceUsage& usage) {
    // What is left out reads as none.
    const auto amount = [&](std::string_view member, const Quantity& used) {
      if (!used.zero() || at.find("name") == nullptr || at.find(member) != nullptr) {
        at.quantity(member, used);
      }
    };
    if (borrowed == Borrowed::shown) amount("borrowed", usage.borrowed);
    amount("total", usage.total);
    at.text_always("name", usage.resource);
  };
  status.list(name, flavors, same_flavor, [&](Overlay& at, const model::FlavorUsage& usage) {
    at.text_always("name", usage.flavor);
    at.list("resources", usage.resources, same_resource, write_resource);
  });
}

void write_share(Overlay& status, const model::QueueStatus& written) {
  status.member("fairSharing", [&](Overlay& sharing) {
    if (written.consumed) {
      sharing.member("admissionFairSharingStatus", [&](Overlay& history) {
        history.amounts("consumedResources", written.consumed->amounts);
        history.time("lastUpdate", written.consumed->last_update);
      });
    } else {
      sharing.remove("admissionFairSharingStatus");
    }
    sharing.number("weightedShare", written.weighted_share);
  });
}

void write_queue_status(Overlay& at, std::string_view usage, Borrowed borrowed,
                        const model::QueueStatus& written) {
  at.member("status", [&](Overlay& status) {
    status.number("admittedWorkloads", written.admitted);
    write_conditions(status, written.conditions, {});
    write_share(status, written);
    write_usage(status, "flavorsReservation", written.reservation, borrowed);
    write_usage(status, usage, written.usage, borrowed);
    status.number("pendingWorkloads", written.pending);
    status.number("reservingWorkloads", written.reserving);
  });
}

}  // namespace

void write_kind(Overlay& at, const model::ClusterQueue& queue) {
  write_queue_status(at, "flavorsUsage", Borrowed::shown, queue.status);
}

void write_kind(Overlay& at, const model::LocalQueue& queue) {
  write_queue_status(at, local_usage_member(queue), Borrowed::hidden, queue.status);
}

void write_kind(Overlay& at, const model::Cohort& cohort) {
  at.member("status", [&](Overlay& status) {
    status.member("fairSharing", [&](Overlay& sharing) {
      sharing.number("weightedShare", cohort.weighted_share);
    });
  });
}

void write_kind(Overlay& at, const model::AdmissionCheck& check) {
  at.member("status", [&](Overlay& status) { write_conditions(status, check.conditions, {}); });
}

}  // namespace tutti::wire
