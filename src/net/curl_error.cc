#include "net/curl_error.h"

#include <fmt/format.h>
#include <openssl/x509_vfy.h>

#include <cerrno>

namespace tutti::net {
namespace {

constexpr std::string_view kUnknownAuthority =
    "the server's certificate is signed by an unknown authority; give the certificate authority "
    "that signed it";

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string_view untrusted(const CurlFailure& failure) {
  // curl compares the name itself, once the chain was found good, and then gives no verdict.
  if (contains(failure.detail, "subject name") || contains(failure.detail, "does not match")) {
    return "the server's certificate is for another name; use an address that it lists, or set "
           "the TLS server name";
  }
  switch (failure.tls_verdict) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return "the server's certificate has expired; renew it, or correct this machine's clock";
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return "the server's certificate is not valid yet; check this machine's clock";
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
      return kUnknownAuthority;
    default:
      return "the server's certificate cannot be verified";
  }
}

std::string_view unreachable(long os_error) {
  switch (os_error) {
    case ECONNREFUSED:
      return "connection refused: nothing listens there; check that the server runs and that its "
             "address and port are right";
    case EHOSTUNREACH:
    case ENETUNREACH:
      return "no route to the server; check the network and the server's address";
    default:
      return "cannot connect; check the network and the server's address";
  }
}

// In TLS 1.3 the server judges the client's certificate after the handshake, so the alert arrives
// as a failed read or write.
bool rejects_client_certificate(std::string_view detail) {
  return contains(detail, " alert ") &&
         (contains(detail, "certificate") || contains(detail, "unknown ca"));
}

std::string_view broken(std::string_view detail) {
  if (rejects_client_certificate(detail)) {
    return "the server refuses the client certificate; check that it has not expired and that the "
           "server trusts its authority";
  }
  return "the connection broke before the answer was complete";
}

std::string_view handshake(std::string_view detail) {
  if (contains(detail, "wrong version number") || contains(detail, "packet length too long")) {
    return "the server does not speak TLS on this port; check the port, or use http://";
  }
  // An authority of the right name with another key: the signature does not fit, and OpenSSL's
  // last word is about arithmetic.
  if (contains(detail, "asn1 encoding routines") || contains(detail, "rsa routines")) {
    return kUnknownAuthority;
  }
  if (rejects_client_certificate(detail)) return broken(detail);
  return "the TLS handshake failed";
}

std::string_view explain(const CurlFailure& failure) {
  switch (failure.code) {
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return "the server's address is not an http:// or https:// URL";
    case CURLE_COULDNT_RESOLVE_HOST:
      return "the server's name does not resolve; check the address and the DNS";
    case CURLE_COULDNT_RESOLVE_PROXY:
      return "the proxy's name does not resolve; check the proxy's address";
    case CURLE_COULDNT_CONNECT:
      return unreachable(failure.os_error);
    case CURLE_OPERATION_TIMEDOUT:
      return "no answer in time";
    case CURLE_PEER_FAILED_VERIFICATION:
      return untrusted(failure);
    case CURLE_SSL_CACERT_BADFILE:
      return "the certificate authority cannot be read; check that it is PEM and readable";
    case CURLE_SSL_CERTPROBLEM:
      return "the client certificate or its key cannot be used; check that both are PEM, readable "
             "and belong together";
    case CURLE_SSL_CONNECT_ERROR:
      return handshake(failure.detail);
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_SEND_ERROR:
    case CURLE_SEND_FAIL_REWIND:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return broken(failure.detail);
    case CURLE_WEIRD_SERVER_REPLY:
      return "the server's answer is not HTTP";
    default:
      return "the request failed";
  }
}

}  // namespace

std::string describe(const CurlFailure& failure) {
  const std::string_view detail =
      failure.detail.empty() ? curl_easy_strerror(failure.code) : failure.detail;
  return fmt::format("{} (curl {}: {})", explain(failure), static_cast<int>(failure.code), detail);
}

}  // namespace tutti::net
