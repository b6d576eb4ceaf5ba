// Column maps: a table of somebody's own columns, seen as the generic format.
//
//   submit: {from: submission_time, unit: ms}
//   queue: {from: team, values: {ml: research}, default: other}
//   cpu: {default: 1}
//   gpu: {from: tres, regex: "gres/gpu=([0-9]+)", default: 0}
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "trace/table.h"

namespace tutti::trace {

class ColumnMap {
 public:
  // YAML. Errors name file, line and column.
  static Result<ColumnMap> parse(const std::string& file, std::string_view text);

  // Cells that a rule cannot convert make their row a row with a problem. Columns that no rule
  // takes from are labels. An error: the table lacks a column that is needed.
  Result<Table> apply(Table table) const;

 private:
  enum class Unit : std::uint8_t { none, ms, s, min, h, iso, gib, mib, cores, milli };
  struct Rule {
    std::string column;
    std::string from;  // empty: only the default
    std::optional<std::string> fallback;
    std::string regex;
    std::vector<std::pair<std::string, std::string>> values;
    Unit unit = Unit::none;
  };
  class Reader;
  class Converter;

  std::vector<Rule> rules_;
};

}  // namespace tutti::trace
