#include "session/manifests/list_writer.h"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>

#include "wire/json_writer.h"
#include "wire/yaml_writer.h"

namespace tutti::session {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 20;

// Appends `text` with `indent` before every line but the first. Line ends inside JSON strings are
// escaped and those inside YAML block scalars move with their block, so the meaning stays.
void append_indented(std::string& out, std::string_view text, std::string_view indent) {
  while (true) {
    const std::size_t end = text.find('\n');
    out.append(text.substr(0, end));
    if (end == std::string_view::npos) return;
    out += '\n';
    text.remove_prefix(end + 1);
    if (text.empty()) return;
    if (text.front() != '\n') out.append(indent);
  }
}

}  // namespace

ListWriter::ListWriter(Format format, std::ostream& out, std::optional<Instant> taken_at)
    : json_(format == Format::json), taken_at_(taken_at), out_(out) {
  buffer_ = json_ ? "{\n    \"apiVersion\": \"v1\",\n    \"items\": [" : "apiVersion: v1\nitems:";
}

void ListWriter::add(const wire::Value& object) {
  if (json_) {
    buffer_ += empty_ ? "\n        " : ",\n        ";
    append_indented(buffer_, wire::to_json(object, wire::kKubectlJson), "        ");
  } else {
    buffer_ += empty_ ? "\n- " : "- ";
    append_indented(buffer_, wire::to_yaml(object, wire::KeyOrder::sorted), "  ");
  }
  empty_ = false;
  if (buffer_.size() > kFlushBytes) flush();
}

void ListWriter::finish() {
  if (json_) {
    buffer_ += empty_ ? "]" : "\n    ]";
    buffer_ += ",\n    \"kind\": \"List\",\n    \"metadata\": {\n";
    if (taken_at_) {
      buffer_ +=
          fmt::format("        \"annotations\": {{\n            \"{}\": \"{}\"\n        }},\n",
                      kTakenAt, format_rfc3339(*taken_at_));
    }
    buffer_ += "        \"resourceVersion\": \"\"\n    }\n}\n";
  } else {
    buffer_ += empty_ ? " []\n" : "";
    buffer_ += "kind: List\nmetadata:\n";
    if (taken_at_) {
      buffer_ +=
          fmt::format("  annotations:\n    {}: \"{}\"\n", kTakenAt, format_rfc3339(*taken_at_));
    }
    buffer_ += "  resourceVersion: \"\"\n";
  }
  flush();
}

void ListWriter::flush() {
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
}

}  // namespace tutti::session
