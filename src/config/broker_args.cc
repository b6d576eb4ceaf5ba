#include "config/broker_args.h"

#include "config/strict.h"

namespace tutti::config {
namespace {

constexpr wire::EnumTable<core::BrokerMode, 3> kBrokerModes = {{
    {"own", core::BrokerMode::own},
    {"observe", core::BrokerMode::observe},
    {"check", core::BrokerMode::check},
}};

}  // namespace

core::BrokerArgs read_broker_args(const wire::Field& at) {
  core::BrokerArgs out;
  if (!at.expect_object()) return out;
  only_members(at, {"apiVersion", "kind", "mode"});
  at("mode", out.mode, kBrokerModes);
  return out;
}

}  // namespace tutti::config
