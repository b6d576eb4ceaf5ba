#include "cel/value/network.h"

#include <fmt/format.h>

#include <algorithm>

namespace tutti::cel {
namespace {

// A decimal number without leading zeros; nothing when it is not one or above `max`.
std::optional<unsigned> small_number(std::string_view text, unsigned max) {
  if (text.empty() || text.size() > 3 || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  unsigned value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  if (value > max) return std::nullopt;
  return value;
}

std::optional<IpAddress> parse_v4(std::string_view text) {
  IpAddress address;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t end = i < 3 ? text.find('.') : text.size();
    if (end == std::string_view::npos) return std::nullopt;
    const auto part = small_number(text.substr(0, end), 255);
    if (!part) return std::nullopt;
    address.bytes[i] = static_cast<std::uint8_t>(*part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return address;
}

std::optional<unsigned> hex_group(std::string_view text) {
  if (text.empty() || text.size() > 4) return std::nullopt;
  unsigned value = 0;
  for (const char c : text) {
    const char lower = static_cast<char>(c | 0x20);
    const bool digit = c >= '0' && c <= '9';
    if (!digit && (lower < 'a' || lower > 'f')) return std::nullopt;
    value = value * 16 + static_cast<unsigned>(digit ? c - '0' : lower - 'a' + 10);
  }
  return value;
}

struct Groups {
  std::array<unsigned, 8> values{};
  std::size_t count = 0;
};

// "2001:db8:1"; empty text is no groups.
std::optional<Groups> parse_groups(std::string_view text) {
  Groups groups;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(':'), text.size());
    const auto group = hex_group(text.substr(0, end));
    if (!group || groups.count == 8) return std::nullopt;
    groups.values[groups.count++] = *group;
    if (end + 1 == text.size()) return std::nullopt;  // ends with a colon
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return groups;
}

std::optional<IpAddress> parse_v6(std::string_view text) {
  const std::size_t gap = text.find("::");
  const bool has_gap = gap != std::string_view::npos;
  const auto front = parse_groups(text.substr(0, std::min(gap, text.size())));
  const auto back = parse_groups(has_gap ? text.substr(gap + 2) : std::string_view());
  if (!front || !back) return std::nullopt;
  const std::size_t count = front->count + back->count;
  if (has_gap ? count > 7 : count != 8) return std::nullopt;
  IpAddress address{.family = IpAddress::Family::v6};
  const auto put = [&address](std::size_t index, unsigned group) {
    address.bytes[2 * index] = static_cast<std::uint8_t>(group >> 8U);
    address.bytes[2 * index + 1] = static_cast<std::uint8_t>(group & 0xFFU);
  };
  for (std::size_t i = 0; i < front->count; ++i) put(i, front->values[i]);
  for (std::size_t i = 0; i < back->count; ++i) put(8 - back->count + i, back->values[i]);
  return address;
}

unsigned group_of(const IpAddress& address, std::size_t index) {
  return static_cast<unsigned>(address.bytes[2 * index]) << 8U | address.bytes[2 * index + 1];
}

// The longest run of at least two zero groups, the first of equals: [begin, end).
std::pair<std::size_t, std::size_t> zero_run(const IpAddress& address) {
  std::pair<std::size_t, std::size_t> best{8, 8};
  for (std::size_t begin = 0; begin < 8; ++begin) {
    std::size_t end = begin;
    while (end < 8 && group_of(address, end) == 0) ++end;
    if (end - begin >= 2 && end - begin > best.second - best.first) best = {begin, end};
  }
  return best;
}

std::string v6_text(const IpAddress& address) {
  const auto [begin, end] = zero_run(address);
  std::string text;
  for (std::size_t i = 0; i < 8; ++i) {
    if (i == begin) {
      text += "::";
      i = end - 1;
      continue;
    }
    if (!text.empty() && text.back() != ':') text += ':';
    fmt::format_to(std::back_inserter(text), "{:x}", group_of(address, i));
  }
  return text;
}

// An IPv4 address in the sixteen bytes of an IPv6 one is the same address.
IpAddress unmapped(const IpAddress& address) {
  const auto zeros = std::all_of(address.bytes.begin(), address.bytes.begin() + 10,
                                 [](std::uint8_t byte) { return byte == 0; });
  if (address.family == IpAddress::Family::v4 || !zeros || address.bytes[10] != 0xFF ||
      address.bytes[11] != 0xFF) {
    return address;
  }
  IpAddress v4;
  std::copy(address.bytes.begin() + 12, address.bytes.end(), v4.bytes.begin());
  return v4;
}

bool same_prefix(const IpAddress& a, const IpAddress& b, int bits) {
  for (int bit = 0; bit < bits; ++bit) {
    const auto index = static_cast<std::size_t>(bit / 8);
    const unsigned mask = 0x80U >> static_cast<unsigned>(bit % 8);
    if ((a.bytes[index] & mask) != (b.bytes[index] & mask)) return false;
  }
  return true;
}

}  // namespace

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  return text.find(':') == std::string_view::npos ? parse_v4(text) : parse_v6(text);
}

std::string IpAddress::text() const {
  if (family == Family::v6) return v6_text(*this);
  return fmt::format("{}.{}.{}.{}", bytes[0], bytes[1], bytes[2], bytes[3]);
}

bool operator==(const IpAddress& a, const IpAddress& b) {
  const IpAddress left = unmapped(a);
  const IpAddress right = unmapped(b);
  return left.family == right.family && left.bytes == right.bytes;
}

bool IpAddress::is_unspecified() const {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

bool IpAddress::is_loopback() const {
  if (family == Family::v4) return bytes[0] == 127;
  return std::all_of(bytes.begin(), bytes.end() - 1, [](std::uint8_t b) { return b == 0; }) &&
         bytes[15] == 1;
}

bool IpAddress::is_link_local_multicast() const {
  if (family == Family::v4) return bytes[0] == 224 && bytes[1] == 0 && bytes[2] == 0;
  return bytes[0] == 0xFF && (bytes[1] & 0x0FU) == 0x02;
}

bool IpAddress::is_link_local_unicast() const {
  if (family == Family::v4) return bytes[0] == 169 && bytes[1] == 254;
  return bytes[0] == 0xFE && (bytes[1] & 0xC0U) == 0x80;
}

bool IpAddress::is_global_unicast() const {
  const bool multicast = family == Family::v4 ? (bytes[0] & 0xF0U) == 0xE0 : bytes[0] == 0xFF;
  const bool broadcast = family == Family::v4 && bytes[0] == 255 && bytes[1] == 255 &&
                         bytes[2] == 255 && bytes[3] == 255;
  return !is_unspecified() && !is_loopback() && !is_link_local_unicast() && !multicast &&
         !broadcast;
}

std::optional<Cidr> Cidr::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto address = IpAddress::parse(text.substr(0, slash));
  if (!address) return std::nullopt;
  const auto prefix =
      small_number(text.substr(slash + 1), static_cast<unsigned>(address->bit_count()));
  if (!prefix) return std::nullopt;
  return Cidr{*address, static_cast<int>(*prefix)};
}

std::string Cidr::text() const { return fmt::format("{}/{}", address.text(), prefix); }

Cidr Cidr::masked() const {
  Cidr result = *this;
  for (int bit = prefix; bit < address.bit_count(); ++bit) {
    const auto index = static_cast<std::size_t>(bit / 8);
    const unsigned mask = 0x80U >> static_cast<unsigned>(bit % 8);
    result.address.bytes[index] = static_cast<std::uint8_t>(result.address.bytes[index] & ~mask);
  }
  return result;
}

bool Cidr::contains(const IpAddress& other) const {
  return address.family == other.family && same_prefix(address, other, prefix);
}

bool Cidr::contains(const Cidr& other) const {
  return prefix <= other.prefix && contains(other.address);
}

}  // namespace tutti::cel
