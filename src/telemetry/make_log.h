// The two forms of a log. One record is one line, whatever it says, of bounded length:
//
//   2026-11-16T01:02:03.004Z info leading lease=kube-system/tutti identity="a b"
//   {"ts":"2026-11-16T01:02:03.004Z","level":"info","msg":"leading","lease":"kube-system/tutti"}
//
// In text, a message or value is quoted if it would be ambiguous otherwise.
#pragma once

#include <cstdio>
#include <functional>
#include <iosfwd>

#include "base/std.h"
#include "base/time.h"
#include "telemetry/log.h"

namespace tutti::telemetry {

// Takes one line, its line end included. The text is valid during the call.
using LineSink = std::function<void(std::string_view)>;
// Neither owns what it writes to. Each line is written whole and flushed.
LineSink to_stream(std::ostream& out);
LineSink to_file(std::FILE* file);

struct LogOptions {
  std::function<Instant()> now;  // required: asked once for each record that is written
  Log::Level level_min = Log::Level::info;
  // A message or value longer than this is cut short, and says so.
  std::size_t value_bytes_max = 2048;
  // Fields that would begin after this many bytes are left out, and "fields_omitted" counts them.
  std::size_t line_bytes_max = 16'384;
};

// For one thread at a time.
std::unique_ptr<Log> make_text_log(LineSink sink, LogOptions options);
std::unique_ptr<Log> make_json_log(LineSink sink, LogOptions options);

}  // namespace tutti::telemetry
