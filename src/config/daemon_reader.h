// The members of a configuration that only a scheduler of a real cluster heeds.
#pragma once

#include "config/daemon_config.h"
#include "wire/decode/field_reader.h"

namespace tutti::config {

ClientConnection read_client_connection(const wire::Field& at);

// When enabled, the result keeps what makes an election safe: the lease outlives the deadline of
// its renewal, and the deadline leaves room for a second attempt.
LeaderElection read_leader_election(const wire::Field& at);

}  // namespace tutti::config
