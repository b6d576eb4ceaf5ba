// Any bytes as a kubeconfig: refused with a message of one line, or an Access that keeps what
// kube/access/access.h promises. Files that the text names are looked for, never read.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "kube/access/kubeconfig.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto access = tutti::kube::parse_kubeconfig(text, "/nowhere/config", "");
  if (!access.ok()) {
    const std::string& message = access.error().message;
    TUTTI_CHECK(message.starts_with("/nowhere/config") && message.find('\n') == std::string::npos);
    return 0;
  }
  const bool token = !access->token.empty() || !access->token_file.empty();
  const bool basic = !access->username.empty() || !access->password.empty();
  TUTTI_CHECK(int{token} + int{basic} + int{!access->exec.command.empty()} <= 1);
  TUTTI_CHECK(access->endpoint.url.starts_with("http") && !access->endpoint.url.ends_with('/'));
  const auto& endpoint = access->endpoint;
  TUTTI_CHECK((endpoint.client_cert_pem.empty() && endpoint.client_cert_file.empty()) ==
              (endpoint.client_key_pem.empty() && endpoint.client_key_file.empty()));
  return 0;
}
