#include "base/base64.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tutti {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNone = 0xff;

constexpr std::array<std::uint8_t, 256> make_values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNone);
  std::uint8_t value = 0;
  for (const char letter : kAlphabet) values[static_cast<std::uint8_t>(letter)] = value++;
  return values;
}
constexpr std::array<std::uint8_t, 256> kValues = make_values();

std::uint32_t byte_at(std::string_view bytes, std::size_t index) {
  return index < bytes.size() ? static_cast<std::uint8_t>(bytes[index]) : 0U;
}

Error malformed() { return {Error::Code::malformed, "not base64"}; }

std::string without_line_ends(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char letter : text) {
    if (letter != '\n' && letter != '\r') out += letter;
  }
  return out;
}

// How many of the last letters are padding.
std::size_t padding_of(std::string_view text) {
  if (text.ends_with("==")) return 2;
  return text.ends_with('=') ? 1 : 0;
}

}  // namespace

std::string encode_base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::uint32_t group =
        byte_at(bytes, at) << 16U | byte_at(bytes, at + 1) << 8U | byte_at(bytes, at + 2);
    for (const std::uint32_t shift : {18U, 12U, 6U, 0U}) out += kAlphabet[group >> shift & 63U];
  }
  const std::size_t padding = (3 - bytes.size() % 3) % 3;
  out.replace(out.size() - padding, padding, padding, '=');
  return out;
}

Result<std::string> decode_base64(std::string_view text) {
  const std::string letters = without_line_ends(text);
  if (letters.size() % 4 != 0) return malformed();
  const std::size_t padding = padding_of(letters);
  std::string out;
  out.reserve(letters.size() / 4 * 3);
  for (std::size_t at = 0; at < letters.size(); at += 4) {
    std::uint32_t group = 0;
    for (std::size_t next = at; next < at + 4; ++next) {
      const bool is_padding = next >= letters.size() - padding;
      const std::uint8_t value = is_padding ? 0 : kValues[static_cast<std::uint8_t>(letters[next])];
      if (value == kNone) return malformed();
      group = group << 6U | value;
    }
    for (const std::uint32_t shift : {16U, 8U, 0U}) out += static_cast<char>(group >> shift & 255U);
  }
  out.resize(out.size() - padding);
  return out;
}

}  // namespace tutti
