#include "trace/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"

namespace tutti::trace {
namespace {

constexpr double kPerUnit = 1000;

struct NumberField {
  std::string_view name;
  double (*of)(const Job&);
};
constexpr std::array<NumberField, 8> kNumbers = {{
    {"cpu", [](const Job& job) { return static_cast<double>(job.milli_cpu) / kPerUnit; }},
    {"memory",
     [](const Job& job) { return static_cast<double>(job.memory) / static_cast<double>(kMiB); }},
    {"gpu", [](const Job& job) { return static_cast<double>(job.gpu_milli) / kPerUnit; }},
    {"gpus", [](const Job& job) { return static_cast<double>(job.total_gpu_milli()) / kPerUnit; }},
    {"replicas", [](const Job& job) { return static_cast<double>(job.replicas); }},
    {"priority", [](const Job& job) { return static_cast<double>(job.priority); }},
    {"submit", [](const Job& job) { return static_cast<double>(job.submit.count()) / kPerUnit; }},
    // For ever is longer than anything.
    {"duration",
     [](const Job& job) {
       constexpr double kForEver = 1e18;
       return job.duration ? static_cast<double>(job.duration->count()) / kPerUnit : kForEver;
     }},
}};

struct TextField {
  std::string_view name;
  const std::string& (*of)(const Job&);
};
constexpr std::array<TextField, 6> kTexts = {{
    {"id", [](const Job& job) -> const std::string& { return job.id; }},
    {"queue", [](const Job& job) -> const std::string& { return job.queue; }},
    {"user", [](const Job& job) -> const std::string& { return job.user; }},
    {"namespace", [](const Job& job) -> const std::string& { return job.ns; }},
    {"model", [](const Job& job) -> const std::string& { return job.model; }},
    {"topology", [](const Job& job) -> const std::string& { return job.level; }},
}};

std::optional<double> finite_number(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [last, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc{} || last != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string_view label_text(const Job& job, std::string_view name) {
  const auto text = std::ranges::find(kTexts, name, &TextField::name);
  if (text != kTexts.end()) return text->of(job);
  const auto label = std::ranges::find(
      job.labels, name, [](const auto& pair) { return std::string_view(pair.first); });
  return label == job.labels.end() ? std::string_view{} : std::string_view(label->second);
}

}  // namespace

Result<JobFilter::Condition> JobFilter::parse_condition(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, Relation>, 6> kRelations = {
      {{"!=", Relation::differs},
       {"<=", Relation::at_most},
       {">=", Relation::at_least},
       {"=", Relation::equal},
       {"<", Relation::less},
       {">", Relation::greater}}};
  const std::size_t at = text.find_first_of("!<>=");
  const auto wrong = [&](std::string_view what) {
    return Error{Error::Code::invalid, fmt::format("--filter: '{}': {}", brief_line(text), what)};
  };
  if (at == std::string_view::npos || at == 0)
    return wrong("expected NAME=VALUE, or another of != < <= > >=");
  const std::string_view rest = text.substr(at);
  const auto relation = std::ranges::find_if(
      kRelations, [&](const auto& pair) { return rest.starts_with(pair.first); });
  if (relation == kRelations.end()) return wrong("expected one of = != < <= > >=");
  Condition condition;
  condition.name = text.substr(0, at);
  condition.relation = relation->second;
  condition.text = rest.substr(relation->first.size());
  const bool known = std::ranges::find(kNumbers, std::string_view(condition.name),
                                       &NumberField::name) != kNumbers.end();
  const auto number = finite_number(condition.text);
  if (known && !number) return wrong("expected a number");
  condition.number = number.value_or(0);
  const bool ordered =
      condition.relation != Relation::equal && condition.relation != Relation::differs;
  if (ordered && !number) return wrong("text compares with = and != alone");
  condition.numeric = known || ordered;
  return condition;
}

Result<JobFilter> JobFilter::parse(std::string_view text) {
  JobFilter filter;
  filter.text_ = text;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    TUTTI_ASSIGN(Condition condition, parse_condition(text.substr(0, end)));
    filter.conditions_.push_back(std::move(condition));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (filter.conditions_.empty()) {
    return Error{Error::Code::invalid, "--filter: expected NAME=VALUE"};
  }
  return filter;
}

bool JobFilter::holds(const Condition& condition, const Job& job) {
  if (!condition.numeric) {
    return (label_text(job, condition.name) == condition.text) ==
           (condition.relation == Relation::equal);
  }
  double value = 0;
  const auto known =
      std::ranges::find(kNumbers, std::string_view(condition.name), &NumberField::name);
  if (known != kNumbers.end()) {
    value = known->of(job);
  } else {
    const auto number = finite_number(label_text(job, condition.name));
    if (!number) return false;  // a label that is no number, or is not there
    value = *number;
  }
  switch (condition.relation) {
    case Relation::equal:
      return value == condition.number;
    case Relation::differs:
      return value != condition.number;
    case Relation::less:
      return value < condition.number;
    case Relation::at_most:
      return value <= condition.number;
    case Relation::greater:
      return value > condition.number;
    case Relation::at_least:
      return value >= condition.number;
  }
  return false;
}

bool JobFilter::accepts(const Job& job) const {
  return std::ranges::all_of(conditions_,
                             [&](const Condition& condition) { return holds(condition, job); });
}

}  // namespace tutti::trace
