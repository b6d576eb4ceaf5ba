// Table: rows of text under named columns, from CSV or JSON Lines.
#pragma once

#include <deque>

#include "base/result.h"
#include "base/std.h"

namespace tutti::trace {

// A mistake in the input: "jobs.csv:7: column 'cpu': expected …, found 'x'".
std::string at_cell(std::string_view file, std::size_t line, std::string_view column,
                    std::string_view problem);

// "pods.json:7: …" of a message that begins with "line 7: "; else "pods.json: …". Lines are counted
// from `lines_before`.
std::string at_line(std::string_view file, std::string_view message, std::size_t lines_before = 0);

struct Row {
  std::size_t line = 0;                 // where it begins, from 1
  std::vector<std::string_view> cells;  // by column; empty text: not given
  std::string problem = {};             // why it is no row; empty: it is one
};

class Table {
 public:
  // The table keeps the text. Lines that hold nothing are passed over. CSV as in RFC 4180, either
  // line end, a byte order mark is passed over; the first row names the columns, no two alike. A
  // row that does not have their number carries a problem. An error is about the whole file.
  static Result<Table> from_csv(std::string file, std::string text);
  // One object per line; its members are the cells. Nested values are rows with a problem.
  static Result<Table> from_json_lines(std::string file, std::string text);
  // Rows of cells between `separator`s, without quotes, as sacct writes them. Where `columns` are
  // given they name the cells of every row; otherwise the first row does.
  static Result<Table> from_separated(std::string file, std::string text, char separator,
                                      std::span<const std::string_view> columns = {});
  // By the first character that is no space: '{' is JSON.
  static Result<Table> read(std::string file, std::string text);

  // Sees the same lines under other columns. `as_written` names each column as the file does, for
  // messages; empty where it has none.
  struct View {
    std::vector<std::string> columns;
    std::vector<std::string> as_written;
    std::vector<Row> rows;  // whose cells this table keeps
  };
  static Table seen_as(Table table, View view);

  const std::string& file() const { return file_; }
  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<Row>& rows() const { return rows_; }
  std::optional<std::size_t> find(std::string_view column) const;
  bool has(std::string_view column) const { return find(column).has_value(); }
  // How the file calls the column.
  std::string_view as_written(std::string_view column) const;
  // Text that lives as long as the table.
  std::string_view keep(std::string text) { return kept_->emplace_back(std::move(text)); }

 private:
  explicit Table(std::string file, std::string text)
      : file_(std::move(file)), text_(std::make_unique<const std::string>(std::move(text))) {}
  Status name_columns(const Row& header);

  std::string file_;
  std::unique_ptr<const std::string> text_;  // cells point into it
  // Cells that are written in another way than they read.
  std::unique_ptr<std::deque<std::string>> kept_ = std::make_unique<std::deque<std::string>>();
  std::vector<std::string> columns_;
  std::vector<std::string> as_written_;  // by column; empty: as in columns_
  std::vector<Row> rows_;
};

}  // namespace tutti::trace
