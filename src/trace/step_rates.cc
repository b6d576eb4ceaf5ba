#include "trace/step_rates.h"

#include <fmt/format.h>

#include <charconv>

#include "base/text.h"
#include "trace/table.h"
#include "wire/json_reader.h"
#include "wire/value.h"

namespace tutti::trace {
namespace {

constexpr std::string_view kSpread = "_unconsolidated";
constexpr std::string_view kAlone = "null";

struct TypeAndScale {
  std::string_view type;
  std::int64_t gpus = 0;
};

// "('ResNet-18 (batch size 16)', 4)".
std::optional<TypeAndScale> parse_key(std::string_view key) {
  constexpr std::string_view kOpens = "('";
  constexpr std::string_view kBetween = "', ";
  const std::size_t middle = key.rfind(kBetween);
  if (!key.starts_with(kOpens) || !key.ends_with(')') || middle == std::string_view::npos) {
    return std::nullopt;
  }
  TypeAndScale parsed;
  parsed.type = key.substr(kOpens.size(), middle - kOpens.size());
  const std::string_view number =
      key.substr(middle + kBetween.size(), key.size() - middle - kBetween.size() - 1);
  const char* const end = number.data() + number.size();
  const auto [last, problem] = std::from_chars(number.data(), end, parsed.gpus);
  if (problem != std::errc{} || last != end || parsed.gpus < 1) return std::nullopt;
  return parsed;
}

}  // namespace

Result<StepRates> StepRates::parse(const std::string& file, std::string_view text) {
  StepRates rates;
  const auto wrong = [](const wire::Member& at, std::string_view problem) {
    return Error{Error::Code::malformed,
                 fmt::format("line {}: '{}': {}", at.line, brief_line(at.key), problem)};
  };
  const auto read = [&](wire::Document&& document) -> Status {
    if (!document.root().is_object()) {
      return Error{Error::Code::malformed, "line 1: expected an object of devices"};
    }
    for (const wire::Member& device : document.root().members()) {
      if (!device.value.is_object()) return wrong(device, "expected an object of job types");
      for (const wire::Member& type : device.value.members()) {
        const auto key = parse_key(type.key);
        if (!key) return wrong(type, "expected a key such as ('TYPE', 4)");
        const wire::Value* rate = type.value.find(kAlone);
        if (rate == nullptr || !(rate->is_number() || rate->is_integer()) ||
            rate->as_double() < 0) {
          return wrong(type, "expected steps per second under 'null'");
        }
        rates.rates_[{{std::string(device.key), std::string(key->type)}, key->gpus}] =
            rate->as_double();
      }
    }
    return ok_status();
  };
  const Status status = wire::read_json(text, read);
  if (!status.ok()) return Error{Error::Code::malformed, at_line(file, status.error().message)};
  return rates;
}

std::optional<double> StepRates::alone(std::string_view device, std::string_view type,
                                       std::int64_t gpus) const {
  const auto at = rates_.find({{std::string(device), std::string(type)}, gpus});
  if (at == rates_.end() || at->second <= 0) return std::nullopt;
  return at->second;
}

std::optional<double> StepRates::spread_slowdown(std::string_view device, std::string_view type,
                                                 std::int64_t gpus) const {
  const auto packed = alone(device, type, gpus);
  const auto spread = alone(std::string(device) + std::string(kSpread), type, gpus);
  if (!packed || !spread) return std::nullopt;
  return *packed / *spread;
}

}  // namespace tutti::trace
