#include "kube/access/kubeconfig_entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/base64.h"
#include "base/text.h"
#include "kube/access/small_file.h"
#include "wire/json_writer.h"

namespace tutti::kube {
namespace {

using wire::Field;

constexpr std::string_view kExecExtension = "client.authentication.k8s.io/exec";

std::string text_member(const Field& at, std::string_view name) {
  std::string text;
  at(name, text);
  return text;
}

// --- files and what stands for them --------------------------------------------------------------

std::string read_path(const KubeconfigEntry& entry, const Field& at, std::string_view name) {
  std::string path = text_member(at, name);
  if (path.empty()) return path;
  path = entry.resolve(path);
  if (const std::string why = why_unreadable(path); !why.empty()) {
    at.fail_member(name, fmt::format("{} cannot be read: {}", brief_line(path), why));
  }
  return path;
}

std::string read_pem(const Field& at, const std::string& name) {
  std::string pem;
  at.member(name, [&](const Field& field) {
    std::string text;
    wire::read(field, text);
    Result<std::string> decoded = decode_base64(text);
    if (!decoded.ok()) return field.fail("not base64");
    pem = *std::move(decoded);
    if (!pem.empty() && pem.find("-----BEGIN ") == std::string::npos) {
      field.fail("no PEM text (-----BEGIN …) after decoding base64");
    }
  });
  return pem;
}

// "client-key" and "client-key-data"; the data counts when both are given.
void read_pem_or_path(const KubeconfigEntry& entry, const Field& at, const std::string& name,
                      std::string& pem, std::string& path) {
  pem = read_pem(at, name + "-data");
  if (pem.empty()) path = read_path(entry, at, name);
}

// --- cluster -------------------------------------------------------------------------------------

// The URL is not repeated in messages: people have put passwords into URLs.
void read_server(const Field& at, std::string& out) {
  at.required("server", out);
  if (at.failed()) return;
  const bool has_scheme = out.starts_with("https://") || out.starts_with("http://");
  if (!has_scheme) return at.fail_member("server", "must begin with https:// or http://");
  if (out.find_first_of("@?# ") != std::string::npos) {
    return at.fail_member("server", "must be scheme, host, port and path only");
  }
  while (out.ends_with('/')) out.pop_back();
  if (out.ends_with(':')) at.fail_member("server", "has no host");
}

void read_proxy(const Field& at, std::string& out) {
  out = text_member(at, "proxy-url");
  const bool known = out.empty() || out.starts_with("http://") || out.starts_with("https://") ||
                     out.starts_with("socks5://");
  if (!known) at.fail_member("proxy-url", "must begin with http://, https:// or socks5://");
}

// What the cluster says for exec plugins, as JSON.
std::string read_exec_extension(const Field& at) {
  std::string json;
  at.list("extensions", [&](const Field& item) {
    if (text_member(item, "name") != kExecExtension) return;
    item.member("extension", [&](const Field& field) { json = wire::to_json(field.value()); });
  });
  return json;
}

// --- user ----------------------------------------------------------------------------------------

void refuse_unsupported(const Field& at) {
  if (at.value().find("auth-provider") != nullptr) {
    at.fail_member("auth-provider",
                   "not supported (kubectl has dropped it too); use the provider's exec plugin");
  }
  for (const auto name : {"as", "as-uid", "as-groups", "as-user-extra"}) {
    if (at.value().find(name) == nullptr) continue;
    at.fail_member(name, "impersonation is not supported; use credentials of that user itself");
  }
}

void read_client_certificate(const KubeconfigEntry& entry, const Field& at, net::Endpoint& out) {
  read_pem_or_path(entry, at, "client-certificate", out.client_cert_pem, out.client_cert_file);
  read_pem_or_path(entry, at, "client-key", out.client_key_pem, out.client_key_file);
  const bool has_certificate = !out.client_cert_pem.empty() || !out.client_cert_file.empty();
  const bool has_key = !out.client_key_pem.empty() || !out.client_key_file.empty();
  if (has_certificate && !has_key) {
    at.fail_member("client-key", "required beside client-certificate; client-key-data does too");
  }
  if (has_key && !has_certificate) {
    at.fail_member("client-certificate",
                   "required beside client-key; client-certificate-data does too");
  }
}

void read_exec_version(const Field& at, ExecPlugin& out) {
  at.required("apiVersion", out.api_version);
  if (at.failed()) return;
  if (out.api_version != "client.authentication.k8s.io/v1" &&
      out.api_version != "client.authentication.k8s.io/v1beta1") {
    at.fail_member("apiVersion",
                   fmt::format("must be client.authentication.k8s.io/v1 or v1beta1, is '{}'",
                               brief_line(out.api_version)));
  }
}

void check_interactive_mode(const Field& at, const ExecPlugin& plugin) {
  const std::string mode = text_member(at, "interactiveMode");
  if (mode.empty() && plugin.api_version.ends_with("/v1")) {
    return at.fail_member("interactiveMode", "required by v1: Never or IfAvailable");
  }
  if (mode == "Always") {
    return at.fail_member("interactiveMode",
                          "Always needs a terminal, and there is none here; use Never");
  }
  if (!mode.empty() && mode != "Never" && mode != "IfAvailable") {
    at.fail_member("interactiveMode", "must be Never or IfAvailable");
  }
}

void read_exec(const KubeconfigEntry& entry, const Field& at, ExecPlugin& out) {
  read_exec_version(at, out);
  at.required("command", out.command);
  // Bare names are looked up in PATH.
  if (out.command.find('/') != std::string::npos) out.command = entry.resolve(out.command);
  at("args", out.args);
  at.list("env", [&](const Field& item) {
    auto& [name, value] = out.env.emplace_back();
    item.required("name", name);
    item("value", value);
    if (name.find('=') != std::string::npos) item.fail_member("name", "must not contain '='");
  });
  at("installHint", out.install_hint);
  at("provideClusterInfo", out.provide_cluster_info);
  check_interactive_mode(at, out);
}

// One request says who it is in one way; kubectl would silently prefer one of several.
void expect_one_identity(const Field& at, const Access& access) {
  const bool token = !access.token.empty() || !access.token_file.empty();
  const bool basic = !access.username.empty() || !access.password.empty();
  const bool exec = !access.exec.command.empty();
  if (int{token} + int{basic} + int{exec} > 1) {
    at.fail("more than one of token, username and exec is given; keep one");
  }
}

}  // namespace

Status read_cluster(const KubeconfigEntry& entry, Access& out) {
  return entry.read([&](const Field& at) {
    net::Endpoint& endpoint = out.endpoint;
    read_server(at, endpoint.url);
    read_pem_or_path(entry, at, "certificate-authority", endpoint.ca_pem, endpoint.ca_file);
    at("tls-server-name", endpoint.tls_server_name);
    at("insecure-skip-tls-verify", endpoint.insecure_skip_verify);
    if (endpoint.insecure_skip_verify && (!endpoint.ca_pem.empty() || !endpoint.ca_file.empty())) {
      at.fail_member("insecure-skip-tls-verify",
                     "contradicts certificate-authority; remove one of them");
    }
    read_proxy(at, endpoint.proxy_url);
    out.exec.cluster_config = read_exec_extension(at);
  });
}

Status read_user(const KubeconfigEntry& entry, Access& out) {
  return entry.read([&](const Field& at) {
    refuse_unsupported(at);
    read_client_certificate(entry, at, out.endpoint);
    out.token_file = read_path(entry, at, "tokenFile");
    // As in kubectl, what the file says wins over the entry.
    if (out.token_file.empty()) at("token", out.token);
    at("username", out.username);
    at("password", out.password);
    at.member("exec", [&](const Field& field) { read_exec(entry, field, out.exec); });
    expect_one_identity(at, out);
  });
}

}  // namespace tutti::kube
