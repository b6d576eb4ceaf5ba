#include "cel/value/value.h"

#include <array>
#include <bit>

namespace tutti::cel {

std::string_view kind_name(Kind kind) {
  static constexpr std::array<std::string_view, 20> kNames = {
      "absent",
      "error",
      "null_type",
      "bool",
      "int",
      "uint",
      "double",
      "string",
      "bytes",
      "google.protobuf.Timestamp",
      "google.protobuf.Duration",
      "list",
      "map",
      "object",
      "type",
      "optional_type",
      "kubernetes.Quantity",
      "kubernetes.Semver",
      "net.IP",
      "net.CIDR",
  };
  return kNames[static_cast<std::size_t>(kind)];
}

Value Value::real(double value) { return {Kind::real, std::bit_cast<std::uint64_t>(value)}; }

double Value::as_real() const { return std::bit_cast<double>(bits_); }

Value Value::timestamp(std::int64_t seconds, std::uint32_t nanos) {
  Value value(Kind::timestamp, static_cast<std::uint64_t>(seconds));
  value.extra_ = nanos;
  return value;
}

}  // namespace tutti::cel
