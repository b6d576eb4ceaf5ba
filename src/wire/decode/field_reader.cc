#include "wire/decode/field_reader.h"

#include <fmt/format.h>

#include <limits>

#include "base/text.h"

namespace tutti::wire {
namespace {

// Map keys such as "example.com/gpu" would read as a path of their own.
bool plain(std::string_view name) {
  return name.find_first_of("./[] ") == std::string_view::npos && !name.empty();
}

void append_name(std::string& path, std::string_view name) {
  if (!plain(name)) {
    path.append("[").append(name).append("]");
    return;
  }
  if (!path.empty()) path += '.';
  path += name;
}

std::string_view literal(const Value& value, std::string& buffer) {
  if (!value.is_integer()) return value.text();
  return buffer = fmt::to_string(value.as_integer());
}

template <typename T>
void sort_entries(std::vector<std::pair<std::string, T>>& entries) {
  std::ranges::sort(entries, {}, &std::pair<std::string, T>::first);
}

}  // namespace

Status to_status(const FieldErrors& errors) {
  if (errors.empty()) return ok_status();
  std::vector<std::string> lines;
  for (const FieldError& error : errors) {
    lines.push_back(fmt::format("line {}: {}{}{}", error.line, brief_line(error.path),
                                error.path.empty() ? "" : ": ", brief_line(error.message)));
  }
  return Error{Error::Code::invalid, problem_list(lines)};
}

std::string Field::path() const {
  if (parent_ == nullptr) return {};
  std::string text = parent_->path();
  if (name_.data() != nullptr) {
    append_name(text, name_);
  } else {
    text += fmt::format("[{}]", index_);
  }
  return text;
}

void Field::report(std::string path, std::string message) const {
  if (errors_->size() == kFieldErrorsMax) return;
  if (std::ranges::find(*errors_, path, &FieldError::path) != errors_->end()) return;
  std::uint32_t line = 0;
  for (const Field* field = this; field != nullptr && line == 0; field = field->parent_) {
    line = field->value_->line();
  }
  errors_->push_back({std::move(path), std::move(message), line});
}

void Field::fail(std::string message) const { report(path(), std::move(message)); }

void Field::fail_type(std::string_view expected) const {
  fail(fmt::format("expected {}, found {}", expected, describe(value_->kind())));
}

void Field::fail_member(std::string_view name, std::string message) const {
  std::string text = path();
  append_name(text, name);
  report(std::move(text), std::move(message));
}

bool Field::expect_object() const {
  if (value_->is_object()) return true;
  fail_type("an object");
  return false;
}

bool Field::expect_array() const {
  if (value_->is_array()) return true;
  fail_type("an array");
  return false;
}

const Value* Field::find(std::string_view name) const {
  if (!expect_object()) return nullptr;
  const Value* value = value_->find(name);
  return value != nullptr && !value->is_null() ? value : nullptr;
}

int Field::exactly_one_of(std::span<const std::string_view> names) const {
  if (!expect_object()) return -1;
  int found = -1;
  int index = 0;
  bool several = false;
  for (const std::string_view name : names) {
    if (find(name) != nullptr) {
      several = found >= 0;
      found = index;
    }
    ++index;
  }
  if (found >= 0 && !several) return found;
  fail(fmt::format("exactly one of {} must be set, {}", fmt::join(names, ", "),
                   several ? "found several" : "found none"));
  return -1;
}

void read(const Field& at, std::string& out) {
  if (!at.value().is_string()) return at.fail_type("a string");
  out.assign(at.value().text());
}

void read(const Field& at, bool& out) {
  if (!at.value().is_boolean()) return at.fail_type("a boolean");
  out = at.value().as_boolean();
}

void read(const Field& at, std::int64_t& out) {
  if (!at.value().is_integer()) return at.fail_type("an integer");
  out = at.value().as_integer();
}

void read(const Field& at, std::int32_t& out) {
  std::int64_t wide = 0;
  read(at, wide);
  if (wide < std::numeric_limits<std::int32_t>::min() ||
      wide > std::numeric_limits<std::int32_t>::max()) {
    return at.fail(fmt::format("{} does not fit in 32 bits", wide));
  }
  out = static_cast<std::int32_t>(wide);
}

void read(const Field& at, Quantity& out) {
  const Value& value = at.value();
  if (!value.is_string() && !value.is_integer() && !value.is_number()) {
    return at.fail_type("a quantity");
  }
  std::string buffer;
  Result<Quantity> quantity = Quantity::parse(literal(value, buffer));
  if (!quantity) return at.fail(std::move(quantity).error().message);
  out = *quantity;
}

void read(const Field& at, Instant& out) {
  std::string text;
  read(at, text);
  if (!at.value().is_string()) return;
  Result<Instant> instant = parse_rfc3339(text);
  if (!instant) return at.fail(std::move(instant).error().message);
  out = *instant;
}

void read(const Field& at, std::vector<std::pair<std::string, std::string>>& out) {
  if (!at.expect_object()) return;
  out.reserve(at.value().members().size());
  at.each_entry([&](std::string_view key, const Field& entry) {
    std::string& text = out.emplace_back(key, std::string{}).second;
    if (!entry.value().is_null()) read(entry, text);
  });
  sort_entries(out);
}

void read(const Field& at, std::vector<std::pair<std::string, Quantity>>& out) {
  at.each_entry([&](std::string_view key, const Field& entry) {
    Quantity& amount = out.emplace_back(key, Quantity{}).second;
    read(entry, amount);
    if (amount.negative()) entry.fail(fmt::format("{} is negative", amount.text()));
  });
  sort_entries(out);
}

std::string unknown_word(std::string_view word, const std::vector<std::string_view>& known) {
  return fmt::format("unknown value '{}', expected one of {}", word, fmt::join(known, ", "));
}

}  // namespace tutti::wire
