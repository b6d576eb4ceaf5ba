// Why no answer came, in words for the person who runs the daemon: what happened and what to look
// at. Never a header, a body or a password.
#pragma once

#include <curl/curl.h>

#include "base/std.h"

namespace tutti::net {

struct CurlFailure {
  CURLcode code = CURLE_OK;
  long tls_verdict = 0;     // CURLINFO_SSL_VERIFYRESULT
  long os_error = 0;        // CURLINFO_OS_ERRNO
  std::string_view detail;  // curl's own words, may be empty
};

std::string describe(const CurlFailure& failure);

}  // namespace tutti::net
