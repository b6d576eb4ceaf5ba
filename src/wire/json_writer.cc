#include "wire/json_writer.h"

#include <fmt/format.h>

#include <iterator>

namespace tutti::wire {
namespace {

class JsonWriter {
 public:
  explicit JsonWriter(JsonStyle style) : style_(style) {}

  void write(const Value& value, std::size_t depth) {
    switch (value.kind()) {
      case Value::Kind::null:
        out_ += "null";
        break;
      case Value::Kind::boolean:
        out_ += value.as_boolean() ? "true" : "false";
        break;
      case Value::Kind::integer:
        fmt::format_to(std::back_inserter(out_), "{}", value.as_integer());
        break;
      case Value::Kind::number:
        out_ += value.text();
        break;
      case Value::Kind::string:
        append_json_string(out_, value.text());
        break;
      case Value::Kind::array:
        write_array(value, depth);
        break;
      case Value::Kind::object:
        write_object(value, depth);
        break;
    }
  }

  std::string take() && { return std::move(out_); }

 private:
  void write_array(const Value& array, std::size_t depth) {
    std::string_view separator = "";
    out_ += '[';
    for (const Value& item : array.items()) {
      out_ += separator;
      separator = ",";
      new_line(depth + 1);
      write(item, depth + 1);
    }
    if (!array.items().empty()) new_line(depth);
    out_ += ']';
  }

  void write_object(const Value& object, std::size_t depth) {
    std::string_view separator = "";
    out_ += '{';
    for (const Member* member : ordered_members(object, style_.keys)) {
      out_ += separator;
      separator = ",";
      new_line(depth + 1);
      append_json_string(out_, member->key);
      out_ += style_.indent == 0 ? ":" : ": ";
      write(member->value, depth + 1);
    }
    if (!object.members().empty()) new_line(depth);
    out_ += '}';
  }

  void new_line(std::size_t depth) {
    if (style_.indent == 0) return;
    out_ += '\n';
    out_.append(depth * style_.indent, ' ');
  }

  JsonStyle style_;
  std::string out_;
};

// The letter of a two-character escape; 0 if there is none.
char short_escape(char c) {
  switch (c) {
    case '"':
      return '"';
    case '\\':
      return '\\';
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    default:
      return 0;
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (const char letter = short_escape(c); letter != 0) {
      out += {'\\', letter};
    } else if (byte < 0x20) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
    } else {
      out += c;
    }
  }
  out += '"';
}

std::string to_json(const Value& value, JsonStyle style) {
  JsonWriter writer(style);
  writer.write(value, 0);
  return std::move(writer).take();
}

}  // namespace tutti::wire
