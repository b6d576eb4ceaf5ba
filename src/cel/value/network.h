// IP addresses and networks as the Kubernetes library reads them: no zones, no leading zeros, no
// IPv4 address written as an IPv6 one.
#pragma once

#include <array>
#include <compare>

#include "base/std.h"

namespace tutti::cel {

struct IpAddress {
  enum class Family : std::uint8_t { v4 = 4, v6 = 6 };
  Family family = Family::v4;
  std::array<std::uint8_t, 16> bytes{};  // four of them for v4

  static std::optional<IpAddress> parse(std::string_view text);
  // Canonical, RFC 5952.
  std::string text() const;
  int bit_count() const { return family == Family::v4 ? 32 : 128; }

  bool is_unspecified() const;
  bool is_loopback() const;
  bool is_link_local_multicast() const;
  bool is_link_local_unicast() const;
  bool is_global_unicast() const;

  friend bool operator==(const IpAddress& a, const IpAddress& b);
};

struct Cidr {
  IpAddress address;
  int prefix = 0;

  static std::optional<Cidr> parse(std::string_view text);
  std::string text() const;
  // With the bits after the prefix zero.
  Cidr masked() const;
  bool contains(const IpAddress& other) const;
  // Whether all of `other` lies in this.
  bool contains(const Cidr& other) const;

  friend bool operator==(const Cidr&, const Cidr&) = default;
};

}  // namespace tutti::cel
