#include "devices/device_state.h"

namespace tutti::devices {

DeviceState::DeviceState(const Places& places)
    : tables_(places),
      confined_(tables_),
      groups_(tables_),
      questions_(tables_, groups_, confined_),
      movable_(tables_.claims),
      reach_(tables_, confined_),
      search_(tables_, confined_, questions_, movable_, reach_),
      decisions_(tables_, groups_, questions_, movable_, search_),
      absence_(tables_, groups_),
      observer_(tables_, groups_, movable_) {}

std::string DeviceState::check() const {
  Ledger rebuilt(tables_.inventory);
  for (const Claim& claim : tables_.claims.slots()) {
    if (!claim.deserted()) {
      for (const Hold& hold : claim.observed) rebuilt.take(hold);
    }
    if (!claim.granted) continue;
    for (const Pick& pick : claim.grant) {
      if (!pick.admin) rebuilt.take(pick.hold);
    }
  }
  if (!(rebuilt == ledger())) return "what is held of devices differs after a rebuild";
  return tables_.use.spans().check();
}

}  // namespace tutti::devices
