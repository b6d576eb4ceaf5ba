#include "wire/reader.h"

#include <utility>

#include "wire/json_reader.h"
#include "wire/yaml_reader.h"

namespace tutti::wire {

Status read_documents(std::string_view text, const DocumentSink& sink) {
  // Some editors begin UTF-8 files with a byte order mark; it is no part of the text.
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return ok_status();
  if (text[first] != '{' && text[first] != '[') return read_yaml(text, sink);

  JsonProgress json = read_json_prefix(text, sink);
  if (json.status.ok() || json.sink_failed) return std::move(json.status);
  const std::string_view rest = text.substr(json.rest);
  const bool may_be_yaml = json.documents == 0 || rest.starts_with("---") || rest.starts_with("#");
  if (!may_be_yaml) return std::move(json.status);
  return read_yaml(rest, sink, json.rest_line);
}

}  // namespace tutti::wire
