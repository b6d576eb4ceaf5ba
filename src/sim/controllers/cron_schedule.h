// CronSchedule: the times that the schedule of a CronJob names, in UTC.
//
//   minute hour day-of-month month day-of-week      "*/15 8-18 * * mon-fri"
//   @hourly @daily @midnight @weekly @monthly @yearly @annually
//   @every 90m
//
// Where both days are restricted, either one is enough.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "base/time.h"

namespace tutti::sim {

class CronSchedule {
 public:
  static Result<CronSchedule> parse(std::string_view text);

  // The first time after `when`; absent: there is none, as with the 31st of February.
  std::optional<Instant> next(Instant when) const;

 private:
  bool names_day(std::int64_t days_since_1970) const;

  // Sets of small numbers, as bits.
  std::uint64_t minutes_ = 0;
  std::uint64_t hours_ = 0;
  std::uint64_t days_ = 0;      // of the month
  std::uint64_t months_ = 0;    // from 1
  std::uint64_t weekdays_ = 0;  // from Sunday
  bool any_day_ = false;        // of the month
  bool any_weekday_ = false;
  Millis every_{0};  // of "@every"; otherwise 0
};

}  // namespace tutti::sim
