#include "trace/node_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "base/text.h"
#include "trace/cells.h"
#include "trace/gzip.h"

namespace tutti::trace {
namespace {

constexpr std::int64_t kAddedMax = 1'000'000;

Error no_node(std::string_view option, std::string_view name) {
  return {Error::Code::invalid, fmt::format("{}: there is no node '{}'", option, brief_line(name))};
}

}  // namespace

Status add_nodes(NodeList& list, std::string_view spec) {
  const std::size_t times = std::min(spec.find('x'), spec.size());
  std::int64_t count = 0;
  const auto [end, problem] = std::from_chars(spec.data(), spec.data() + times, count);
  if (problem != std::errc{} || end != spec.data() + times || times == spec.size() || count < 1 ||
      count > kAddedMax) {
    return Error{Error::Code::invalid,
                 fmt::format("--add-nodes: expected 10xNODE, found '{}'", brief_line(spec))};
  }
  const std::string name(spec.substr(times + 1));
  const auto like = std::ranges::find(list.nodes, name, &Node::name);
  if (like == list.nodes.end()) {
    return no_node("--add-nodes", name);
  }
  const Node model = *like;
  for (std::int64_t i = 1; i <= count; ++i) {
    Node made = model;
    made.name = fmt::format("{}+{:0{}}", name, i, std::to_string(count).size());
    const auto taken = std::ranges::find(list.nodes, made.name, &Node::name);
    if (taken != list.nodes.end()) {
      return Error{Error::Code::invalid,
                   fmt::format("--add-nodes: there is a node '{}' already", made.name)};
    }
    list.nodes.push_back(std::move(made));
  }
  list.changes.push_back(fmt::format("{} nodes like {} added", count, name));
  return ok_status();
}

Status remove_nodes(NodeList& list, std::int64_t count) {
  if (count < 0 || count >= std::ssize(list.nodes)) {
    return Error{Error::Code::invalid,
                 fmt::format("--remove-nodes: expected less than the {} nodes there are, found {}",
                             list.nodes.size(), count)};
  }
  list.nodes.resize(list.nodes.size() - static_cast<std::size_t>(count));
  list.changes.push_back(fmt::format("the last {} nodes removed", count));
  return ok_status();
}

Result<Millis> parse_days(std::string_view text) {
  if (!text.ends_with('d')) return parse_duration(text);
  const auto days = scaled_decimal(text.substr(0, text.size() - 1), std::int64_t{24} * 3600, 1);
  const auto span = days ? parse_seconds(*days) : std::nullopt;
  if (span) return *span;
  return Error{Error::Code::malformed,
               fmt::format("expected a duration such as 30d or 2h, found '{}'", brief_line(text))};
}

Status drain_nodes(NodeList& list, std::string_view spec) {
  const std::size_t at = spec.rfind('@');
  const auto time =
      at == std::string_view::npos ? Result<Millis>(Error{}) : parse_days(spec.substr(at + 1));
  if (!time.ok() || *time < Millis{0}) {
    return Error{Error::Code::invalid,
                 fmt::format("--drain: expected NODE,NODE@TIME, found '{}'", brief_line(spec))};
  }
  std::size_t count = 0;
  for (std::string_view rest = spec.substr(0, at); !rest.empty();) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string name(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const auto node = std::ranges::find(list.nodes, name, &Node::name);
    if (node == list.nodes.end()) return no_node("--drain", name);
    node->down.push_back({*time, std::nullopt});
    ++count;
  }
  list.changes.push_back(fmt::format("{} nodes drained at {}", count, format_duration(*time)));
  return ok_status();
}

Status add_outages(NodeList& list, File file) {
  Input input{.path = file.path, .sha256 = sha256(file.bytes), .format = "failures"};
  Result<std::string> text = unpacked(std::move(file.bytes));
  if (!text.ok()) return std::move(text).error().within(file.path);
  TUTTI_ASSIGN(const Table table, Table::read(file.path, *std::move(text)));
  for (const std::string_view column : {"node", "down", "up"}) {
    if (table.has(column)) continue;
    return Error{
        Error::Code::malformed,
        fmt::format("{}:1: there is no column '{}': expected node,down,up", file.path, column)};
  }
  std::unordered_map<std::string_view, Node*> nodes;
  for (Node& node : list.nodes) nodes.emplace(node.name, &node);
  for (const Row& row : table.rows()) {
    Cells cells(table, row);
    const auto node = nodes.find(cells.text("node"));
    if (row.problem.empty() && node == nodes.end()) {
      cells.fail("node", fmt::format("there is no node '{}'", brief_line(cells.text("node"))));
    }
    const Millis from = cells.required("down", cells.seconds("down"));
    const auto to = cells.seconds("up");
    if (to && *to <= from) cells.fail("up", "expected a time after down");
    if (!cells.problem().empty()) return Error{Error::Code::malformed, cells.located_problem()};
    node->second->down.push_back({from, to});
    ++input.rows;
  }
  list.inputs.push_back(std::move(input));
  return ok_status();
}

}  // namespace tutti::trace
