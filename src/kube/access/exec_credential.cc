#include "kube/access/exec_credential.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/text.h"
#include "kube/access/small_file.h"
#include "wire/decode/field_reader.h"
#include "wire/document.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace tutti::kube {
namespace {

using wire::Field;
using wire::Value;

constexpr Millis kExpiryMargin{30'000};

Status describe_authority(const net::Endpoint& endpoint, Value& cluster, wire::Arena& arena) {
  std::string pem = endpoint.ca_pem;
  if (pem.empty() && !endpoint.ca_file.empty()) {
    Result<std::string> text = read_small_file(endpoint.ca_file);
    if (!text.ok()) return Error{Error::Code::io, std::move(text).error().message};
    pem = *std::move(text);
  }
  if (pem.empty()) return ok_status();
  cluster.set_member(arena, "certificate-authority-data", Value::string(arena, encode_base64(pem)));
  return ok_status();
}

Status describe_config(const ExecPlugin& plugin, Value& cluster, wire::Arena& arena) {
  if (plugin.cluster_config.empty()) return ok_status();
  return wire::read_json(plugin.cluster_config, [&](wire::Document&& document) {
    cluster.set_member(arena, "config", document.root().clone(arena));
    return ok_status();
  });
}

Result<Value> describe_cluster(const ExecPlugin& plugin, const net::Endpoint& endpoint,
                               wire::Arena& arena) {
  Value cluster = Value::object();
  cluster.set_member(arena, "server", Value::string(arena, endpoint.url));
  if (!endpoint.tls_server_name.empty()) {
    cluster.set_member(arena, "tls-server-name", Value::string(arena, endpoint.tls_server_name));
  }
  if (endpoint.insecure_skip_verify) {
    cluster.set_member(arena, "insecure-skip-tls-verify", Value::boolean(true));
  }
  TUTTI_TRY(describe_authority(endpoint, cluster, arena));
  if (!endpoint.proxy_url.empty()) {
    cluster.set_member(arena, "proxy-url", Value::string(arena, endpoint.proxy_url));
  }
  TUTTI_TRY(describe_config(plugin, cluster, arena));
  return cluster;
}

void expect_identity(const Field& at, const std::string& expected_version) {
  std::string api_version;
  std::string kind;
  at.required("apiVersion", api_version);
  at.required("kind", kind);
  if (at.failed()) return;
  if (kind != "ExecCredential") at.fail_member("kind", "must be ExecCredential");
  if (api_version != expected_version) {
    at.fail_member("apiVersion",
                   fmt::format("must be {}, as the kubeconfig says", expected_version));
  }
}

void read_status(const Field& at, ExecCredential& out) {
  at("token", out.token);
  at("clientCertificateData", out.client_cert_pem);
  at("clientKeyData", out.client_key_pem);
  // Not with the reader for times, whose message repeats the text.
  at.member("expirationTimestamp", [&](const Field& field) {
    std::string text;
    wire::read(field, text);
    if (text.empty()) return;
    const Result<Instant> instant = parse_rfc3339(text);
    if (!instant.ok()) return field.fail("not a time in RFC 3339");
    out.expires = *instant;
  });
  if (out.client_cert_pem.empty() != out.client_key_pem.empty()) {
    at.fail("clientCertificateData and clientKeyData go together");
  }
  if (out.token.empty() && out.client_cert_pem.empty()) {
    at.fail("neither a token nor a client certificate");
  }
}

}  // namespace

Result<std::string> exec_info(const ExecPlugin& plugin, const net::Endpoint& endpoint) {
  wire::Document document;
  wire::Arena& arena = document.arena();
  Value info = Value::object();
  info.set_member(arena, "apiVersion", Value::string(arena, plugin.api_version));
  info.set_member(arena, "kind", Value::string(arena, "ExecCredential"));
  Value spec = Value::object();
  spec.set_member(arena, "interactive", Value::boolean(false));
  if (plugin.provide_cluster_info) {
    TUTTI_ASSIGN(Value cluster, describe_cluster(plugin, endpoint, arena));
    spec.set_member(arena, "cluster", std::move(cluster));
  }
  info.set_member(arena, "spec", std::move(spec));
  return wire::to_json(info);
}

Result<ExecCredential> parse_exec_credential(std::string_view text,
                                             const std::string& api_version) {
  ExecCredential credential;
  wire::FieldErrors errors;
  std::size_t documents = 0;
  const Status status = wire::read_json(text, [&](wire::Document&& document) {
    ++documents;
    const Field at(document.root(), errors);
    if (!at.expect_object()) return ok_status();
    expect_identity(at, api_version);
    at.required_member("status", [&](const Field& field) { read_status(field, credential); });
    return ok_status();
  });
  if (!status.ok() || documents != 1) {
    return Error{Error::Code::malformed, "did not print one ExecCredential as JSON"};
  }
  if (!errors.empty()) {
    return Error{Error::Code::invalid,
                 fmt::format("printed a wrong ExecCredential: {}{}{}", errors.front().path,
                             errors.front().path.empty() ? "" : ": ", errors.front().message)};
  }
  return credential;
}

std::string exec_complaint(std::string_view text, const ExecPlugin& plugin) {
  constexpr std::size_t kLong = 24;
  constexpr std::size_t kShort = 4;
  while (text.ends_with('\n') || text.ends_with('\r') || text.ends_with(' ')) text.remove_suffix(1);
  text.remove_prefix(text.rfind('\n') + 1);
  const auto was_given = [&](std::string_view word) {
    return std::ranges::any_of(plugin.env, [&](const auto& variable) {
      return variable.second.find(word) != std::string::npos;
    });
  };
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool secret = word.size() > kLong || (word.size() >= kShort && was_given(word));
    words.push_back(secret ? "…" : word);
  }
  return brief_line(fmt::format("{}", fmt::join(words, " ")));
}

bool has_worn_out(const ExecCredential& credential, Instant given, Instant now) {
  if (!credential.expires) return false;
  return now + kExpiryMargin >= *credential.expires && now >= given + kExecMoment;
}

}  // namespace tutti::kube
