#include "cel/value/semver.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/ascii.h"
#include "base/text.h"

namespace tutti::cel {
namespace {

bool is_identifier_character(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

bool all_digits(std::string_view text) { return std::all_of(text.begin(), text.end(), is_digit); }

// The part before `separator`, taken off the text together with it.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

std::optional<std::uint64_t> number(std::string_view text) {
  if (text.empty() || !all_digits(text) || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

enum class LeadingZeros { allowed, forbidden };

// Identifiers separated by dots; a numeric one of a pre-release has no leading zero.
bool are_identifiers(std::string_view text, LeadingZeros zeros) {
  while (true) {
    const std::size_t end = std::min(text.find('.'), text.size());
    const std::string_view part = text.substr(0, end);
    if (part.empty() || !std::all_of(part.begin(), part.end(), is_identifier_character)) {
      return false;
    }
    if (zeros == LeadingZeros::forbidden && part.size() > 1 && part[0] == '0' && all_digits(part)) {
      return false;
    }
    if (end == text.size()) return true;
    text.remove_prefix(end + 1);
  }
}

std::strong_ordering compare_numeric(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return a.size() <=> b.size();
  return a.compare(b) <=> 0;
}

std::strong_ordering compare_identifiers(std::string_view a, std::string_view b) {
  const bool a_number = all_digits(a);
  const bool b_number = all_digits(b);
  if (a_number && b_number) return compare_numeric(a, b);
  if (a_number != b_number) return b_number <=> a_number;  // numbers come first
  return a.compare(b) <=> 0;
}

std::strong_ordering compare_prereleases(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.empty() <=> b.empty();
  while (!a.empty() && !b.empty()) {
    const auto order = compare_identifiers(take_until(a, '.'), take_until(b, '.'));
    if (order != 0) return order;
  }
  return b.empty() <=> a.empty();
}

Error malformed(std::string_view text) {
  return {Error::Code::malformed, fmt::format("'{}' is not a semantic version", brief_line(text))};
}

std::string without_leading_zeros(std::string_view digits) {
  const std::size_t first = digits.find_first_not_of('0');
  if (first == std::string_view::npos) return digits.empty() ? "" : "0";
  return std::string(digits.substr(first));
}

}  // namespace

Result<Semver> Semver::parse(std::string_view text) {
  std::string_view rest = text;
  const std::size_t build = rest.find('+');
  if (build != std::string_view::npos) {
    if (!are_identifiers(rest.substr(build + 1), LeadingZeros::allowed)) return malformed(text);
    rest = rest.substr(0, build);
  }
  Semver version;
  const std::size_t dash = rest.find('-');
  if (dash != std::string_view::npos) {
    version.prerelease_ = rest.substr(dash + 1);
    if (!are_identifiers(version.prerelease_, LeadingZeros::forbidden)) return malformed(text);
    rest = rest.substr(0, dash);
  }
  if (std::count(rest.begin(), rest.end(), '.') != 2) return malformed(text);
  const auto major = number(take_until(rest, '.'));
  const auto minor = number(take_until(rest, '.'));
  const auto patch = number(rest);
  if (!major || !minor || !patch) return malformed(text);
  version.major_ = *major;
  version.minor_ = *minor;
  version.patch_ = *patch;
  return version;
}

Result<Semver> Semver::parse_normalized(std::string_view text) {
  std::string_view rest = text;
  if (rest.starts_with('v')) rest.remove_prefix(1);
  const std::size_t end = std::min(rest.find_first_of("-+"), rest.size());
  std::string_view core = rest.substr(0, end);
  const std::string_view suffix = rest.substr(end);
  std::string normal;
  const auto parts = 1 + std::count(core.begin(), core.end(), '.');
  for (long i = 0; i < parts; ++i) {
    if (i > 0) normal += '.';
    normal += without_leading_zeros(take_until(core, '.'));
  }
  for (long i = parts; i < 3; ++i) normal += ".0";
  normal += suffix;
  auto version = parse(normal);
  if (!version.ok()) return malformed(text);
  return version;
}

std::string Semver::text() const {
  return fmt::format("{}.{}.{}{}{}", major_, minor_, patch_, prerelease_.empty() ? "" : "-",
                     prerelease_);
}

std::strong_ordering operator<=>(const Semver& a, const Semver& b) {
  if (const auto order = a.major_ <=> b.major_; order != 0) return order;
  if (const auto order = a.minor_ <=> b.minor_; order != 0) return order;
  if (const auto order = a.patch_ <=> b.patch_; order != 0) return order;
  return compare_prereleases(a.prerelease_, b.prerelease_);
}

}  // namespace tutti::cel
