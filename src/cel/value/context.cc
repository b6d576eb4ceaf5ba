#include "cel/value/context.h"

#include <cstring>

namespace tutti::cel {
namespace {

constexpr std::size_t kMessageMax = 300;

// Cut between characters.
std::string_view cut(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

std::string_view limit_message(Fault::Code code) {
  return code == Fault::Code::cost_limit ? "the evaluation exceeds its cost limit"
                                         : "the evaluation exceeds its memory limit";
}

}  // namespace

Value Context::fault(Fault::Code code, std::string_view message) {
  message = cut(message, kMessageMax);
  auto* copy = static_cast<char*>(arena().allocate(message.size()));
  if (copy == nullptr) return out_of_memory();
  if (!message.empty()) std::memcpy(copy, message.data(), message.size());
  auto* fault = arena().create<Fault>(
      Fault{code, {.offset = offset}, std::string_view(copy, message.size())});
  return fault == nullptr ? out_of_memory() : Value::fault(*fault);
}

Value Context::stop(Fault::Code code) {
  if (stop_.message.empty()) stop_ = {code, {.offset = offset}, limit_message(code)};
  cost_ = std::max(cost_, cost_max_ + 1);
  return Value::fault(stop_);
}

const Fault& Context::stop_fault() { return stop(Fault::Code::cost_limit).as_fault(); }

Value Context::no_such_overload(std::string_view function, std::span<const Value> arguments) {
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text), "no such overload: {}(", cut(function, 64));
  for (std::size_t i = 0; i < arguments.size() && i < 6; ++i) {
    fmt::format_to(std::back_inserter(text), "{}{}", i > 0 ? ", " : "", type_name(arguments[i]));
  }
  text.push_back(')');
  return fault(Fault::Code::failed, {text.data(), text.size()});
}

Value Context::make_text(std::string_view text, bool bytes) {
  if (!charge_text(text.size())) return out_of_cost();
  auto* copy = static_cast<char*>(arena().allocate(text.size()));
  if (copy == nullptr) return out_of_memory();
  if (!text.empty()) std::memcpy(copy, text.data(), text.size());
  const std::string_view view(copy, text.size());
  return bytes ? Value::bytes(view) : Value::string(view);
}

Value Context::make_string(std::string_view text) { return make_text(text, false); }

Value Context::make_bytes(std::string_view bytes) { return make_text(bytes, true); }

Value Context::make_quantity(const Quantity& value) {
  const Quantity* copy = keep(value);
  return copy == nullptr ? out_of_memory() : Value::quantity(*copy);
}

Value Context::make_semver(const Semver& value) {
  // Charged to the arena like everything else, though it lies elsewhere.
  if (arena().allocate(sizeof(Semver) + value.text().size()) == nullptr) return out_of_memory();
  return Value::semver(storage_->semvers.emplace_back(value));
}

Value Context::make_optional(const Value& value) {
  const Value* copy = keep(value);
  return copy == nullptr ? out_of_memory() : Value::optional_of(copy);
}

std::string_view type_name(const Value& value) {
  return value.is(Kind::object) ? value.as_map().type_name() : kind_name(value.kind());
}

}  // namespace tutti::cel
