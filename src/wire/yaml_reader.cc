// A pump from libyaml's events to a TreeBuilder. libyaml keeps its state on the heap and pulls the
// text in small pieces, so depth and size are bounded here, before memory is spent.
#include "wire/yaml_reader.h"

#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "wire/plain_scalar.h"
#include "wire/tree_builder.h"
#include "wire/yaml_errors.h"

namespace tutti::wire {
namespace {

struct Event {
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { yaml_event_delete(&raw); }

  yaml_event_t raw{};
};

std::string_view view(const yaml_char_t* text) {
  return text == nullptr ? std::string_view{} : reinterpret_cast<const char*>(text);
}

struct Extent {
  std::size_t bytes = sizeof(Value);
  std::size_t depth = 0;
};

// Memory of a tree and its levels of nesting.
Extent measure(const Value& value) {
  Extent all;
  const auto include = [&all](const Value& child) {
    const Extent inner = measure(child);
    all.bytes += inner.bytes;
    all.depth = std::max(all.depth, inner.depth);
  };
  if (value.is_string() || value.is_number()) all.bytes += value.text().size();
  if (value.is_array()) {
    for (const Value& item : value.items()) include(item);
    ++all.depth;
  }
  if (value.is_object()) {
    for (const Member& member : value.members()) {
      all.bytes += sizeof(Member) - sizeof(Value) + member.key.size();
      include(member.value);
    }
    ++all.depth;
  }
  return all;
}

bool kind_fits_tag(PlainScalar::Kind kind, std::string_view tag) {
  if (tag == YAML_NULL_TAG) return kind == PlainScalar::Kind::null;
  if (tag == YAML_BOOL_TAG) return kind == PlainScalar::Kind::boolean;
  return kind == PlainScalar::Kind::integer || kind == PlainScalar::Kind::number;
}

// Tags whose scalars are read by content; all others, also unknown ones, are strings.
bool tag_asks_content(std::string_view tag) {
  return tag == YAML_NULL_TAG || tag == YAML_BOOL_TAG || tag == YAML_INT_TAG ||
         tag == YAML_FLOAT_TAG;
}

constexpr std::string_view kBinaryTag = "tag:yaml.org,2002:binary";
constexpr std::string_view kMergeTag = "tag:yaml.org,2002:merge";

class YamlReader {
 public:
  YamlReader(std::string_view text, const DocumentSink& sink, std::uint32_t first_line)
      : text_(text), sink_(sink), first_line_(first_line) {
    TUTTI_CHECK(yaml_parser_initialize(&parser_) == 1, "out of memory");
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input(&parser_, &YamlReader::feed, this);
  }
  YamlReader(const YamlReader&) = delete;
  YamlReader& operator=(const YamlReader&) = delete;
  ~YamlReader() { yaml_parser_delete(&parser_); }

  Status run() {
    for (;;) {
      Event event;
      if (yaml_parser_parse(&parser_, &event.raw) == 0) return failure();
      if (event.raw.type == YAML_STREAM_END_EVENT) return ok_status();
      TUTTI_TRY(take(event.raw));
    }
  }

 private:
  struct OpenAnchor {
    std::string name;
    std::size_t depth;
  };

  // libyaml's read handler. Refuses to read on when the document is too large.
  static int feed(void* self, unsigned char* buffer, std::size_t size, std::size_t* size_read) {
    auto& reader = *static_cast<YamlReader*>(self);
    if (reader.read_ - reader.document_begin_ > kMaxDocumentBytes) {
      reader.too_large_ = true;
      return 0;
    }
    *size_read = reader.text_.copy(reinterpret_cast<char*>(buffer), size, reader.read_);
    reader.read_ += *size_read;
    return 1;
  }

  Status failure() {
    if (!too_large_) return explain_yaml_failure(parser_, text_, first_line_);
    return error_at(document_line_, fmt::format("the document that begins here exceeds {} MiB",
                                                kMaxDocumentBytes >> 20));
  }

  std::uint32_t line_of(const yaml_event_t& event) const {
    return first_line_ + static_cast<std::uint32_t>(event.start_mark.line);
  }

  Status take(const yaml_event_t& event) {
    switch (event.type) {
      case YAML_DOCUMENT_START_EVENT:
        document_begin_ = read_;
        document_line_ = line_of(event);
        return ok_status();
      case YAML_DOCUMENT_END_EVENT:
        return deliver();
      case YAML_SCALAR_EVENT:
        return scalar(event);
      case YAML_ALIAS_EVENT:
        return alias(event);
      case YAML_SEQUENCE_START_EVENT:
        return open(event, view(event.data.sequence_start.anchor));
      case YAML_MAPPING_START_EVENT:
        return open(event, view(event.data.mapping_start.anchor));
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        return close(event);
      default:
        return ok_status();
    }
  }

  Status deliver() {
    anchors_.clear();
    alias_bytes_ = 0;
    Document document = builder_.take();
    if (document.root().is_null()) return ok_status();
    return sink_(std::move(document));
  }

  Status open(const yaml_event_t& event, std::string_view anchor) {
    const std::uint32_t line = line_of(event);
    if (builder_.awaits_key()) {
      return error_at(line, "a mapping key must be a scalar, not a list or a mapping");
    }
    const bool is_array = event.type == YAML_SEQUENCE_START_EVENT;
    TUTTI_TRY(is_array ? builder_.open_array(line) : builder_.open_object(line));
    if (!anchor.empty()) open_anchors_.push_back({std::string(anchor), builder_.depth()});
    return ok_status();
  }

  Status close(const yaml_event_t& event) {
    const std::size_t depth = builder_.depth();
    TUTTI_TRY(builder_.close());
    if (open_anchors_.empty() || open_anchors_.back().depth != depth) return ok_status();
    const std::string name = std::move(open_anchors_.back().name);
    open_anchors_.pop_back();
    return define(name, builder_.last(), line_of(event));
  }

  Status scalar(const yaml_event_t& event) {
    const std::uint32_t line = line_of(event);
    const std::string_view anchor = view(event.data.scalar.anchor);
    if (builder_.awaits_key() && is_merge_key(event)) {
      builder_.merge_key(line);
      return ok_status();
    }
    TUTTI_ASSIGN(Value value, scalar_value(event));
    if (!anchor.empty()) TUTTI_TRY(define(std::string(anchor), value, line));
    return place(std::move(value), line);
  }

  static bool is_merge_key(const yaml_event_t& event) {
    const auto& data = event.data.scalar;
    return view(data.value) == "<<" && (data.plain_implicit != 0 || view(data.tag) == kMergeTag);
  }

  Result<Value> scalar_value(const yaml_event_t& event) {
    const auto& data = event.data.scalar;
    const std::string_view text{reinterpret_cast<const char*>(data.value), data.length};
    const std::string_view tag = view(data.tag);
    const std::uint32_t line = line_of(event);
    if (tag == kBinaryTag) return error_at(line, "!!binary is not supported");
    const bool by_content =
        tag.empty() ? data.style == YAML_PLAIN_SCALAR_STYLE : tag_asks_content(tag);
    if (!by_content) return Value::string(builder_.arena(), text).at_line(line);

    const PlainScalar plain = resolve_plain(text);
    if (!tag.empty() && !kind_fits_tag(plain.kind, tag)) {
      return error_at(line, fmt::format("\"{}\" does not fit its tag !!{}", text,
                                        tag.substr(tag.rfind(':') + 1)));
    }
    return plain_value(plain, text, line);
  }

  Result<Value> plain_value(const PlainScalar& plain, std::string_view text, std::uint32_t line) {
    switch (plain.kind) {
      case PlainScalar::Kind::null:
        return Value().at_line(line);
      case PlainScalar::Kind::boolean:
        return Value::boolean(plain.boolean).at_line(line);
      case PlainScalar::Kind::integer:
        return Value::integer(plain.integer).at_line(line);
      case PlainScalar::Kind::number:
        return Value::number(builder_.arena(), plain.number).at_line(line);
      case PlainScalar::Kind::not_finite:
        return error_at(line, fmt::format("{} has no JSON form; quote it if it is text", text));
      case PlainScalar::Kind::string:
        break;
    }
    return Value::string(builder_.arena(), text).at_line(line);
  }

  // Adds a value where the tree grows: as the next key or as the next value.
  Status place(Value value, std::uint32_t line) {
    if (!builder_.awaits_key()) {
      builder_.add(std::move(value));
      return ok_status();
    }
    switch (value.kind()) {
      case Value::Kind::string:
      case Value::Kind::number:
        builder_.key(value.text(), line);
        return ok_status();
      case Value::Kind::integer:
        builder_.key(std::to_string(value.as_integer()), line);
        return ok_status();
      case Value::Kind::boolean:
        builder_.key(value.as_boolean() ? "true" : "false", line);
        return ok_status();
      default:
        return error_at(line, fmt::format("a mapping key must not be {}", describe(value.kind())));
    }
  }

  Status define(const std::string& name, const Value& value, std::uint32_t line) {
    TUTTI_TRY(charge(measure(value).bytes, line));
    anchors_[name] = value.clone(builder_.arena());
    return ok_status();
  }

  Status alias(const yaml_event_t& event) {
    const std::string name(view(event.data.alias.anchor));
    const std::uint32_t line = line_of(event);
    // An open anchor hides a finished one of the same name, as it was defined later.
    const auto open = std::ranges::find(open_anchors_, name, &OpenAnchor::name);
    if (open != open_anchors_.end()) {
      return error_at(line, fmt::format("alias *{} stands inside the value it names", name));
    }
    const auto found = anchors_.find(name);
    if (found == anchors_.end()) {
      return error_at(line, fmt::format("alias *{} names no anchor before it", name));
    }
    const Extent extent = measure(found->second);
    TUTTI_TRY(charge(extent.bytes, line));
    if (builder_.depth() + extent.depth > kMaxDepth) {
      return error_at(line,
                      fmt::format("nested deeper than {} levels by alias *{}", kMaxDepth, name));
    }
    return place(found->second.clone(builder_.arena()), line);
  }

  Status charge(std::size_t bytes, std::uint32_t line) {
    alias_bytes_ += bytes;
    if (alias_bytes_ <= kMaxAliasBytes) return ok_status();
    return error_at(line, fmt::format("the document's aliases expand to more than {} MiB",
                                      kMaxAliasBytes >> 20));
  }

  std::string_view text_;
  const DocumentSink& sink_;
  std::uint32_t first_line_;

  yaml_parser_t parser_{};
  std::size_t read_ = 0;            // bytes libyaml has taken, a buffer ahead of the events
  std::size_t document_begin_ = 0;  // read_ when the document began
  std::uint32_t document_line_ = 1;
  bool too_large_ = false;

  TreeBuilder builder_;
  std::unordered_map<std::string, Value> anchors_;
  std::vector<OpenAnchor> open_anchors_;
  std::size_t alias_bytes_ = 0;
};

}  // namespace

Status read_yaml(std::string_view text, const DocumentSink& sink, std::uint32_t first_line) {
  return YamlReader(text, sink, first_line).run();
}

}  // namespace tutti::wire
