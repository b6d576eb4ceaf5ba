#include "admission/checks/selector_rules.h"

#include "admission/checks/checks.h"
#include "expr/label_selector_rules.h"

namespace tutti::admission {
namespace {

using expr::operator_name;
using model::Requirement;
using Operator = model::Requirement::Operator;

bool compares_numbers(Operator op) { return op == Operator::gt || op == Operator::lt; }

void check_single_integer(const Requirement& requirement, const Path& path, Findings& findings) {
  if (requirement.values.size() == 1) {
    check_integer(requirement.values.front(), path.item("values", 0), findings);
  } else {
    findings.add(path.field("values"), "must have exactly one entry with operator {}, has {}",
                 operator_name(requirement.op), requirement.values.size());
  }
}

void check_value_count(const Requirement& requirement, const Path& path, Findings& findings) {
  const std::size_t count = requirement.values.size();
  switch (requirement.op) {
    case Operator::in:
    case Operator::not_in:
      if (count == 0) {
        findings.add(path.field("values"), "must have at least one entry with operator {}, has 0",
                     operator_name(requirement.op));
      }
      return;
    case Operator::exists:
    case Operator::does_not_exist:
      if (count > 0) {
        findings.add(path.field("values"), "must be empty with operator {}, has {}",
                     operator_name(requirement.op), count);
      }
      return;
    case Operator::gt:
    case Operator::lt:
      check_single_integer(requirement, path, findings);
      return;
  }
}

void check_values(const Requirement& requirement, const Path& path, Findings& findings) {
  check_value_count(requirement, path, findings);
  if (compares_numbers(requirement.op)) return;
  for (std::size_t i = 0; i < requirement.values.size(); ++i) {
    check_label_value(requirement.values[i], path.item("values", i), findings);
  }
}

void check_label_requirement(const Requirement& requirement, const Path& path, Findings& findings) {
  check_qualified_name(requirement.key, path.field("key"), findings);
  if (compares_numbers(requirement.op)) {
    findings.add(path.field("operator"), "must be one of In, NotIn, Exists, DoesNotExist, is '{}'",
                 operator_name(requirement.op));
    return;
  }
  check_values(requirement, path, findings);
}

void check_field_requirement(const Requirement& requirement, const Path& path, Findings& findings) {
  check_one_of(requirement.key, {"metadata.name"}, path.field("key"), findings);
  if (requirement.op != Operator::in && requirement.op != Operator::not_in) {
    findings.add(path.field("operator"), "must be one of In, NotIn for a field, is '{}'",
                 operator_name(requirement.op));
  }
  if (requirement.values.size() != 1) {
    findings.add(path.field("values"), "must have exactly one entry for a field, has {}",
                 requirement.values.size());
    return;
  }
  check_dns_subdomain(requirement.values.front(), path.item("values", 0), findings);
}

}  // namespace

void check_selector(const model::LabelSelector& selector, const Path& path, Findings& findings) {
  check_labels(selector.match_labels, "matchLabels", path, findings);
  for (std::size_t i = 0; i < selector.match_expressions.size(); ++i) {
    check_label_requirement(selector.match_expressions[i], path.item("matchExpressions", i),
                            findings);
  }
}

void check_selector(const std::optional<model::LabelSelector>& selector, const Path& path,
                    Findings& findings) {
  if (selector) check_selector(*selector, path, findings);
}

void check_node_term(const model::NodeSelectorTerm& term, const Path& path, Findings& findings) {
  for (std::size_t i = 0; i < term.match_expressions.size(); ++i) {
    const Path place = path.item("matchExpressions", i);
    check_qualified_name(term.match_expressions[i].key, place.field("key"), findings);
    check_values(term.match_expressions[i], place, findings);
  }
  for (std::size_t i = 0; i < term.match_fields.size(); ++i) {
    check_field_requirement(term.match_fields[i], path.item("matchFields", i), findings);
  }
}

void check_node_terms(const std::vector<model::NodeSelectorTerm>& terms, std::string_view list,
                      const Path& path, Findings& findings) {
  if (terms.empty()) findings.add(path.field(list), "must have at least one term, has 0");
  for (std::size_t i = 0; i < terms.size(); ++i) {
    check_node_term(terms[i], path.item(list, i), findings);
  }
}

}  // namespace tutti::admission
