// The naming rules of the Kubernetes API. Each function answers with nothing when the text is good,
// or with a short sentence that follows the field's name: "must be at most 63 characters".
#pragma once

#include "base/std.h"

namespace tutti {

using NameProblem = std::optional<std::string>;

// RFC 1123 label: lower case letters, digits and '-', at most 63, as for namespaces and services.
NameProblem dns_label_problem(std::string_view text);
// RFC 1123 subdomain: labels joined by '.', at most 253, as for pods and nodes. The parts have no
// length limit of their own, as upstream.
NameProblem dns_subdomain_problem(std::string_view text);
// Key of a label, annotation or extended resource: "name" or "prefix/name", the prefix a subdomain.
NameProblem label_key_problem(std::string_view text);
// Empty, or the same letters as a key's name.
NameProblem label_value_problem(std::string_view text);

}  // namespace tutti
