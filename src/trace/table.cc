#include "trace/table.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace tutti::trace {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

Error malformed(std::string_view file, std::size_t line, std::string_view problem) {
  return {Error::Code::malformed, fmt::format("{}:{}: {}", file, line, problem)};
}

// Walks over CSV text row by row.
class CsvCursor {
 public:
  CsvCursor(std::string_view text, std::deque<std::string>& kept) : text_(text), kept_(kept) {
    if (text_.starts_with(kByteOrderMark)) position_ = kByteOrderMark.size();
  }

  // The next row that holds anything; nothing at the end of the text.
  std::optional<Row> next() {
    while (position_ < text_.size()) {
      Row row{line_, {}, {}};
      do {
        row.cells.push_back(cell(row.problem));
      } while (step_over(','));
      end_line(row.problem);
      const bool blank = row.cells.size() == 1 && row.cells[0].empty() && row.problem.empty();
      if (!blank) return row;
    }
    return std::nullopt;
  }

 private:
  bool at(char c) const { return position_ < text_.size() && text_[position_] == c; }
  bool step_over(char c) {
    if (!at(c)) return false;
    ++position_;
    return true;
  }

  std::string_view cell(std::string& problem) { return at('"') ? quoted(problem) : plain(); }

  std::string_view plain() {
    const std::size_t end = std::min(text_.find_first_of(",\r\n", position_), text_.size());
    const std::string_view cell = text_.substr(position_, end - position_);
    position_ = end;
    return cell;
  }

  std::string_view quoted(std::string& problem) {
    std::string cell;
    ++position_;
    for (;;) {
      const std::size_t end = text_.find('"', position_);
      if (end == std::string_view::npos) {
        problem = "a quote is not closed";
        position_ = text_.size();
        return {};
      }
      cell += text_.substr(position_, end - position_);
      position_ = end + 1;
      if (!step_over('"')) break;
      cell += '"';
    }
    line_ += static_cast<std::size_t>(std::ranges::count(cell, '\n'));
    return kept_.emplace_back(std::move(cell));
  }

  void end_line(std::string& problem) {
    if (position_ < text_.size() && !at('\r') && !at('\n')) {
      if (problem.empty()) problem = "text follows a closing quote";
      position_ = std::min(text_.find('\n', position_), text_.size());
    }
    step_over('\r');
    step_over('\n');
    ++line_;
  }

  std::string_view text_;
  std::deque<std::string>& kept_;
  std::size_t position_ = 0;
  std::size_t line_ = 1;
};

}  // namespace

std::string at_cell(std::string_view file, std::size_t line, std::string_view column,
                    std::string_view problem) {
  return fmt::format("{}:{}: column '{}': {}", file, line, brief_line(column), problem);
}

std::string at_line(std::string_view file, std::string_view message, std::size_t lines_before) {
  constexpr std::string_view kLine = "line ";
  std::size_t line = 0;
  if (message.starts_with(kLine)) {
    const std::string_view rest = message.substr(kLine.size());
    const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), line);
    const std::string_view after = rest.substr(static_cast<std::size_t>(end - rest.data()));
    if (problem == std::errc{} && after.starts_with(": ")) {
      return fmt::format("{}:{}{}", file, line + lines_before, after);
    }
  }
  return fmt::format("{}: {}", file, message);
}

std::optional<std::size_t> Table::find(std::string_view column) const {
  const auto at = std::ranges::find(columns_, column);
  if (at == columns_.end()) return std::nullopt;
  return static_cast<std::size_t>(at - columns_.begin());
}

std::string_view Table::as_written(std::string_view column) const {
  const auto at = find(column);
  const bool other = at && *at < as_written_.size() && !as_written_[*at].empty();
  return other ? std::string_view(as_written_[*at]) : column;
}

Table Table::seen_as(Table table, View view) {
  table.columns_ = std::move(view.columns);
  table.as_written_ = std::move(view.as_written);
  table.rows_ = std::move(view.rows);
  return table;
}

Status Table::name_columns(const Row& header) {
  if (!header.problem.empty()) return malformed(file_, header.line, header.problem);
  for (const std::string_view name : header.cells) {
    if (name.empty()) return malformed(file_, header.line, "a column has no name");
    if (has(name)) {
      return malformed(file_, header.line, fmt::format("two columns '{}'", brief_line(name)));
    }
    columns_.emplace_back(name);
  }
  return ok_status();
}

Result<Table> Table::from_csv(std::string file, std::string text) {
  Table table(std::move(file), std::move(text));
  CsvCursor cursor(*table.text_, *table.kept_);
  const std::optional<Row> header = cursor.next();
  if (!header) return malformed(table.file_, 1, "expected a row of column names, found nothing");
  TUTTI_TRY(table.name_columns(*header));
  while (auto row = cursor.next()) {
    const std::size_t cells = row->cells.size();
    if (row->problem.empty() && cells != table.columns_.size()) {
      row->problem = fmt::format("expected {} cells, found {}", table.columns_.size(), cells);
    }
    table.rows_.push_back(*std::move(row));
  }
  return table;
}

Result<Table> Table::from_separated(std::string file, std::string text, char separator,
                                    std::span<const std::string_view> columns) {
  Table table(std::move(file), std::move(text));
  table.columns_.assign(columns.begin(), columns.end());
  const std::string_view all = *table.text_;
  std::size_t line = 0;
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = std::min(all.find('\n', begin), all.size());
    std::string_view one = all.substr(begin, end - begin);
    begin = end + 1;
    ++line;
    if (one.ends_with('\r')) one.remove_suffix(1);
    if (one.find_first_not_of(" \t") == std::string_view::npos) continue;
    Row row{line, {}, {}};
    for (std::size_t from = 0; from <= one.size();) {
      const std::size_t to = std::min(one.find(separator, from), one.size());
      row.cells.push_back(one.substr(from, to - from));
      from = to + 1;
    }
    if (table.columns_.empty()) {
      TUTTI_TRY(table.name_columns(row));
      continue;
    }
    if (row.cells.size() != table.columns_.size()) {
      row.problem =
          fmt::format("expected {} cells, found {}", table.columns_.size(), row.cells.size());
    }
    table.rows_.push_back(std::move(row));
  }
  return table;
}

Result<Table> Table::from_json_lines(std::string file, std::string text) {
  Table table(std::move(file), std::move(text));
  const std::string_view all = *table.text_;
  std::size_t line = 0;
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = std::min(all.find('\n', begin), all.size());
    const std::string_view one = all.substr(begin, end - begin);
    begin = end + 1;
    ++line;
    if (one.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    Row row{line, {}, {}};
    const auto take = [&](wire::Document&& document) {
      if (!document.root().is_object() || !row.cells.empty()) {
        row.problem = "expected one object";
        return ok_status();
      }
      for (const wire::Member& member : document.root().members()) {
        const wire::Value& value = member.value;
        if (value.is_object() || value.is_array()) {
          row.problem = fmt::format("member '{}' is no plain value", brief_line(member.key));
          continue;
        }
        std::optional<std::size_t> column = table.find(member.key);
        if (!column) {
          column = table.columns_.size();
          table.columns_.emplace_back(member.key);
        }
        row.cells.resize(std::max(row.cells.size(), *column + 1));
        if (value.is_null()) continue;
        row.cells[*column] =
            table.keep(value.is_string() ? std::string(value.text()) : wire::to_json(value));
      }
      return ok_status();
    };
    if (const Status read = wire::read_json(one, take); !read.ok()) {
      row.problem = "not JSON: " + read.error().message;
    }
    table.rows_.push_back(std::move(row));
  }
  for (Row& row : table.rows_) row.cells.resize(table.columns_.size());
  return table;
}

Result<Table> Table::read(std::string file, std::string text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string::npos && text[first] == '{';
  return json ? from_json_lines(std::move(file), std::move(text))
              : from_csv(std::move(file), std::move(text));
}

}  // namespace tutti::trace
