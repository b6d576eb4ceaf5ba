// Words for people: amounts, counted reasons, and a whole verdict as an aligned page.
#pragma once

#include <functional>

#include "base/std.h"
#include "explain/verdict/verdict.h"

namespace tutti::explain {

// An amount as the cluster counts it (milli for cpu, whole units for the rest) as quantity text:
// "1500m", "32Gi", "8".
std::string amount_text(std::string_view resource, std::int64_t amount);
// "1 pod", "4 pods".
std::string counted(std::size_t count, std::string_view noun);
// "a, b, c and 5 more": the first few of many names.
std::string first_of(const std::vector<std::string>& names, std::string_view separator = ", ");
// Writes such a list where `names` are only the first of `total`.
std::string first_of(const std::vector<std::string>& names, std::size_t total,
                     std::string_view separator);
// "3 of 5 nodes had untolerated taint {x: y}", "3 of 5 nodes: Insufficient cpu".
std::string reason_text(std::size_t count, std::size_t nodes, std::string_view reason);

// "3 had untolerated taint {x: y}", "3: Insufficient cpu".
std::string brief_reason_text(std::size_t count, std::string_view reason);

// The verdict as a page of lines, each ended by a line feed. No colour, and no control characters:
// some of what a verdict quotes is free text in the input.
// `commands` says with what a way can be carried out, a line each; none: nothing does.
using CommandsOf = std::function<std::vector<std::string>(const Way&)>;
std::string render_text(const Verdict& verdict, const CommandsOf& commands = {});

}  // namespace tutti::explain
