// gzip, and the name of what was read: its SHA-256.
#pragma once

#include "base/result.h"
#include "base/std.h"

namespace tutti::trace {

// The most a trace may have once unpacked.
inline constexpr std::size_t kTraceBytesMax = std::size_t{4} << 30;

// The text that the bytes stand for: themselves, unless they are gzip, in one member or several.
Result<std::string> unpacked(std::string bytes);

// In hexadecimal, of the bytes as they are in the file.
std::string sha256(std::string_view bytes);
// Twelve hexadecimal digits that nobody turns back into the text without the key (HMAC-SHA-256).
std::string keyed_hash(std::string_view key, std::string_view text);

}  // namespace tutti::trace
