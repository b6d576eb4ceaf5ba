// Kubernetes' library of semantic versions.
#include <array>
#include <cstdint>

#include "cel/functions/table.h"
#include "cel/value/semver.h"

namespace tutti::cel {
namespace {

Result<Semver> read(const Value* arguments, bool normalize) {
  const std::string_view text = arguments[0].as_text();
  return normalize ? Semver::parse_normalized(text) : Semver::parse(text);
}

Value made(Context& context, const Value* arguments, bool normalize) {
  if (!context.charge_text(arguments[0].as_text().size())) return context.out_of_cost();
  const auto version = read(arguments, normalize);
  if (!version.ok()) return context.fail("{}", version.error().message);
  return context.make_semver(*version);
}

Value tested(Context& context, const Value* arguments, bool normalize) {
  if (!context.charge_text(arguments[0].as_text().size())) return context.out_of_cost();
  return Value::boolean(read(arguments, normalize).ok());
}

Value parse_semver(Context& context, const Value* arguments) {
  return made(context, arguments, false);
}

Value parse_normalized(Context& context, const Value* arguments) {
  return made(context, arguments, arguments[1].as_boolean());
}

Value is_semver(Context& context, const Value* arguments) {
  return tested(context, arguments, false);
}

Value is_normalized_semver(Context& context, const Value* arguments) {
  return tested(context, arguments, arguments[1].as_boolean());
}

Value number(Context& context, std::uint64_t part) {
  if (part > static_cast<std::uint64_t>(INT64_MAX)) return context.fail("integer overflow");
  return Value::integer(static_cast<std::int64_t>(part));
}

Value major_part(Context& context, const Value* arguments) {
  return number(context, arguments[0].as_semver().major());
}

Value minor_part(Context& context, const Value* arguments) {
  return number(context, arguments[0].as_semver().minor());
}

Value patch_part(Context& context, const Value* arguments) {
  return number(context, arguments[0].as_semver().patch());
}

Value semver_is_less(Context&, const Value* arguments) {
  return Value::boolean(arguments[0].as_semver() < arguments[1].as_semver());
}

Value semver_is_greater(Context&, const Value* arguments) {
  return Value::boolean(arguments[0].as_semver() > arguments[1].as_semver());
}

Value compare_semvers(Context&, const Value* arguments) {
  const auto order = arguments[0].as_semver() <=> arguments[1].as_semver();
  return Value::integer(order < 0 ? -1 : order > 0 ? 1 : 0);
}

constexpr auto semver_row(std::string_view signature, Function run) {
  return FunctionRow{in(Library::semver), signature, run};
}

constexpr std::array kSemverRows = {
    semver_row("semver(string) semver", parse_semver),
    semver_row("semver(string, bool) semver", parse_normalized),
    semver_row("isSemver(string) bool", is_semver),
    semver_row("isSemver(string, bool) bool", is_normalized_semver),
    semver_row("semver::major() int", major_part),
    semver_row("semver::minor() int", minor_part),
    semver_row("semver::patch() int", patch_part),
    semver_row("semver::isLessThan(semver) bool", semver_is_less),
    semver_row("semver::isGreaterThan(semver) bool", semver_is_greater),
    semver_row("semver::compareTo(semver) int", compare_semvers),
};

}  // namespace

std::span<const FunctionRow> semver_rows() { return kSemverRows; }

}  // namespace tutti::cel
