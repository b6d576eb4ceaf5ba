// Certificates for tests, made when asked for.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "base/check.h"
#include "base/std.h"

namespace tutti::net {

struct Identity {
  std::string cert_pem, key_pem;
};

struct OpensslFree {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(BIO* text) const { BIO_free(text); }
  void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
};
template <typename T>
using Openssl = std::unique_ptr<T, OpensslFree>;

// A certificate authority that signs what it is asked to.
class Authority {
 public:
  Authority() : key_(EVP_EC_gen("P-256")), certificate_(make("test authority", key_.get(), 3600)) {
    extend(certificate_.get(), NID_basic_constraints, "critical,CA:TRUE");
    sign(certificate_.get());
  }

  std::string pem() const { return text_of(certificate_.get()); }

  // `names` in OpenSSL's syntax: "IP:127.0.0.1,DNS:api.test".
  Identity issue(const std::string& names, long valid_seconds = 3600) const {
    const Openssl<EVP_PKEY> key(EVP_EC_gen("P-256"));
    const auto certificate = make("test peer", key.get(), valid_seconds);
    X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate_.get()));
    extend(certificate.get(), NID_subject_alt_name, names);
    sign(certificate.get());
    return {.cert_pem = text_of(certificate.get()), .key_pem = text_of(key.get())};
  }

 private:
  static Openssl<X509> make(const char* name, EVP_PKEY* key, long valid_seconds) {
    Openssl<X509> certificate(X509_new());
    X509_set_version(certificate.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1 + (++serial_));
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -7200);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), valid_seconds);
    X509_set_pubkey(certificate.get(), key);
    X509_NAME* subject = X509_get_subject_name(certificate.get());
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(name), -1, -1, 0);
    X509_set_issuer_name(certificate.get(), subject);
    return certificate;
  }

  static void extend(X509* certificate, int kind, const std::string& value) {
    const Openssl<X509_EXTENSION> extension(
        X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str()));
    TUTTI_CHECK(extension != nullptr);
    X509_add_ext(certificate, extension.get(), -1);
  }

  void sign(X509* certificate) const {
    TUTTI_CHECK(X509_sign(certificate, key_.get(), EVP_sha256()) > 0);
  }

  static std::string drain(BIO* from) {
    char* bytes = nullptr;
    const long length = BIO_get_mem_data(from, &bytes);
    return {bytes, static_cast<std::size_t>(length)};
  }
  static std::string text_of(X509* certificate) {
    const Openssl<BIO> text(BIO_new(BIO_s_mem()));
    PEM_write_bio_X509(text.get(), certificate);
    return drain(text.get());
  }
  static std::string text_of(EVP_PKEY* key) {
    const Openssl<BIO> text(BIO_new(BIO_s_mem()));
    PEM_write_bio_PrivateKey(text.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
    return drain(text.get());
  }

  static inline long serial_ = 0;
  Openssl<EVP_PKEY> key_;
  Openssl<X509> certificate_;
};

}  // namespace tutti::net
