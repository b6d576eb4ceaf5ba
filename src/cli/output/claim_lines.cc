#include "cli/output/claim_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tutti::cli {
namespace {

constexpr std::size_t kUsersShown = 3;

std::string device_text(const model::DeviceResult& result) {
  std::string text = result.device;
  if (result.admin_access) text += " (admin)";
  if (result.consumed_capacity.empty()) return text;
  std::vector<std::string> parts;
  for (const auto& [name, amount] : result.consumed_capacity) {
    parts.push_back(name + "=" + amount.text());
  }
  return fmt::format("{} ({})", text, fmt::join(parts, ", "));
}

// "podgroups/train", "pods/a, pods/b, 4 more".
std::string users_text(const model::ResourceClaim& claim) {
  std::vector<std::string> users;
  for (const auto& user : claim.reserved_for) {
    if (users.size() == kUsersShown) {
      users.push_back(fmt::format("{} more", claim.reserved_for.size() - kUsersShown));
      break;
    }
    users.push_back(user.resource + "/" + user.name);
  }
  return fmt::format("{}", fmt::join(users, ", "));
}

}  // namespace

std::string devices_text(const model::Allocation& allocation) {
  std::string text;
  const std::string* pool = nullptr;
  for (const auto& result : allocation.results) {
    if (pool == nullptr || *pool != result.pool) {
      text += fmt::format("{}{}:", pool == nullptr ? "" : "; ", result.pool);
      pool = &result.pool;
    }
    text += " " + device_text(result);
  }
  return text;
}

terminal::Table claim_table(const store::Store& objects) {
  terminal::Table table({"CLAIM", "USED BY", "DEVICES"});
  for (const auto& object : objects.objects(model::Kind::resource_claim)) {
    const auto& claim = model::as<model::ResourceClaim>(*object);
    table.add({{claim.meta.ns + "/" + claim.meta.name},
               {users_text(claim)},
               {claim.allocation ? devices_text(*claim.allocation) : std::string("-")}});
  }
  return table;
}

}  // namespace tutti::cli
