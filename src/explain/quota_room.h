// QuotaRoom: what each flavor of its queue would have for a request that waits, in base units
// (milli for cpu, whole units for the rest).
#pragma once

#include "base/std.h"
#include "core/requests/request_table.h"

namespace tutti::explain {

struct ResourceRoom {
  std::string resource;
  std::int64_t need = 0;      // of all pod sets that may use the flavor
  std::int64_t nominal = 0;   // the queue's own
  std::int64_t used = 0;      // by the queue
  std::int64_t borrowed = 0;  // of that, from its cohort
  std::int64_t free = 0;      // for the queue, its own and the cohort's
  std::int64_t most = 0;      // the queue could have with everybody else gone
  std::optional<std::int64_t> borrowing_limit{};
  std::uint32_t borrow_level = 0;

  bool lacks() const { return need > free; }
  bool never() const { return need > most; }
  std::int64_t missing() const { return need > free ? need - free : 0; }
};

struct FlavorRoom {
  std::size_t group = 0;   // of the queue's resource groups
  std::size_t flavor = 0;  // of the group's flavors
  std::string name;
  std::string mismatch;  // why no pod set may use it; empty: some may
  std::vector<ResourceRoom> resources;

  bool usable() const { return mismatch.empty(); }
  bool fits() const;
  bool never() const;
};

// In the order of the queue's groups and their flavors; only what the request asks for.
std::vector<FlavorRoom> quota_room(const core::RequestTable& table, const core::QuotaQueue& queue,
                                   const core::Request& request);

// The flavor that is spoken of, for each group in which none fits: the first that could fit with
// others gone, or else the first that may be used.
std::vector<const FlavorRoom*> lacking_flavors(std::span<const FlavorRoom> rooms);

}  // namespace tutti::explain
