#include "trace/column_map.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "trace/cells.h"
#include "trace/formats.h"
#include "wire/json_writer.h"
#include "wire/reader.h"

namespace tutti::trace {
namespace {

constexpr std::int64_t kNoScale = 0;

// By the order of ColumnMap::Unit.
struct UnitRow {
  std::string_view name;
  // What a number is multiplied by and divided by; kNoScale: it stays as it is.
  std::int64_t times = kNoScale;
  std::int64_t over = 1;
  std::string_view suffix = "";
  std::string_view expected = "";
};
constexpr std::array<UnitRow, 10> kUnits = {{
    {"", kNoScale, 1, "", ""},
    {"ms", 1, 1000, "", "milliseconds"},
    {"s", 1, 1, "", "seconds"},
    {"min", 60, 1, "", "minutes"},
    {"h", 3600, 1, "", "hours"},
    {"iso", kNoScale, 1, "", ""},
    {"GiB", kNoScale, 1, "Gi", ""},
    {"MiB", kNoScale, 1, "Mi", ""},
    {"cores", kNoScale, 1, "", ""},
    {"milli", 1, 1000, "", "a number of thousandths"},
}};

}  // namespace

class ColumnMap::Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  Result<ColumnMap> read(const wire::Value& root) const {
    if (!root.is_object()) return wrong(root.line(), "", "expected COLUMN: {from: NAME, …}");
    ColumnMap map;
    for (const wire::Member& member : root.members()) {
      TUTTI_ASSIGN(Rule rule, rule_of(member));
      map.rules_.push_back(std::move(rule));
    }
    if (map.rules_.empty()) return wrong(1, "", "expected at least one column");
    return map;
  }

 private:
  Error wrong(std::uint32_t line, std::string_view column, std::string_view problem) const {
    if (!column.empty()) return {Error::Code::malformed, at_cell(file_, line, column, problem)};
    return {Error::Code::malformed, fmt::format("{}:{}: {}", file_, line, problem)};
  }

  Result<Rule> rule_of(const wire::Member& member) const {
    Rule rule;
    rule.column = member.key;
    const auto known = generic_columns();
    if (std::ranges::find(known, member.key) == known.end()) {
      return wrong(
          member.line, member.key,
          fmt::format("the generic format has no such column; it has {}", fmt::join(known, ", ")));
    }
    if (!member.value.is_object())
      return wrong(member.line, member.key, "expected {from: NAME, …}");
    for (const wire::Member& part : member.value.members()) TUTTI_TRY(take(rule, part));
    if (rule.from.empty() && !rule.fallback) {
      return wrong(member.line, member.key, "expected from or default");
    }
    return rule;
  }

  Status take(Rule& rule, const wire::Member& part) const {
    if (part.key == "values") return take_values(rule, part);
    const auto text = plain(part.value);
    if (!text) {
      return wrong(part.line, rule.column, fmt::format("{}: expected a plain value", part.key));
    }
    if (part.key == "from") {
      rule.from = *text;
    } else if (part.key == "default") {
      rule.fallback = *text;
    } else if (part.key == "regex") {
      const RE2 checked(*text, RE2::Quiet);
      if (!checked.ok() || checked.NumberOfCapturingGroups() != 1) {
        return wrong(
            part.line, rule.column,
            fmt::format("regex: expected one with one group, found '{}'", brief_line(*text)));
      }
      rule.regex = *text;
    } else if (part.key == "unit") {
      const auto at = std::ranges::find(kUnits, std::string_view(*text), &UnitRow::name);
      if (at == kUnits.end() || at == kUnits.begin()) {
        return wrong(part.line, rule.column,
                     fmt::format("unit: expected ms, s, min, h, iso, GiB, MiB, cores or milli, "
                                 "found '{}'",
                                 brief_line(*text)));
      }
      rule.unit = static_cast<Unit>(at - kUnits.begin());
    } else {
      return wrong(
          part.line, rule.column,
          fmt::format("'{}' is none of from, unit, default, regex, values", brief_line(part.key)));
    }
    return ok_status();
  }

  Status take_values(Rule& rule, const wire::Member& part) const {
    if (!part.value.is_object()) {
      return wrong(part.line, rule.column, "values: expected {OLD: NEW, …}");
    }
    for (const wire::Member& pair : part.value.members()) {
      const auto text = plain(pair.value);
      if (!text) return wrong(pair.line, rule.column, "values: expected a plain value");
      rule.values.emplace_back(pair.key, *text);
    }
    return ok_status();
  }

  static std::optional<std::string> plain(const wire::Value& value) {
    if (value.is_string()) return std::string(value.text());
    if (value.is_integer() || value.is_number() || value.is_boolean()) return wire::to_json(value);
    return std::nullopt;
  }

  const std::string& file_;
};

// A rule at work: text of the file in, text of the generic format out.
class ColumnMap::Converter {
 public:
  explicit Converter(const Rule& rule) : rule_(rule) {
    if (!rule.regex.empty()) regex_ = std::make_unique<RE2>(rule.regex, RE2::Quiet);
  }

  // An error is what the cell was expected to be.
  Result<std::string> convert(std::string_view cell) const {
    if (cell.empty()) return rule_.fallback.value_or("");
    std::string text(cell);
    if (regex_) {
      std::string group;
      if (!RE2::PartialMatch(std::string_view(text), *regex_, &group)) {
        if (rule_.fallback) return *rule_.fallback;
        return expected(fmt::format("text that matches {}", rule_.regex), cell);
      }
      text = group;
    }
    const auto renamed =
        std::ranges::find(rule_.values, text, [](const auto& pair) { return pair.first; });
    if (renamed != rule_.values.end()) text = renamed->second;
    const UnitRow& unit = kUnits[static_cast<std::size_t>(rule_.unit)];
    if (unit.times == kNoScale || text.empty())
      return text.empty() ? text : text + std::string(unit.suffix);
    const auto scaled = scaled_decimal(text, unit.times, unit.over);
    if (!scaled) return expected(unit.expected, cell);
    return *scaled;
  }

 private:
  static Error expected(std::string_view what, std::string_view cell) {
    return {Error::Code::malformed, fmt::format("expected {}, found '{}'", what, brief_line(cell))};
  }

  const Rule& rule_;
  std::unique_ptr<RE2> regex_;
};

Result<ColumnMap> ColumnMap::parse(const std::string& file, std::string_view text) {
  std::optional<Result<ColumnMap>> map;
  const Status read = wire::read_documents(text, [&](wire::Document&& document) -> Status {
    if (map) return Error{Error::Code::malformed, "expected one document"};
    map.emplace(Reader(file).read(document.root()));
    return ok_status();
  });
  if (!read.ok()) return Error{Error::Code::malformed, at_line(file, read.error().message)};
  if (!map) return Error{Error::Code::malformed, file + ":1: expected COLUMN: {from: NAME, …}"};
  return *std::move(map);
}

Result<Table> ColumnMap::apply(Table table) const {
  Table::View view;
  std::vector<Converter> converters;
  std::vector<std::optional<std::size_t>> sources;
  std::vector<bool> taken(table.columns().size());
  for (const Rule& rule : rules_) {
    const auto at = rule.from.empty() ? std::nullopt : table.find(rule.from);
    if (!rule.from.empty() && !at && !rule.fallback) {
      return Error{
          Error::Code::malformed,
          fmt::format("{}: there is no column '{}', which the map reads {} from; there are {}",
                      table.file(), brief_line(rule.from), rule.column,
                      brief_line(fmt::format("{}", fmt::join(table.columns(), ", "))))};
    }
    if (at) taken[*at] = true;
    view.columns.push_back(rule.column);
    view.as_written.push_back(rule.from);
    converters.emplace_back(rule);
    sources.push_back(at);
  }
  const auto generic = generic_columns();
  std::vector<std::size_t> labels;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    const std::string& name = table.columns()[i];
    if (taken[i] || std::ranges::find(generic, name) != generic.end()) continue;
    labels.push_back(i);
    view.columns.push_back(name);
    view.as_written.push_back(name);
  }
  for (const Row& row : table.rows()) {
    Row made{row.line, {}, row.problem};
    if (made.problem.empty()) {
      for (std::size_t i = 0; i < converters.size(); ++i) {
        const auto text =
            converters[i].convert(sources[i] ? row.cells[*sources[i]] : std::string_view{});
        if (!text.ok() && made.problem.empty()) {
          made.problem = fmt::format("column '{}': {}", view.as_written[i], text.error().message);
        }
        made.cells.push_back(text.ok() ? table.keep(*text) : std::string_view{});
      }
      for (const std::size_t at : labels) made.cells.push_back(row.cells[at]);
    }
    view.rows.push_back(std::move(made));
  }
  return Table::seen_as(std::move(table), std::move(view));
}

}  // namespace tutti::trace
