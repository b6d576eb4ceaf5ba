#include "session/manifests/field_lines.h"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <utility>

#include "session/manifests/file_text.h"
#include "wire/decode/decode.h"
#include "wire/reader.h"

namespace tutti::session {
namespace {

// One step into a tree: null when there is no such member or item. Tells the line of what it found.
const wire::Value* step(const wire::Value& from, std::string_view word, std::uint32_t& line) {
  if (from.is_object()) {
    const auto member = std::ranges::find(from.members(), word, &wire::Member::key);
    if (member == from.members().end()) return nullptr;
    line = member->line;
    return &member->value;
  }
  if (!from.is_array()) return nullptr;
  std::size_t index = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), index);
  if (problem != std::errc{} || index >= from.items().size()) return nullptr;
  line = from.items()[index].line();
  return &from.items()[index];
}

// Takes "spec" off "spec.containers[0]", "containers" off "containers[0]", "0" off "[0].image".
std::string_view take_word(std::string_view& path) {
  const bool bracket = path.starts_with('[');
  if (bracket || path.starts_with('.')) path.remove_prefix(1);
  const std::size_t end = bracket ? path.find(']') : path.find_first_of(".[");
  const std::string_view word = path.substr(0, end);
  path.remove_prefix(std::min(path.size(), word.size() + (bracket ? 1 : 0)));
  return word;
}

std::uint32_t line_within(const wire::Value& object, std::string_view path) {
  std::uint32_t line = object.line();
  const wire::Value* at = &object;
  while (at != nullptr && !path.empty()) at = step(*at, take_word(path), line);
  return line;
}

}  // namespace

const FieldLines::File& FieldLines::file(const std::string& name) {
  const auto [entry, first] = files_.try_emplace(name);
  File& file = entry->second;
  std::istringstream nothing;
  const Result<std::string> text = first ? read_input(name, nothing) : std::string{};
  if (!first || !text.ok()) return file;
  // The file was read before; should it have changed since, what can still be found is good enough.
  (void)wire::read_documents(*text, [&](wire::Document&& document) -> Status {
    file.documents.push_back(std::move(document));
    return wire::for_each_object(file.documents.back(), [&](const wire::Value& item) -> Status {
      file.objects.emplace(item.line(), &item);
      return ok_status();
    });
  });
  return file;
}

int FieldLines::operator()(const sim::LoadedObject& source, std::string_view path) {
  const File& read = file(source.file);
  const auto object = read.objects.find(static_cast<std::uint32_t>(source.line));
  if (object == read.objects.end()) return source.line;
  const std::uint32_t line = line_within(*object->second, path);
  return line == 0 ? source.line : static_cast<int>(line);
}

}  // namespace tutti::session
