// Finding: one thing that is wrong, or worth knowing, about a cluster's configuration.
#pragma once

#include "base/std.h"
#include "explain/verdict/verdict.h"

namespace tutti::doctor {

// Worst first. An error: something will not work; a warning: it will surprise somebody; an info:
// good to know.
enum class Severity : std::uint8_t { error, warning, info };
std::string_view word(Severity severity);
std::optional<Severity> severity_of(std::string_view word);

struct Finding {
  std::string code;  // stable, for machines: "queue-missing"
  Severity severity = Severity::info;
  explain::ObjectName object;
  std::string field;    // path in the object, "spec.cohortName"; empty: all of it
  std::string summary;  // what is wrong, and why it matters, in one sentence with numbers
  std::string fix;      // a command to paste, or what to do; empty: nobody can say
};

// Puts the worst first, then by code and object.
void sort(std::vector<Finding>& findings);
// How many there are of a severity.
std::size_t count(std::span<const Finding> findings, Severity severity);

// Writes the fields of the product's JSON form: `findings`, and how many there are of each
// severity.
void walk(std::span<const Finding> findings, explain::FieldSink& sink);

}  // namespace tutti::doctor
