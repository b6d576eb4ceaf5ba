#include "admission/checks/checks.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/names.h"
#include "expr/integer.h"

namespace tutti::admission {
namespace {

bool is_whole(const Quantity& amount) { return Quantity::from_units(amount.units()) == amount; }

bool is_path_segment(std::string_view text) {
  return text != "." && text != ".." && text.find_first_of("/%") == std::string_view::npos;
}

void check_name(NameProblem (*rule)(std::string_view), std::string_view value, const Path& path,
                Findings& findings) {
  if (value.empty()) {
    findings.add(path, "is required");
  } else if (const NameProblem problem = rule(value)) {
    findings.add(path, "{}, is '{}'", *problem, value);
  }
}

}  // namespace

void check_dns_label(std::string_view value, const Path& path, Findings& findings) {
  check_name(dns_label_problem, value, path, findings);
}

void check_dns_subdomain(std::string_view value, const Path& path, Findings& findings) {
  check_name(dns_subdomain_problem, value, path, findings);
}

void check_optional_name(std::string_view value, const Path& path, Findings& findings) {
  if (!value.empty()) check_dns_subdomain(value, path, findings);
}

void check_qualified_name(std::string_view value, const Path& path, Findings& findings) {
  check_name(label_key_problem, value, path, findings);
}

void check_path_segment(std::string_view value, const Path& path, Findings& findings) {
  if (value.empty()) {
    findings.add(path, "is required");
  } else if (!is_path_segment(value)) {
    findings.add(path, "must not contain '/' or '%' nor be '.' or '..', is '{}'", value);
  }
}

void check_label_value(std::string_view value, const Path& path, Findings& findings) {
  if (const NameProblem problem = label_value_problem(value)) {
    findings.add(path, "{}, is '{}'", *problem, value);
  }
}

void check_labels(const model::Labels& labels, std::string_view map, const Path& path,
                  Findings& findings) {
  for (const auto& [key, value] : labels) {
    check_qualified_name(key, path.entry(map, key), findings);
    check_label_value(value, path.entry(map, key), findings);
  }
}

void check_at_least(std::int64_t value, std::int64_t minimum, const Path& path,
                    Findings& findings) {
  if (value < minimum) findings.add(path, "must be at least {}, is {}", minimum, value);
}

void check_between(std::int64_t value, std::int64_t minimum, std::int64_t maximum, const Path& path,
                   Findings& findings) {
  if (value >= minimum && value <= maximum) return;
  findings.add(path, "must be between {} and {}, is {}", minimum, maximum, value);
}

void check_one_of(std::string_view value, std::initializer_list<std::string_view> allowed,
                  const Path& path, Findings& findings) {
  if (std::ranges::find(allowed, value) != allowed.end()) return;
  findings.add(path, "must be one of {}, is '{}'", fmt::join(allowed, ", "), value);
}

void check_at_most_items(std::size_t count, std::size_t maximum, const Path& path,
                         Findings& findings) {
  if (count > maximum) findings.add(path, "must have at most {} entries, has {}", maximum, count);
}

void check_integer(std::string_view value, const Path& path, Findings& findings) {
  if (expr::parse_int64(value)) return;
  findings.add(path, "must be an integer of 64 bits, is '{}'", value);
}

bool is_extended_resource(std::string_view name) {
  return name.find('/') != std::string_view::npos &&
         name.find("kubernetes.io/") == std::string_view::npos;
}

void check_amounts(const model::ResourceList& amounts, std::string_view map, const Path& path,
                   Findings& findings) {
  for (const auto& [name, amount] : amounts) {
    const Path place = path.entry(map, name);
    check_qualified_name(name, place, findings);
    if (amount.negative()) {
      findings.add(place, "must be at least 0, is {}", amount.text());
    } else if (is_extended_resource(name) && !is_whole(amount)) {
      findings.add(place, "must be a whole number, is {}", amount.text());
    }
  }
}

void Unique::see(std::string value, const Path& path, Findings& findings) {
  const auto [at, is_new] = seen_.insert(std::move(value));
  if (!is_new) findings.add(path, "must be unique, '{}' occurs more than once", *at);
}

}  // namespace tutti::admission
