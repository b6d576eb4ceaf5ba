// What an exec plugin is told and what it answers: ExecCredential of client.authentication.k8s.io.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "base/time.h"
#include "kube/access/access.h"

namespace tutti::kube {

struct ExecCredential {
  std::string token;
  std::string client_cert_pem, client_key_pem;  // both or neither
  std::optional<Instant> expires;
};

// The value of KUBERNETES_EXEC_INFO. An error when the cluster is to be described and its
// certificate authority cannot be read.
Result<std::string> exec_info(const ExecPlugin& plugin, const net::Endpoint& endpoint);

// Reads what the plugin printed. The message is the rest of a sentence about the plugin and repeats
// nothing of the text, which is secret as a whole.
Result<ExecCredential> parse_exec_credential(std::string_view text, const std::string& api_version);

// What a plugin says about its failure (standard error), fit for a log: its last line, without
// words that may be secrets, which are long or were given to the plugin.
std::string exec_complaint(std::string_view text, const ExecPlugin& plugin);

// Whether what a plugin gave at `given` has to be renewed: it has expired or will within seconds. A
// plugin whose answers live shorter than that is still not asked more than once in a moment.
bool has_worn_out(const ExecCredential& credential, Instant given, Instant now);

// How soon a plugin may be run again after it failed, or gave what the server rejected.
inline constexpr Millis kExecMoment{2'000};

}  // namespace tutti::kube
