// Boost's push parser does the syntax. It reports no positions, so it is fed line by line: an event
// belongs to the line being fed, as no JSON token spans two.
#include "wire/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <optional>
#include <string>
#include <utility>

#include "wire/number_text.h"
#include "wire/tree_builder.h"

namespace tutti::wire {
namespace {

namespace json = boost::json;

// Translates the parser's events. A refusal of ours is kept in `refusal` and stops the parser with
// an error code that nobody reads.
struct Handler {
  static constexpr std::size_t max_object_size = kMaxDocumentBytes;
  static constexpr std::size_t max_array_size = kMaxDocumentBytes;
  static constexpr std::size_t max_key_size = kMaxDocumentBytes;
  static constexpr std::size_t max_string_size = kMaxDocumentBytes;
  using Code = json::error_code;
  using Text = json::string_view;

  TreeBuilder builder;
  std::uint32_t line = 1;
  std::string partial;  // of a token of which the parser delivers pieces
  std::optional<Error> refusal;
  SkippedMember skipped;
  // While a skipped member's value passes by: how many of its containers are open.
  std::optional<std::size_t> skipping;

  bool accept(Status status, Code& code) {
    if (status.ok()) return true;
    refusal = std::move(status).error();
    code = json::error::syntax;
    return false;
  }

  std::string_view joined(Text last) {
    if (partial.empty()) return {last.data(), last.size()};
    partial.append(last.data(), last.size());
    return partial;
  }

  bool keep_part(Text part) {
    partial.append(part.data(), part.size());
    return true;
  }

  bool open_skipped() {
    ++*skipping;
    return true;
  }

  bool close_skipped() {
    if (--*skipping == 0) skipping.reset();
    return true;
  }

  // Whether a scalar belongs to a skipped member.
  bool pass_by() {
    if (!skipping) return false;
    if (*skipping == 0) skipping.reset();
    partial.clear();
    return true;
  }

  bool add(Value value) {
    partial.clear();
    builder.add(std::move(value).at_line(line));
    return true;
  }

  bool number(Text last, Code& code) {
    if (pass_by()) return true;
    const std::string_view literal = joined(last);
    if (!integer_of(literal) && !double_of(literal)) {
      return accept(error_at(line, fmt::format("number {} is out of range", literal)), code);
    }
    return add(Value::number(builder.arena(), literal));
  }

  bool on_document_begin(Code&) { return true; }
  bool on_document_end(Code&) { return true; }
  bool on_object_begin(Code& code) {
    return skipping ? open_skipped() : accept(builder.open_object(line), code);
  }
  bool on_object_end(std::size_t, Code& code) {
    return skipping ? close_skipped() : accept(builder.close(), code);
  }
  bool on_array_begin(Code& code) {
    return skipping ? open_skipped() : accept(builder.open_array(line), code);
  }
  bool on_array_end(std::size_t, Code& code) {
    return skipping ? close_skipped() : accept(builder.close(), code);
  }
  bool on_key_part(Text part, std::size_t, Code&) { return keep_part(part); }
  bool on_key(Text last, std::size_t, Code&) {
    const std::string_view key = joined(last);
    if (!skipping && builder.depth() == skipped.depth && key == skipped.name) {
      skipping = 0;
    } else if (!skipping) {
      builder.key(key, line);
    }
    partial.clear();
    return true;
  }
  bool on_string_part(Text part, std::size_t, Code&) { return keep_part(part); }
  bool on_string(Text last, std::size_t, Code&) {
    return pass_by() || add(Value::string(builder.arena(), joined(last)));
  }
  bool on_number_part(Text part, Code&) { return keep_part(part); }
  bool on_int64(std::int64_t, Text last, Code& code) { return number(last, code); }
  bool on_uint64(std::uint64_t, Text last, Code& code) { return number(last, code); }
  bool on_double(double, Text last, Code& code) { return number(last, code); }
  bool on_bool(bool value, Code&) { return pass_by() || add(Value::boolean(value)); }
  bool on_null(Code&) { return pass_by() || add(Value()); }
  bool on_comment_part(Text, Code&) { return true; }
  bool on_comment(Text, Code&) { return true; }
};

class JsonReader {
 public:
  // Nothing is at depth 0, so by default nothing is skipped.
  explicit JsonReader(std::string_view text, SkippedMember skipped = {})
      : text_(text), parser_(parse_options()) {
    handler().skipped = skipped;
  }

  JsonProgress run(const DocumentSink& sink) {
    JsonProgress progress;
    while (skip_space()) {
      progress.rest = position_;
      progress.rest_line = line_;
      progress.status = read_one();
      if (!progress.status.ok()) return progress;
      ++progress.documents;
      Document document = handler().builder.take();
      if (document.root().is_null()) continue;
      progress.status = sink(std::move(document));
      progress.sink_failed = !progress.status.ok();
      if (progress.sink_failed) return progress;
    }
    return progress;
  }

 private:
  // The builder refuses excessive depth first, with a better message.
  static json::parse_options parse_options() {
    json::parse_options options;
    options.max_depth = kMaxDepth + 1;
    return options;
  }

  Handler& handler() { return parser_.handler(); }

  // False at the end of the text.
  bool skip_space() {
    for (; position_ < text_.size(); ++position_) {
      const char c = text_[position_];
      if (c == '\n') ++line_;
      if (c != ' ' && c != '\t' && c != '\n' && c != '\r') return true;
    }
    return false;
  }

  // The rest of the line, its end included, but no more than the document may still have.
  std::string_view next_piece(std::size_t begin) {
    if (position_ >= line_end_) {
      line_end_ = std::min(text_.find('\n', position_), text_.size() - 1) + 1;
    }
    return text_.substr(position_, std::min(line_end_, begin + kMaxDocumentBytes) - position_);
  }

  Status read_one() {
    parser_.reset();
    const std::size_t begin = position_;
    const std::uint32_t begin_line = line_;
    while (!parser_.done()) {
      const std::string_view piece = next_piece(begin);
      const bool more = position_ + piece.size() < text_.size();
      if (piece.empty() && position_ < text_.size()) {
        return error_at(begin_line, fmt::format("the document that begins here exceeds {} MiB",
                                                kMaxDocumentBytes >> 20));
      }
      TUTTI_TRY(feed(piece, more));
    }
    return ok_status();
  }

  Status feed(std::string_view piece, bool more) {
    handler().line = line_;
    json::error_code code;
    const std::size_t used = parser_.write_some(more, piece.data(), piece.size(), code);
    if (code) return failure(code);
    position_ += used;
    if (used > 0 && text_[position_ - 1] == '\n') ++line_;
    return ok_status();
  }

  Status failure(const json::error_code& code) {
    if (handler().refusal) return std::move(*handler().refusal);
    if (code == json::error::incomplete) {
      return error_at(line_, "the text ends inside a value: is a bracket or quote not closed?");
    }
    return error_at(line_, fmt::format("not JSON: {}", code.message()));
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t line_end_ = 0;  // just behind the line being read; documents may share a long one
  std::uint32_t line_ = 1;
  json::basic_parser<Handler> parser_;
};

}  // namespace

JsonProgress read_json_prefix(std::string_view text, const DocumentSink& sink) {
  return JsonReader(text).run(sink);
}

Status read_json(std::string_view text, const DocumentSink& sink) {
  return read_json_prefix(text, sink).status;
}

Status read_json_without(SkippedMember skipped, std::string_view text, const DocumentSink& sink) {
  return JsonReader(text, skipped).run(sink).status;
}

}  // namespace tutti::wire
