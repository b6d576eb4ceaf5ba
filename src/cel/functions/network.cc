// Kubernetes' library of IP addresses and networks.
#include "cel/value/network.h"

#include <array>

#include "base/text.h"
#include "cel/functions/table.h"

namespace tutti::cel {
namespace {

Value kept(Context& context, const IpAddress& address) {
  const IpAddress* copy = context.keep(address);
  return copy == nullptr ? context.out_of_memory() : Value::ip(*copy);
}

Value kept(Context& context, const Cidr& network) {
  const Cidr* copy = context.keep(network);
  return copy == nullptr ? context.out_of_memory() : Value::cidr(*copy);
}

Value not_an_address(Context& context, std::string_view text) {
  return context.fail("'{}' is not an IP address", brief_line(text));
}

Value not_a_network(Context& context, std::string_view text) {
  return context.fail("'{}' is not a network address", brief_line(text));
}

Value parse_ip(Context& context, const Value* arguments) {
  const auto address = IpAddress::parse(arguments[0].as_text());
  return address ? kept(context, *address) : not_an_address(context, arguments[0].as_text());
}

Value is_ip(Context&, const Value* arguments) {
  return Value::boolean(IpAddress::parse(arguments[0].as_text()).has_value());
}

Value is_canonical(Context& context, const Value* arguments) {
  const std::string_view text = arguments[0].as_text();
  const auto address = IpAddress::parse(text);
  if (!address) return not_an_address(context, text);
  return Value::boolean(address->text() == text);
}

Value parse_cidr(Context& context, const Value* arguments) {
  const auto network = Cidr::parse(arguments[0].as_text());
  return network ? kept(context, *network) : not_a_network(context, arguments[0].as_text());
}

Value is_cidr(Context&, const Value* arguments) {
  return Value::boolean(Cidr::parse(arguments[0].as_text()).has_value());
}

Value family(Context&, const Value* arguments) {
  return Value::integer(static_cast<std::int64_t>(arguments[0].as_ip().family));
}

template <bool (IpAddress::*question)() const>
Value ask(Context&, const Value* arguments) {
  return Value::boolean((arguments[0].as_ip().*question)());
}

Value contains_ip(Context&, const Value* arguments) {
  return Value::boolean(arguments[0].as_cidr().contains(arguments[1].as_ip()));
}

Value contains_ip_text(Context& context, const Value* arguments) {
  const auto address = IpAddress::parse(arguments[1].as_text());
  if (!address) return not_an_address(context, arguments[1].as_text());
  return Value::boolean(arguments[0].as_cidr().contains(*address));
}

Value contains_cidr(Context&, const Value* arguments) {
  return Value::boolean(arguments[0].as_cidr().contains(arguments[1].as_cidr()));
}

Value contains_cidr_text(Context& context, const Value* arguments) {
  const auto network = Cidr::parse(arguments[1].as_text());
  if (!network) return not_a_network(context, arguments[1].as_text());
  return Value::boolean(arguments[0].as_cidr().contains(*network));
}

Value cidr_ip(Context& context, const Value* arguments) {
  return kept(context, arguments[0].as_cidr().address);
}

Value masked(Context& context, const Value* arguments) {
  return kept(context, arguments[0].as_cidr().masked());
}

Value prefix_length(Context&, const Value* arguments) {
  return Value::integer(arguments[0].as_cidr().prefix);
}

constexpr auto network_row(std::string_view signature, Function run) {
  return FunctionRow{in(Library::network), signature, run};
}

constexpr std::array kNetworkRows = {
    network_row("ip(string) ip", parse_ip),
    network_row("isIP(string) bool", is_ip),
    network_row("ip.isCanonical(string) bool", is_canonical),
    network_row("ip::family() int", family),
    network_row("ip::isUnspecified() bool", ask<&IpAddress::is_unspecified>),
    network_row("ip::isLoopback() bool", ask<&IpAddress::is_loopback>),
    network_row("ip::isLinkLocalMulticast() bool", ask<&IpAddress::is_link_local_multicast>),
    network_row("ip::isLinkLocalUnicast() bool", ask<&IpAddress::is_link_local_unicast>),
    network_row("ip::isGlobalUnicast() bool", ask<&IpAddress::is_global_unicast>),
    network_row("cidr(string) cidr", parse_cidr),
    network_row("isCIDR(string) bool", is_cidr),
    network_row("cidr::containsIP(ip) bool", contains_ip),
    network_row("cidr::containsIP(string) bool", contains_ip_text),
    network_row("cidr::containsCIDR(cidr) bool", contains_cidr),
    network_row("cidr::containsCIDR(string) bool", contains_cidr_text),
    network_row("cidr::ip() ip", cidr_ip),
    network_row("cidr::masked() cidr", masked),
    network_row("cidr::prefixLength() int", prefix_length),
};

}  // namespace

std::span<const FunctionRow> network_rows() { return kNetworkRows; }

}  // namespace tutti::cel
