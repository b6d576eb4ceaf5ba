// Cells: the values of one row, by column, with the first mistake among them.
#pragma once

#include "base/std.h"
#include "base/time.h"
#include "trace/table.h"

namespace tutti::trace {

// Seconds with any number of decimals, rounded to milliseconds. Nothing if it is no such number, or
// too large to be a time.
std::optional<Millis> parse_seconds(std::string_view text);
// A point in time: seconds from any zero, RFC 3339, or "YYYY-MM-DD HH:MM:SS" in UTC.
std::optional<Millis> parse_time(std::string_view text);
// A decimal number times a thousand, exactly; nothing if that is no whole number.
std::optional<std::int64_t> parse_thousandths(std::string_view text);
// "1.5" times 60 over 1 is "90.000": rounded to three decimals, as all amounts here. Nothing if the
// text is no decimal number or the product is beyond what is counted with. Both numbers are
// positive and small.
std::optional<std::string> scaled_decimal(std::string_view text, std::int64_t times,
                                          std::int64_t over);

class Cells {
 public:
  // Both must outlive it.
  Cells(const Table& table, const Row& row) : table_(table), row_(row) {}

  // The text, empty if there is none or no such column.
  std::string_view text(std::string_view column) const;
  // The value, or nothing where the cell is empty or wrong; what is wrong is kept.
  std::optional<Millis> time(std::string_view column);
  std::optional<Millis> seconds(std::string_view column);  // not negative
  std::optional<Millis> millis(std::string_view column);   // a whole number, not negative
  std::optional<std::int64_t> whole(std::string_view column, std::int64_t least, std::int64_t most);
  std::optional<std::int64_t> thousandths(std::string_view column);  // 4 or 0.5, not negative
  std::optional<std::int64_t> bytes(std::string_view column);        // "16Gi", or MiB as a number
  std::optional<bool> truth(std::string_view column);
  // As those above, and wrong where the cell is empty.
  template <typename T>
  T required(std::string_view column, std::optional<T> value) {
    if (!value && text(column).empty()) fail(column, "expected a value, found nothing");
    return value.value_or(T{});
  }

  void fail(std::string_view column, std::string_view problem);
  // What is wrong with the row as a whole, or with its first wrong cell; empty: nothing.
  const std::string& problem() const { return row_.problem.empty() ? problem_ : row_.problem; }
  // What is wrong, with file and line.
  std::string located_problem() const;

 private:
  void expected(std::string_view column, std::string_view what);

  const Table& table_;
  const Row& row_;
  std::string problem_;
  std::string column_;  // of the problem
};

}  // namespace tutti::trace
