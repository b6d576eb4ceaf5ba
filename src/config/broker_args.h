// The arguments of the plugin Broker. They are of the whole scheduler, in whatever profile they
// stand.
#pragma once

#include "core/framework/broker_config.h"
#include "wire/decode/field_reader.h"

namespace tutti::config {

inline constexpr std::string_view kBrokerPlugin = "Broker";

core::BrokerArgs read_broker_args(const wire::Field& at);

}  // namespace tutti::config
