#include "sim/annotations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "base/text.h"

namespace tutti::sim {
namespace {

enum class Form { duration, count, flag };

struct Annotation {
  std::string_view name;
  Form form;
  std::optional<model::Kind> only_on;  // absent: any kind
};

constexpr std::array<Annotation, 10> kAnnotations = {{
    {kAt, Form::duration, std::nullopt},
    {kDeleteAt, Form::duration, std::nullopt},
    {kQuiet, Form::flag, std::nullopt},
    {kRunsFor, Form::duration, model::Kind::pod},
    {kFailsAfter, Form::duration, model::Kind::pod},
    {kBindFails, Form::count, model::Kind::pod},
    {kBindFailsAlways, Form::flag, model::Kind::pod},
    {kDownAt, Form::duration, model::Kind::node},
    {kUpAt, Form::duration, model::Kind::node},
    {kGroupSize, Form::count, model::Kind::pod_group},
}};

std::optional<Millis> parse_time(std::string_view text) {
  const auto parsed = parse_duration(text);
  if (!parsed.ok() || *parsed < Millis::zero()) return std::nullopt;
  return *parsed;
}

std::optional<std::uint32_t> parse_count(std::string_view text) {
  std::uint32_t value = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stopped != text.data() + text.size()) return std::nullopt;
  return value;
}

// What is wrong with the value; empty when nothing.
std::string_view problem(Form form, std::string_view value) {
  switch (form) {
    case Form::duration:
      return parse_time(value) ? "" : "must be a duration such as 30s or 1h30m";
    case Form::count:
      return parse_count(value) ? "" : "must be a whole number";
    case Form::flag:
      return value == "true" || value == "false" ? "" : "must be true or false";
  }
  return "";
}

constexpr std::string_view kPrefix = "tutti.dev/";

std::string unknown_message(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Annotation& annotation : kAnnotations) known.push_back(annotation.name);
  const std::string_view meant = nearest_word(name, known);
  if (meant.empty()) return "is no annotation of Tutti's";
  return fmt::format("is no annotation of Tutti's; did you mean {}?", meant);
}

}  // namespace

admission::FieldProblems check_annotations(const model::Object& object) {
  admission::FieldProblems problems;
  for (const auto& [name, value] : object.meta.annotations) {
    if (!name.starts_with(kPrefix)) continue;
    if (std::ranges::find(kAnnotations, name, &Annotation::name) != kAnnotations.end()) continue;
    problems.push_back({fmt::format("metadata.annotations[{}]", name), unknown_message(name)});
  }
  for (const auto& [name, form, only_on] : kAnnotations) {
    const auto* value = model::find(object.meta.annotations, name);
    if (!value) continue;
    auto path = fmt::format("metadata.annotations[{}]", name);
    if (only_on && *only_on != object.kind) {
      problems.push_back(
          {std::move(path), fmt::format("is for a {} only", model::facts(*only_on).name)});
    } else if (const auto wrong = problem(form, *value); !wrong.empty()) {
      problems.push_back({std::move(path), fmt::format("{}, is '{}'", wrong, *value)});
    }
  }
  return problems;
}

std::optional<Millis> duration_annotation(const model::Object& object, std::string_view name) {
  const auto* value = model::find(object.meta.annotations, name);
  return value ? parse_time(*value) : std::nullopt;
}

std::optional<std::uint32_t> count_annotation(const model::Object& object, std::string_view name) {
  const auto* value = model::find(object.meta.annotations, name);
  return value ? parse_count(*value) : std::nullopt;
}

bool flag_annotation(const model::Object& object, std::string_view name) {
  const auto* value = model::find(object.meta.annotations, name);
  return value && *value == "true";
}

}  // namespace tutti::sim
