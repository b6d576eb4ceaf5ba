// Slurm's nodes, from `sinfo -N -o "%N %c %m %G"`, and how they lie, from topology.conf.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "base/text.h"
#include "trace/clusters/hostlist.h"
#include "trace/clusters/sources.h"
#include "trace/clusters/tres.h"

namespace tutti::trace {
namespace {

constexpr std::string_view kSpaces = " \t\r";
constexpr std::string_view kHeader = "NODELIST";

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(kSpaces); at < line.size();
       at = line.find_first_not_of(kSpaces, at)) {
    const std::size_t end = std::min(line.find_first_of(kSpaces, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

// Calls `take` with the words of every line that has any, and its number.
template <typename Take>
Status each_line(std::string_view text, const Take& take) {
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto words = words_of(text.substr(0, end));
    ++number;
    text.remove_prefix(std::min(end + 1, text.size()));
    if (words.empty()) continue;
    TUTTI_TRY(take(words, number));
  }
  return ok_status();
}

bool same_word(std::string_view a, std::string_view lower) {
  return std::ranges::equal(a, lower, {}, [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
}

Error bad_line(const Input& input, std::size_t line, std::string_view problem) {
  return {Error::Code::malformed, fmt::format("{}:{}: {}", input.path, line, problem)};
}

std::optional<std::int64_t> number_of(std::string_view text) {
  constexpr std::int64_t kMost = std::int64_t{1} << 32;
  // "2+": nodes of a line that have at least as much.
  if (text.ends_with('+')) text.remove_suffix(1);
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [last, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc{} || last != end || value < 0 || value > kMost) return std::nullopt;
  return value;
}

class SinfoReader {
 public:
  SinfoReader(Input& input, const ReadOptions& options, NodeList& list,
              std::map<std::string, std::size_t>& index)
      : input_(input), options_(options), list_(list), index_(index) {}

  Status take(const std::vector<std::string_view>& words, std::size_t line) {
    if (words.front() == kHeader) {
      columns_.assign(words.begin(), words.end());
      return ok_status();
    }
    Status taken = row(words, line);
    if (taken.ok() || !options_.skip_bad_rows) return taken;
    ++input_.skipped;
    return ok_status();
  }

 private:
  std::string_view cell(const std::vector<std::string_view>& words, std::string_view column) const {
    const auto at = std::ranges::find(columns_, column);
    return at == columns_.end() ? std::string_view{}
                                : words[static_cast<std::size_t>(at - columns_.begin())];
  }

  Status row(const std::vector<std::string_view>& words, std::size_t line) {
    if (words.size() != columns_.size()) {
      return bad_line(input_, line,
                      fmt::format("expected {} words, found {}", columns_.size(), words.size()));
    }
    const auto wrong = [&](std::string_view column, std::string_view expected) {
      return Error{Error::Code::malformed, at_cell(input_.path, line, column,
                                                   fmt::format("expected {}, found '{}'", expected,
                                                               brief_line(cell(words, column))))};
    };
    const auto hosts = expand_hosts(cell(words, kHeader));
    if (!hosts) return wrong(kHeader, "nodes such as n[01-08]");
    const auto cpus = number_of(cell(words, "CPUS"));
    if (!cpus) return wrong("CPUS", "a number of CPUs");
    const auto memory = number_of(cell(words, "MEMORY"));
    if (!memory) return wrong("MEMORY", "MiB");
    const auto gres = parse_gres(cell(words, "GRES"));
    if (!gres) return wrong("GRES", "gpu:MODEL:8 or (null)");
    Node node;
    constexpr std::int64_t kMilli = 1000;
    node.milli_cpu = *cpus * kMilli;
    node.memory = *memory * kMiB;
    node.gpus = gres->gpus;
    node.model = gres->model;
    node.extra = gres->others;
    if (gres->several_models) ++list_.ignored["GPU models: of nodes with several"];
    for (const std::string& host : *hosts) add(host, node);
    return ok_status();
  }

  // A node is listed once for each of its partitions.
  void add(const std::string& host, Node node) {
    if (!index_.emplace(host, list_.nodes.size()).second) return;
    node.name = host;
    list_.nodes.push_back(std::move(node));
    ++input_.rows;
  }

  Input& input_;
  const ReadOptions& options_;
  NodeList& list_;
  std::map<std::string, std::size_t>& index_;
  std::vector<std::string_view> columns_;
};

// topology.conf: a tree of switches, or blocks.
class SwitchReader {
 public:
  explicit SwitchReader(const Input& input) : input_(input) {}

  Status take(const std::vector<std::string_view>& words, std::size_t line) {
    if (words.front().starts_with('#')) return ok_status();
    Switch made;
    std::string name;
    for (const std::string_view word : words) {
      if (word.starts_with('#')) break;
      const std::size_t equals = word.find('=');
      if (equals == std::string_view::npos) return bad_line(input_, line, "expected NAME=VALUE");
      const std::string_view key = word.substr(0, equals);
      const std::string_view value = word.substr(equals + 1);
      if (same_word(key, "switchname") || same_word(key, "blockname")) {
        name = value;
        made.block = same_word(key, "blockname");
      } else if (same_word(key, "nodes") || same_word(key, "switches")) {
        const auto hosts = expand_hosts(value);
        if (!hosts) {
          return bad_line(input_, line,
                          fmt::format("{}: expected names such as n[01-08], found '{}'", key,
                                      brief_line(value)));
        }
        (same_word(key, "nodes") ? made.nodes : made.below) = *hosts;
      }
    }
    if (name.empty()) return ok_status();  // LinkSpeed, BlockSizes
    if (!switches_.emplace(name, std::move(made)).second) {
      return bad_line(input_, line, fmt::format("two switches '{}'", brief_line(name)));
    }
    return ok_status();
  }

  // Writes the domains that each node lies in. Returns how many nodes there are none of.
  Result<std::size_t> lay(NodeList& list, const std::map<std::string, std::size_t>& index) {
    std::size_t unknown = 0;
    for (auto& [name, one] : switches_) {
      if (height(name, 0) < 0) {
        return Error{Error::Code::malformed,
                     fmt::format("{}: switch '{}' is below itself, or more than {} layers high",
                                 input_.path, brief_line(name), std::size(kLevels))};
      }
    }
    for (const auto& [name, one] : switches_) {
      std::set<std::string> nodes;
      gather(name, nodes);
      for (const std::string& node : nodes) {
        const auto at = index.find(node);
        if (at == index.end()) {
          ++unknown;
          continue;
        }
        const std::string_view level =
            one.block ? kLevels[1] : kLevels[static_cast<std::size_t>(one.height)];
        auto& levels = list.nodes[at->second].levels;
        const bool fresh = std::ranges::find(levels, level, [](const auto& lies) {
                             return std::string_view(lies.first);
                           }) == levels.end();
        if (fresh) levels.emplace_back(level, name);
        if (!fresh) ++list.ignored["second switches of one layer above a node"];
      }
    }
    return unknown;
  }

  std::size_t size() const { return switches_.size(); }

 private:
  struct Switch {
    std::vector<std::string> nodes;
    std::vector<std::string> below;
    bool block = false;
    int height = -1;  // 0: above nodes alone
  };
  // From the leaves up.
  static constexpr std::string_view kLevels[] = {"rack", "block", "core", "spine", "fabric"};

  // Negative: more than there are levels.
  int height(const std::string& name, std::size_t depth) {
    const auto at = switches_.find(name);
    if (at == switches_.end()) return 0;
    Switch& one = at->second;
    if (one.height >= 0) return one.height;
    if (depth >= std::size(kLevels)) return -1;
    int most = -1;
    for (const std::string& child : one.below) {
      const int below = height(child, depth + 1);
      if (below < 0) return -1;
      most = std::max(most, below);
    }
    if (most + 1 >= static_cast<int>(std::size(kLevels))) return -1;
    return one.height = most + 1;
  }

  void gather(const std::string& name, std::set<std::string>& nodes) const {
    const auto at = switches_.find(name);
    if (at == switches_.end()) return;
    nodes.insert(at->second.nodes.begin(), at->second.nodes.end());
    for (const std::string& child : at->second.below) gather(child, nodes);
  }

  const Input& input_;
  std::map<std::string, Switch> switches_;
};

bool looks_like_switches(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto words = words_of(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (words.empty() || words.front().starts_with('#')) continue;
    const std::string_view key = words.front().substr(0, words.front().find('='));
    return same_word(key, "switchname") || same_word(key, "blockname");
  }
  return false;
}

}  // namespace

bool looks_like_sinfo(std::string_view text) {
  return text.starts_with(kHeader) || looks_like_switches(text);
}

Status read_sinfo(std::span<Unpacked> files, const ReadOptions& options, NodeList& nodes) {
  std::map<std::string, std::size_t> index;
  for (Unpacked& file : files) {
    if (looks_like_switches(file.text)) continue;
    SinfoReader reader(file.input, options, nodes, index);
    TUTTI_TRY(each_line(
        file.text, [&](const auto& words, std::size_t line) { return reader.take(words, line); }));
    nodes.inputs.push_back(file.input);
  }
  for (Unpacked& file : files) {
    if (!looks_like_switches(file.text)) continue;
    SwitchReader reader(file.input);
    TUTTI_TRY(each_line(
        file.text, [&](const auto& words, std::size_t line) { return reader.take(words, line); }));
    TUTTI_ASSIGN(const std::size_t unknown, reader.lay(nodes, index));
    if (unknown > 0) nodes.ignored["nodes of topology.conf that sinfo does not have"] += unknown;
    file.input.rows = reader.size();
    nodes.inputs.push_back(file.input);
  }
  return ok_status();
}

}  // namespace tutti::trace
