// Log: structured lines, one JSON object or one readable text line each, on standard error.
#pragma once

#include <initializer_list>

#include "base/std.h"

namespace tutti::telemetry {

struct LogField {
  std::string_view key;
  std::string value;
};

class Log {
 public:
  enum class Level : std::uint8_t { debug, info, warning, error };

  virtual ~Log() = default;
  virtual void write(Level level, std::string_view message,
                     std::initializer_list<LogField> fields) = 0;

  void debug(std::string_view message, std::initializer_list<LogField> fields = {}) {
    write(Level::debug, message, fields);
  }
  void info(std::string_view message, std::initializer_list<LogField> fields = {}) {
    write(Level::info, message, fields);
  }
  void warning(std::string_view message, std::initializer_list<LogField> fields = {}) {
    write(Level::warning, message, fields);
  }
  void error(std::string_view message, std::initializer_list<LogField> fields = {}) {
    write(Level::error, message, fields);
  }
};

}  // namespace tutti::telemetry
