// Base64 with the alphabet of RFC 4648 §4, as Kubernetes writes bytes into JSON and YAML.
#pragma once

#include "base/result.h"
#include "base/std.h"

namespace tutti {

std::string encode_base64(std::string_view bytes);

// Line ends are skipped, padding is required. The error does not repeat the text: it may be secret.
Result<std::string> decode_base64(std::string_view text);

}  // namespace tutti
