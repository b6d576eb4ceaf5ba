#include "cli/output/plan_text.h"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <ostream>

#include "base/text.h"
#include "explain/document/verdict_value.h"
#include "explain/verdict/text.h"
#include "session/run_forecast.h"
#include "terminal/table.h"
#include "wire/json_writer.h"
#include "wire/yaml_writer.h"

namespace tutti::cli {
namespace {

using Runs = session::PlanAnswer::Runs;
using wire::Value;

// Nodes that a line names.
constexpr std::size_t kNodesNamed = 4;

// "in 7m0s", or "in 7m0s (estimate)". Requires a known time.
std::string in_text(const session::PlanAnswer& answer) {
  return fmt::format("in {}{}", format_duration(*answer.in),
                     answer.bases.empty() ? "" : " (estimate)");
}

terminal::Cell when(const session::PlanAnswer& answer) {
  switch (answer.runs) {
    case Runs::now:
      return {"now", terminal::Tint::good};
    case Runs::after_eviction:
      return {answer.in ? in_text(answer) + ", evicting" : std::string("evicting, then unknown"),
              terminal::Tint::waiting};
    case Runs::later:
      return {in_text(answer), terminal::Tint::waiting};
    case Runs::unknown:
      break;
  }
  // Waiting helps nobody whom time alone cannot let run.
  switch (answer.verdict.state) {
    case explain::State::impossible:
    case explain::State::invalid:
    case explain::State::held:
      return {std::string(name(answer.verdict.state)), terminal::Tint::bad};
    default:
      return {"not known", terminal::Tint::bad};
  }
}

// Answers that share a line: one, or several about lone pods that say the same.
using Line = std::vector<const session::PlanAnswer*>;

// "example.com/rack=r1: n1 (4), n2 (4)", in brief "rack=r1: …"
terminal::Cell where(const Line& line) {
  std::map<std::string, std::size_t> nodes;
  for (const auto* answer : line) {
    for (const auto& [pod, node] : answer->places) ++nodes[node];
  }
  std::vector<std::string> parts;
  for (const auto& [node, pods] : nodes) {
    if (parts.size() == kNodesNamed) {
      const std::size_t rest = nodes.size() - kNodesNamed;
      parts.push_back(fmt::format("{} more {}", rest, rest == 1 ? "node" : "nodes"));
      break;
    }
    parts.push_back(pods == 1 ? node : fmt::format("{} ({})", node, pods));
  }
  const std::string list = fmt::format("{}", fmt::join(parts, ", "));
  const std::string& domain = line.front()->domain;
  if (domain.empty()) return {list};
  terminal::Cell cell{domain + ": " + list};
  const std::size_t key = domain.substr(0, domain.find('=')).rfind('/');
  if (key != std::string::npos) cell.brief = cell.text.substr(key + 1);
  return cell;
}

// "Pod t/a", "Pod t/a and 3 more".
std::string title(const Line& line) {
  const std::string first = explain::text_of(line.front()->object);
  return line.size() == 1 ? first : fmt::format("{} and {} more", first, line.size() - 1);
}

// "JobSet t/s (4 pods), Pod t/a"
std::string victims(const session::PlanAnswer& answer) {
  std::vector<std::string> parts;
  for (const auto& [name, pods] : answer.evicted) {
    const bool counts = !name.starts_with("Pod ") && !name.starts_with("Workload ");
    parts.push_back(counts ? fmt::format("{} ({})", name, explain::counted(pods, "pod")) : name);
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// What is said below the table, without its title; empty: nothing.
std::string details_of(const session::PlanAnswer& answer) {
  std::string page;
  if (answer.verdict.state == explain::State::running) return page;
  auto out = std::back_inserter(page);
  const std::string_view blocker = name(answer.verdict.blocker);
  fmt::format_to(out, "  {}{}{}\n", blocker, blocker.empty() ? "" : ": ",
                 printable(answer.verdict.summary));
  if (!answer.bases.empty()) {
    fmt::format_to(out, "  {} is {}\n", format_duration(*answer.in),
                   printable(session::estimate_text(answer.bases)));
  }
  if (answer.verdict.ways.empty()) return page;
  page += "  any one of these would let it run now:\n";
  for (const explain::Way& way : answer.verdict.ways) {
    fmt::format_to(out, "    - {}\n", printable(way.summary));
  }
  return page;
}

std::vector<Line> lines_of(const session::Plan& plan, bool every_pod) {
  std::vector<Line> lines;
  std::map<std::string, std::size_t> alike;  // by what is said of lone pods of one namespace
  for (const session::PlanAnswer& answer : plan.answers) {
    if (!every_pod && answer.object.kind == "Pod" && answer.domain.empty()) {
      const auto said = fmt::format("{}\n{}\n{}\n{}", answer.object.ns, when(answer).text,
                                    details_of(answer), victims(answer));
      const auto [at, fresh] = alike.try_emplace(said, lines.size());
      if (!fresh) {
        lines[at->second].push_back(&answer);
        continue;
      }
    }
    lines.push_back({&answer});
  }
  return lines;
}

void add_details(std::string& page, const Line& line) {
  const session::PlanAnswer& answer = *line.front();
  const std::string details = details_of(answer);
  if (details.empty() && answer.evicts.empty()) return;
  fmt::format_to(std::back_inserter(page), "\n{}{}{}\n{}", title(line),
                 answer.evicts.empty() ? ""
                 : line.size() == 1    ? " evicts "
                                       : " evict ",
                 victims(answer), details);
}

std::string places_table(const session::Plan& plan, const terminal::Layout& layout) {
  terminal::Table table({"POD", "NODE"});
  for (const session::PlanAnswer& answer : plan.answers) {
    for (const auto& [pod, node] : answer.places) table.add({{pod}, {node}});
  }
  return table.empty() ? std::string() : "\n" + table.text(layout);
}

Value text_value(wire::Document& document, std::string_view text) {
  return Value::string(document.arena(), text);
}

Value strings_value(wire::Document& document, const std::vector<std::string>& texts) {
  Value list = Value::array();
  for (const std::string& text : texts) {
    list.push_back(document.arena(), text_value(document, text));
  }
  return list;
}

Value places_value(wire::Document& document, const session::PlanAnswer& answer) {
  wire::Arena& arena = document.arena();
  Value list = Value::array();
  for (const auto& [pod, node] : answer.places) {
    Value place = Value::object();
    place.set_member(arena, "pod", text_value(document, pod));
    place.set_member(arena, "node", text_value(document, node));
    list.push_back(arena, std::move(place));
  }
  return list;
}

Value evicted_value(wire::Document& document, const session::PlanAnswer& answer) {
  wire::Arena& arena = document.arena();
  Value list = Value::array();
  for (const auto& [name, pods] : answer.evicted) {
    Value work = Value::object();
    work.set_member(arena, "name", text_value(document, name));
    work.set_member(arena, "pods", Value::integer(static_cast<std::int64_t>(pods)));
    list.push_back(arena, std::move(work));
  }
  return list;
}

Value answer_value(wire::Document& document, const session::PlanAnswer& answer) {
  wire::Arena& arena = document.arena();
  Value object = Value::object();
  object.set_member(arena, "kind", text_value(document, answer.object.kind));
  object.set_member(arena, "namespace", text_value(document, answer.object.ns));
  object.set_member(arena, "name", text_value(document, answer.object.name));
  Value made = Value::object();
  made.set_member(arena, "object", std::move(object));
  made.set_member(arena, "runs", text_value(document, name(answer.runs)));
  if (answer.in) made.set_member(arena, "in", text_value(document, format_duration(*answer.in)));
  made.set_member(arena, "estimatedFrom", strings_value(document, answer.bases));
  made.set_member(arena, "domain", text_value(document, answer.domain));
  made.set_member(arena, "places", places_value(document, answer));
  made.set_member(arena, "evicts", strings_value(document, answer.evicts));
  made.set_member(arena, "evictedWork", evicted_value(document, answer));
  made.set_member(arena, "verdict", verdict_value(answer.verdict, document));
  return made;
}

}  // namespace

std::string plan_text(const session::Plan& plan, bool every_pod, const terminal::Layout& layout) {
  terminal::Table table({"WORK", "RUNS", "WHERE"});
  std::string details;
  for (const Line& line : lines_of(plan, every_pod)) {
    table.add({{title(line)}, when(*line.front()), where(line)});
    add_details(details, line);
  }
  std::string page = table.text(layout);
  if (every_pod) page += places_table(plan, layout);
  page += terminal::folded(details, layout.columns);
  if (!plan.copies) return page;
  const auto copies = fmt::format(
      "{} fit{} now{}{}",
      *plan.copies == 1 ? std::string("1 copy") : fmt::format("{} copies", *plan.copies),
      *plan.copies == 1 ? "s" : "", plan.limit.empty() ? "" : "; then ", printable(plan.limit));
  return page + "\n" + terminal::wrapped(copies, 0, layout.columns);
}

void write_plan(const session::Plan& plan, session::Format format, std::ostream& out) {
  wire::Document document;
  wire::Arena& arena = document.arena();
  Value made = Value::object();
  made.set_member(arena, "now", text_value(document, format_duration(plan.now)));
  Value answers = Value::array();
  for (const session::PlanAnswer& answer : plan.answers) {
    answers.push_back(arena, answer_value(document, answer));
  }
  made.set_member(arena, "plan", std::move(answers));
  if (plan.copies) {
    Value copies = Value::object();
    copies.set_member(arena, "fit", Value::integer(static_cast<std::int64_t>(*plan.copies)));
    copies.set_member(arena, "limit", text_value(document, plan.limit));
    made.set_member(arena, "copies", std::move(copies));
  }
  if (format == session::Format::json) {
    out << wire::to_json(made, {.indent = 4}) << '\n';
  } else {
    out << wire::to_yaml(made);
  }
}

}  // namespace tutti::cli
