#include "wire/yaml_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "wire/tree_builder.h"

namespace tutti::wire {
namespace {

struct Hint {
  std::string_view problem;
  std::string_view advice;
};

constexpr auto kHints = std::to_array<Hint>({
    {"mapping values are not allowed in this context",
     "check the indentation, and quote a value that contains \": \""},
    {"could not find expected ':'", "is a colon missing, or a quote not closed?"},
    {"did not find expected key", "check the indentation"},
    {"did not find expected '-' indicator", "check the indentation of the list"},
    {"block sequence entries are not allowed in this context",
     "a list begins on the line after its key"},
    {"found unexpected end of stream", "is a quote not closed?"},
    {"found character that cannot start any token", "quote a value that begins with @ or `"},
});

std::string_view advice_for(std::string_view problem) {
  const auto hint = std::ranges::find(kHints, problem, &Hint::problem);
  return hint == kHints.end() ? std::string_view{} : hint->advice;
}

std::string_view line_at(std::string_view text, std::size_t index) {
  for (; index > 0; --index) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

bool indented_with_tab(std::string_view line) {
  const std::string_view indent = line.substr(0, line.find_first_not_of(" \t"));
  return indent.find('\t') != std::string_view::npos;
}

Error explain_bytes(const yaml_parser_t& parser, std::string_view text, std::uint32_t first_line) {
  const std::string_view before = text.substr(0, parser.problem_offset);
  const auto line = first_line + static_cast<std::uint32_t>(std::ranges::count(before, '\n'));
  const std::string_view problem = parser.problem;
  if (problem.starts_with("control characters")) {
    return error_at(line, fmt::format("control character U+{:04X} is not allowed; write it as an "
                                      "escape in double quotes",
                                      parser.problem_value));
  }
  return error_at(line, fmt::format("not UTF-8 ({})", problem));
}

}  // namespace

Error explain_yaml_failure(const yaml_parser_t& parser, std::string_view text,
                           std::uint32_t first_line) {
  if (parser.error == YAML_MEMORY_ERROR) return error_at(first_line, "out of memory");
  if (parser.error == YAML_READER_ERROR) return explain_bytes(parser, text, first_line);
  const std::size_t index = parser.problem_mark.line;
  const auto line = first_line + static_cast<std::uint32_t>(index);
  if (indented_with_tab(line_at(text, index))) {
    return error_at(line, "a tab is used for indentation; YAML indents with spaces only");
  }
  std::string what = parser.problem;
  if (parser.context != nullptr) {
    const std::size_t context_line = parser.context_mark.line + first_line;
    what += fmt::format(" {}", parser.context);
    if (context_line != line) what += fmt::format(" that begins on line {}", context_line);
  }
  if (const auto advice = advice_for(parser.problem); !advice.empty()) {
    what += fmt::format("; {}", advice);
  }
  return error_at(line, what);
}

}  // namespace tutti::wire
