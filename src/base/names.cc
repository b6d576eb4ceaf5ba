#include "base/names.h"

#include <fmt/format.h>

#include <algorithm>

namespace tutti {
namespace {

constexpr std::size_t kLabelMax = 63;
constexpr std::size_t kSubdomainMax = 253;

bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_letter_or_digit(char c) { return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z'); }

bool is_dns_label(std::string_view text) {
  return !text.empty() && is_lower_or_digit(text.front()) && is_lower_or_digit(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

bool is_name(std::string_view text) {
  return !text.empty() && is_letter_or_digit(text.front()) && is_letter_or_digit(text.back()) &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
         });
}

NameProblem too_long(std::size_t limit) {
  return fmt::format("must be at most {} characters", limit);
}

NameProblem name_part_problem(std::string_view name) {
  if (name.empty()) return "name part must not be empty";
  if (name.size() > kLabelMax) return "name part " + *too_long(kLabelMax);
  if (!is_name(name)) {
    return "name part must be letters, digits, '-', '_' or '.', and start and end with a letter or "
           "digit";
  }
  return std::nullopt;
}

}  // namespace

NameProblem dns_label_problem(std::string_view text) {
  if (text.empty()) return "must not be empty";
  if (text.size() > kLabelMax) return too_long(kLabelMax);
  if (!is_dns_label(text)) {
    return "must be lower case letters, digits or '-', and start and end with a letter or digit";
  }
  return std::nullopt;
}

NameProblem dns_subdomain_problem(std::string_view text) {
  if (text.empty()) return "must not be empty";
  if (text.size() > kSubdomainMax) return too_long(kSubdomainMax);
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find('.', start), text.size());
    if (!is_dns_label(text.substr(start, end - start))) {
      return "must be lower case letters, digits, '-' or '.', and each part between dots must "
             "start "
             "and end with a letter or digit";
    }
    start = end + 1;
  }
  return std::nullopt;
}

NameProblem label_key_problem(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return name_part_problem(text);
  if (text.find('/', slash + 1) != std::string_view::npos) return "must have at most one '/'";
  if (const auto problem = dns_subdomain_problem(text.substr(0, slash))) {
    return "prefix part " + *problem;
  }
  return name_part_problem(text.substr(slash + 1));
}

NameProblem label_value_problem(std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (text.size() > kLabelMax) return too_long(kLabelMax);
  if (!is_name(text)) {
    return "must be letters, digits, '-', '_' or '.', and start and end with a letter or digit";
  }
  return std::nullopt;
}

}  // namespace tutti
