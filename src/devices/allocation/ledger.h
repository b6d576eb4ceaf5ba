// Ledger: who holds which devices, and what that leaves of counters and shared capacity.
//
// Every take has an exact inverse. Holds are by name, so that a device that vanishes and comes back
// is still held; counters are charged only for devices on offer, once per device however many
// shares of it are held.
#pragma once

#include "base/std.h"
#include "devices/inventory/ids.h"
#include "devices/inventory/inventory.h"

namespace tutti::devices {

// Amounts of shared capacity in thousandths, by name.
using Amounts = std::vector<std::pair<std::string, std::int64_t>>;

struct Hold {
  DeviceId device;
  bool share = false;  // of a device that many may hold
  Amounts consumed;    // of a share
  bool operator==(const Hold&) const = default;
};
std::uint64_t digest_of(const Hold& hold);

class Ledger {
 public:
  explicit Ledger(const Inventory& inventory) : inventory_(inventory) {}

  void take(const Hold& hold) { change(hold, +1); }
  void give_back(const Hold& hold) { change(hold, -1); }

  // Held by someone for themselves.
  bool dedicated(DeviceId id) const { return of(id).dedicated > 0; }
  // Held by anyone at all.
  bool held(DeviceId id) const { return of(id).dedicated + of(id).shares > 0; }
  std::int64_t shares(DeviceId id) const { return of(id).shares; }
  // At most what int64 can say; others may have given out more than there is.
  std::int64_t consumed(DeviceId id, std::string_view capacity) const;

  // What is left of a pool's counter, in thousandths; may be below zero when more was given than is
  // published now.
  std::int64_t available(PoolId pool, std::uint32_t counter) const;
  // Whether taking the device breaks no counter of its pool.
  bool counters_allow(DeviceId id) const;

  // A digest of what is held of the devices of this reach: equal when the same is, as long as
  // nothing is published anew in between.
  std::uint64_t state(ReachId reach) const {
    return reach.index < states_.size() ? states_[reach.index] : 0;
  }

  // The pool was published anew: its counters are charged again from what is held.
  void recount(PoolId pool);

  // Equal iff everything is held alike; for tests of undo.
  bool operator==(const Ledger& other) const;

 private:
  __extension__ typedef __int128 Sum;  // of amounts
  struct Use {
    std::int32_t dedicated = 0;
    std::int32_t shares = 0;
    std::vector<std::pair<std::string, Sum>> consumed;
    bool operator==(const Use&) const = default;
  };

  const Use& of(DeviceId id) const;
  void change(const Hold& hold, std::int32_t sign);
  void charge(DeviceId id, std::int64_t sign);
  void note(const Hold& hold, std::int32_t sign);
  std::vector<std::int64_t>& counters(PoolId pool);

  const Inventory& inventory_;
  std::vector<Use> uses_;                         // by device; shorter than the inventory's
  std::vector<std::vector<std::int64_t>> spent_;  // by pool and counter
  std::vector<std::uint64_t> states_;             // by reach
};

}  // namespace tutti::devices
