// Fragmentation: what stops being whole when devices are taken, so that nodes can be compared by
// what an allocation would leave for others.
//
//   of 100,000                 for every kind of device taken, as the class of its request says
//    40,000  the node          was untouched: none of its devices of the kind in use
//    16,000, 8,000, … domains  by level, widest first: the part of the node's devices that were in
//                              domains which were untouched
//    20,000  the devices       partitions: the largest that shares counters with them and cannot be
//                              given any more, as part of the largest there is (three quarters),
//                              and all such (a quarter); shares: the device was untouched
//     1,000  a split           of the devices over domains
//     3,000  what is to spare  the part of the node's devices that is left
//
// Nothing whole broken and nothing to spare is 0. Domains that span nodes are named, not weighed:
// others change them.
#pragma once

#include "base/std.h"
#include "devices/allocation/allocator.h"
#include "devices/allocation/interconnect.h"
#include "devices/allocation/packing.h"

namespace tutti::devices {

inline constexpr std::int64_t kLossMax = 96'000;
inline constexpr std::int64_t kSpanLoss = 4'000;  // on top, for breaking an untouched span

struct Loss {
  std::int64_t points = 0;    // up to kLossMax
  std::vector<SpanId> spans;  // of the devices taken
};

class LossMeter {
 public:
  // `devices` are those usable from the node. All but them are borrowed.
  LossMeter(const Inventory& inventory, SelectorTable& selectors, AttributeTable& attributes,
            InterconnectTable& spans, std::span<const AttributeId> domains,
            std::vector<DeviceId> devices)
      : inventory_(inventory),
        selectors_(selectors),
        attributes_(attributes),
        spans_(spans),
        domains_(domains),
        devices_(std::move(devices)) {}

  // Measures grants that could be taken; leaves the ledger as it was.
  Loss measure(Ledger& ledger, std::span<const Problem> problems, std::span<const Grant> grants);

 private:
  // What one request was given.
  struct Share {
    const WishPlan* wish;
    std::vector<DeviceId> kin;
    std::vector<const Pick*> picks;
    std::int64_t points = 0;
  };

  std::vector<Share> shares_of(std::span<const Problem> problems, std::span<const Grant> grants);
  std::int64_t broken_by(const Ledger& ledger, const Share& share);
  std::int64_t domains_broken_by(const Ledger& ledger, const Share& share, const Packing& packing);
  std::int64_t cut_out(Ledger& ledger, const Share& share);
  std::int64_t to_spare(const Ledger& ledger, const Share& share);
  void name_spans(const Share& share, Loss& loss);

  const Inventory& inventory_;
  SelectorTable& selectors_;
  AttributeTable& attributes_;
  InterconnectTable& spans_;
  std::span<const AttributeId> domains_;
  std::vector<DeviceId> devices_;
};

}  // namespace tutti::devices
