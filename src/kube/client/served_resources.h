// Which resources of other projects an API server offers, in which version, and whether we may read
// them.
#pragma once

#include <functional>

#include "base/result.h"
#include "base/std.h"
#include "kube/client/api_client.h"

namespace tutti::kube {

struct Offer {
  std::string group_version{};  // the server's preferred one; empty: not served
  bool readable = false;        // a list was not refused
};

struct ResourceName {
  std::string group;
  std::string plural;
};

// Offers in the order of `wanted`. An error: the server could not be asked.
void find_offers(ApiClient& client, std::vector<ResourceName> wanted,
                 std::function<void(Result<std::vector<Offer>>)> handler);

}  // namespace tutti::kube
