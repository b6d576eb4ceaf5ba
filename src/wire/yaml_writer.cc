#include "wire/yaml_writer.h"

#include <cstddef>
#include <string_view>

#include "wire/json_writer.h"
#include "wire/yaml_text.h"

namespace tutti::wire {
namespace {

constexpr std::size_t kStep = 2;

// YAML finds the colon of a plain `key: value` within 1024 characters; beyond, `? key` is needed.
constexpr std::size_t kLongestSimpleKey = 1000;

bool has_lines(const Value& value) {
  return (value.is_array() && !value.items().empty()) ||
         (value.is_object() && !value.members().empty());
}

class YamlWriter {
 public:
  explicit YamlWriter(KeyOrder keys) : keys_(keys) {}

  void write_root(const Value& value) { write_after_indicator(value, 0, 0); }

  std::string take() && { return std::move(out_); }

 private:
  // A non-empty container. The first line's indentation is already there.
  void write_lines(const Value& value, std::size_t indent) {
    bool first = true;
    const auto begin_line = [&] {
      if (!first) out_.append(indent, ' ');
      first = false;
    };
    if (value.is_array()) {
      for (const Value& item : value.items()) {
        begin_line();
        out_ += "- ";
        write_after_indicator(item, indent, indent + kStep);
      }
      return;
    }
    for (const Member* member : ordered_members(value, keys_)) {
      begin_line();
      write_key(member->key, indent);
      write_after_key(member->value, indent);
    }
  }

  // At the root or after "- ": a container begins on this very line, in column `inner`.
  void write_after_indicator(const Value& value, std::size_t indent, std::size_t inner) {
    if (has_lines(value)) {
      write_lines(value, inner);
    } else {
      write_leaf(value, indent);
    }
  }

  void write_after_key(const Value& value, std::size_t indent) {
    if (!has_lines(value)) {
      out_ += ' ';
      write_leaf(value, indent);
      return;
    }
    const std::size_t inner = value.is_array() ? indent : indent + kStep;
    out_ += '\n';
    out_.append(inner, ' ');
    write_lines(value, inner);
  }

  void write_key(std::string_view key, std::size_t indent) {
    const std::size_t before = out_.size();
    append_yaml_string(out_, key);
    if (out_.size() - before > kLongestSimpleKey) {
      out_.insert(before, "? ");
      out_ += '\n';
      out_.append(indent, ' ');
    }
    out_ += ':';
  }

  // A scalar or an empty container, and the end of its line. `indent` is that of the parent.
  void write_leaf(const Value& value, std::size_t indent) {
    if (value.is_string() && fits_literal_block(value.text())) {
      append_literal_block(out_, value.text(), indent + kStep, kStep);
      return;
    }
    if (value.is_string()) {
      append_yaml_string(out_, value.text());
    } else {
      out_ += to_json(value);  // all else is spelled as in JSON
    }
    out_ += '\n';
  }

  KeyOrder keys_;
  std::string out_;
};

}  // namespace

std::string to_yaml(const Value& value, KeyOrder keys) {
  YamlWriter writer(keys);
  writer.write_root(value);
  return std::move(writer).take();
}

}  // namespace tutti::wire
