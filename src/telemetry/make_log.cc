// spdlog does levels, time stamps and delivery; what a record says is formatted here, since
// spdlog's patterns know neither fields nor escapes.
#include "telemetry/make_log.h"

#include <ostream>
#include <string>
#include <utility>

#include <spdlog/details/null_mutex.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>

#include "base/check.h"
#include "base/text.h"
#include "telemetry/escape.h"

namespace tutti::telemetry {

namespace {

constexpr std::string_view kOmitted = "fields_omitted";

class CallbackSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  explicit CallbackSink(LineSink take_line) : take_line_(std::move(take_line)) {}

 private:
  void sink_it_(const spdlog::details::log_msg& record) override {
    spdlog::memory_buf_t line;
    formatter_->format(record, line);
    take_line_({line.data(), line.size()});
  }
  void flush_() override {}

  LineSink take_line_;
};

spdlog::level::level_enum level_of(Log::Level level) {
  switch (level) {
    case Log::Level::debug:
      return spdlog::level::debug;
    case Log::Level::info:
      return spdlog::level::info;
    case Log::Level::warning:
      return spdlog::level::warn;
    case Log::Level::error:
      return spdlog::level::err;
  }
  TUTTI_UNREACHABLE("log level");
}

// What the two forms share; they differ in how a message and a field are appended.
class SpdLog : public Log {
 public:
  SpdLog(LineSink sink, LogOptions options, const std::string& pattern)
      : options_(std::move(options)),
        logger_("tutti", std::make_shared<CallbackSink>(std::move(sink))) {
    TUTTI_CHECK(options_.now != nullptr);
    logger_.set_formatter(
        std::make_unique<spdlog::pattern_formatter>(pattern, spdlog::pattern_time_type::utc, "\n"));
    logger_.set_level(level_of(options_.level_min));
  }

  void write(Level level, std::string_view message,
             std::initializer_list<LogField> fields) override {
    if (!logger_.should_log(level_of(level))) return;
    body_.clear();
    append_message(body_, bounded(message));
    append_fields(fields);
    logger_.log(options_.now(), spdlog::source_loc{}, level_of(level),
                spdlog::string_view_t(body_.data(), body_.size()));
  }

 protected:
  virtual void append_message(std::string& out, std::string_view message) const = 0;
  virtual void append_field(std::string& out, std::string_view key,
                            std::string_view value) const = 0;

 private:
  void append_fields(std::initializer_list<LogField> fields) {
    std::size_t omitted = 0;
    for (const LogField& field : fields) {
      if (body_.size() >= options_.line_bytes_max) {
        ++omitted;
      } else {
        append_field(body_, field.key, bounded(field.value));
      }
    }
    if (omitted > 0) append_field(body_, kOmitted, std::to_string(omitted));
  }

  // Valid until the next call.
  std::string_view bounded(std::string_view text) {
    if (text.size() <= options_.value_bytes_max) return text;
    cut_ = shortened(text, options_.value_bytes_max);
    return cut_;
  }

  LogOptions options_;
  spdlog::logger logger_;
  std::string body_;  // kept for its storage
  std::string cut_;
};

class TextLog final : public SpdLog {
 public:
  TextLog(LineSink sink, LogOptions options)
      : SpdLog(std::move(sink), std::move(options), "%Y-%m-%dT%H:%M:%S.%eZ %l %v") {}

 private:
  // Fields begin at the first "word=", so a message that has a '=' of its own is quoted.
  void append_message(std::string& out, std::string_view message) const override {
    append_word(out, message, "=");
  }
  void append_field(std::string& out, std::string_view key, std::string_view value) const override {
    out += ' ';
    append_word(out, key, " =");
    out += '=';
    append_word(out, value, " =");
  }
  static void append_word(std::string& out, std::string_view text, std::string_view separators) {
    const bool plain = !text.empty() && text.find_first_of(separators) == std::string_view::npos &&
                       !needs_escapes(text);
    if (plain) {
      out += text;
    } else {
      append_quoted(out, text);
    }
  }
};

class JsonLog final : public SpdLog {
 public:
  JsonLog(LineSink sink, LogOptions options)
      : SpdLog(std::move(sink), std::move(options),
               R"({"ts":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l","msg":%v})") {}

 private:
  void append_message(std::string& out, std::string_view message) const override {
    append_quoted(out, message);
  }
  void append_field(std::string& out, std::string_view key, std::string_view value) const override {
    out += ',';
    append_quoted(out, key);
    out += ':';
    append_quoted(out, value);
  }
};

}  // namespace

LineSink to_stream(std::ostream& out) {
  return [&out](std::string_view line) { out << line << std::flush; };
}

LineSink to_file(std::FILE* file) {
  return [file](std::string_view line) {
    // A log that cannot be written has nobody to tell.
    static_cast<void>(std::fwrite(line.data(), 1, line.size(), file));
    static_cast<void>(std::fflush(file));
  };
}

std::unique_ptr<Log> make_text_log(LineSink sink, LogOptions options) {
  return std::make_unique<TextLog>(std::move(sink), std::move(options));
}

std::unique_ptr<Log> make_json_log(LineSink sink, LogOptions options) {
  return std::make_unique<JsonLog>(std::move(sink), std::move(options));
}

}  // namespace tutti::telemetry
