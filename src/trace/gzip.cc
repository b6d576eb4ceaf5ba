#include "trace/gzip.h"

#include <fmt/core.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/check.h"

namespace tutti::trace {
namespace {

constexpr std::string_view kGzipMark = "\x1f\x8b";

// Ends its stream with itself.
class Inflater {
 public:
  explicit Inflater(std::string& bytes) {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    TUTTI_CHECK(inflateInit2(&stream_, kGzipOnly) == Z_OK, "zlib starts");
    stream_.next_in = reinterpret_cast<Bytef*>(bytes.data());
    left_ = bytes.size();
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  Status read_into(std::string& text) {
    std::array<char, std::size_t{1} << 16> buffer{};
    for (;;) {
      feed();
      stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream_.avail_out = static_cast<uInt>(buffer.size());
      const int outcome = inflate(&stream_, Z_NO_FLUSH);
      if (outcome != Z_OK && outcome != Z_STREAM_END) return damaged();
      text.append(buffer.data(), buffer.size() - stream_.avail_out);
      if (text.size() > kTraceBytesMax) return too_large();
      if (outcome != Z_STREAM_END) continue;
      if (stream_.avail_in == 0 && left_ == 0) return ok_status();
      if (inflateReset(&stream_) != Z_OK) return damaged();
    }
  }

 private:
  void feed() {
    if (stream_.avail_in > 0) return;
    const std::size_t portion = std::min<std::size_t>(left_, std::numeric_limits<uInt>::max());
    stream_.avail_in = static_cast<uInt>(portion);
    left_ -= portion;
  }
  static Error damaged() { return {Error::Code::malformed, "not whole gzip data"}; }
  static Error too_large() {
    return {Error::Code::invalid,
            fmt::format("more than {} GiB once unpacked", kTraceBytesMax >> 30)};
  }

  z_stream stream_{};
  std::size_t left_ = 0;
};

}  // namespace

Result<std::string> unpacked(std::string bytes) {
  if (!bytes.starts_with(kGzipMark)) return bytes;
  std::string text;
  Inflater inflater(bytes);
  TUTTI_TRY(inflater.read_into(text));
  return text;
}

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  TUTTI_CHECK(
      EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) == 1,
      "a digest of bytes");
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::string keyed_hash(std::string_view key, std::string_view text) {
  constexpr std::size_t kBytes = 6;
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
  TUTTI_CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes, text.size(),
                   digest.data(), &size) != nullptr,
              "a digest of bytes");
  std::string made;
  for (std::size_t i = 0; i < kBytes; ++i) made += fmt::format("{:02x}", digest[i]);
  return made;
}

}  // namespace tutti::trace
