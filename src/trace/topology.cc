#include "trace/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "base/quantity.h"
#include "base/text.h"
#include "trace/cells.h"
#include "trace/gzip.h"

namespace tutti::trace {
namespace {

constexpr std::int64_t kNodesMax = 1'000'000;
constexpr std::string_view kHost = "host";
constexpr std::string_view kClique = "nvlink";

struct Level {
  std::string name;
  std::int64_t count = 0;
  std::int64_t first = 0;
};
struct Part {
  std::vector<Level> levels;  // the last is the host
  Node host;
  std::int64_t clique_hosts = 0;  // nvlink=18hosts; 0: not said
  std::int64_t clique_gpus = 0;   // nvlink=8
};

Error bad(std::string_view what) {
  return {Error::Code::invalid, fmt::format("--topology: {}", what)};
}

Result<std::int64_t> count_of(std::string_view key, std::string_view text) {
  std::int64_t count = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (problem == std::errc{} && end == text.data() + text.size() && count >= 0 &&
      count <= kNodesMax) {
    return count;
  }
  return bad(fmt::format("expected a number after {}=, found '{}'", key, brief_line(text)));
}

// Whether the key is one of the host's own. Sets it.
Result<bool> set_of_host(Node& host, std::string_view key, std::string_view text) {
  if (key == "model") {
    host.model = text;
  } else if (key == "gpu") {
    TUTTI_ASSIGN(host.gpus, count_of(key, text));
  } else if (key == "pods") {
    TUTTI_ASSIGN(host.pods, count_of(key, text));
  } else if (key == "cpu") {
    const auto milli = parse_thousandths(text);
    if (!milli || *milli < 0)
      return bad(fmt::format("expected cores after cpu=, found '{}'", text));
    host.milli_cpu = *milli;
  } else if (key == "memory") {
    const auto amount = Quantity::parse(text);
    if (!amount.ok() || amount->negative()) {
      return bad(fmt::format("expected memory such as 512Gi, found '{}'", brief_line(text)));
    }
    host.memory = amount->units();
  } else {
    return false;
  }
  return true;
}

// "8xA100", or "8xA100:mig=1g.5gb*7": each of the eight is seven of that profile.
Status set_devices(Node& host, std::string_view text) {
  constexpr std::string_view kMig = ":mig=";
  const std::size_t mig = std::min(text.find(kMig), text.size());
  const std::string_view whole = text.substr(0, mig);
  const std::size_t times = whole.find('x');
  if (times == std::string_view::npos || times + 1 == whole.size()) {
    return bad(fmt::format("expected gpu=8xMODEL, found '{}'", brief_line(text)));
  }
  TUTTI_ASSIGN(host.gpus, count_of("gpu", whole.substr(0, times)));
  host.model = whole.substr(times + 1);
  if (mig == text.size()) return ok_status();
  const std::string_view cut = text.substr(mig + kMig.size());
  const std::size_t star = cut.find('*');
  if (star == std::string_view::npos || star == 0) {
    return bad(fmt::format("expected mig=PROFILE*NUMBER, found '{}'", brief_line(cut)));
  }
  TUTTI_ASSIGN(const std::int64_t parts, count_of("mig", cut.substr(star + 1)));
  host.extra.emplace_back(fmt::format("nvidia.com/mig-{}", cut.substr(0, star)), host.gpus * parts);
  host.gpus = 0;
  return ok_status();
}

Status add_clique(Part& part, std::string_view text) {
  constexpr std::string_view kHosts = "hosts";
  const bool of_hosts = text.ends_with(kHosts);
  if (of_hosts) text.remove_suffix(kHosts.size());
  TUTTI_ASSIGN(const std::int64_t size, count_of(kClique, text));
  if (size == 0) return bad("expected a number above 0 after nvlink=");
  const bool inside = !part.levels.empty() && part.levels.back().name == kHost;
  if (of_hosts == inside) {
    return bad(
        "nvlink=Nhosts comes before host, nvlink=N after it: a clique of hosts, or of the "
        "GPUs of one");
  }
  (of_hosts ? part.clique_hosts : part.clique_gpus) = size;
  if (of_hosts) part.levels.push_back({std::string(kClique), 1});
  return ok_status();
}

Result<Part> parse_part(std::string_view spec) {
  Part part;
  while (!spec.empty()) {
    const std::size_t end = std::min(spec.find(','), spec.size());
    const std::string_view word = spec.substr(0, end);
    spec.remove_prefix(std::min(end + 1, spec.size()));
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return bad(fmt::format("expected NAME=VALUE, found '{}'", brief_line(word)));
    }
    const std::string_view key = word.substr(0, equals);
    const std::string_view text = word.substr(equals + 1);
    if (key == "gpu" && text.find('x') != std::string_view::npos) {
      TUTTI_TRY(set_devices(part.host, text));
      continue;
    }
    TUTTI_ASSIGN(const bool of_host, set_of_host(part.host, key, text));
    if (of_host) continue;
    if (key == kClique) {
      TUTTI_TRY(add_clique(part, text));
      continue;
    }
    if (!part.levels.empty() && part.levels.back().name == kHost) {
      return bad(fmt::format("'{}': levels come before host", brief_line(key)));
    }
    TUTTI_ASSIGN(const std::int64_t count, count_of(key, text));
    part.levels.push_back({std::string(key), count});
  }
  if (part.levels.empty() || part.levels.back().name != kHost) {
    return bad("expected host=N, the number of nodes in the innermost level");
  }
  if (part.clique_hosts > 0) part.levels.back().count *= part.clique_hosts;
  if (part.clique_gpus > 0 && part.clique_gpus != part.host.gpus) {
    return bad(fmt::format("nvlink={}: expected all {} GPUs of a host, or Nhosts", part.clique_gpus,
                           part.host.gpus));
  }
  return part;
}

class NodeMaker {
 public:
  explicit NodeMaker(std::map<std::string, std::size_t> widths) : widths_(std::move(widths)) {}

  void make(const Part& part, std::vector<Node>& into) {
    part_ = &part;
    into_ = &into;
    node_ = part.host;
    fill(0, "");
  }

 private:
  void fill(std::size_t depth, const std::string& above) {
    const Level& level = part_->levels[depth];
    for (std::int64_t i = 0; i < level.count; ++i) {
      const std::string name =
          fmt::format("{}{}{}{:0{}}", above, above.empty() ? "" : "-", level.name.front(),
                      level.first + i, widths_.at(level.name));
      if (depth + 1 == part_->levels.size()) {
        node_.name = name;
        into_->push_back(node_);
        continue;
      }
      node_.levels.emplace_back(level.name, name);
      fill(depth + 1, name);
      node_.levels.pop_back();
    }
  }

  std::map<std::string, std::size_t> widths_;
  const Part* part_ = nullptr;
  std::vector<Node>* into_ = nullptr;
  Node node_;
};

}  // namespace

Result<NodeList> make_nodes(std::string_view spec) {
  std::vector<Part> parts;
  std::map<std::string, std::int64_t> ends;
  std::int64_t nodes = 0;
  for (std::string_view rest = spec; !rest.empty();) {
    const std::size_t end = std::min(rest.find('+'), rest.size());
    TUTTI_ASSIGN(Part part, parse_part(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    std::int64_t made = 1;
    for (const Level& level : part.levels) made = std::min(made * level.count, kNodesMax + 1);
    nodes += made;
    if (nodes > kNodesMax) return bad(fmt::format("more than {} nodes", kNodesMax));
    part.levels.front().first = ends[part.levels.front().name];
    for (const Level& level : part.levels) {
      ends[level.name] = std::max(ends[level.name], level.first + level.count);
    }
    parts.push_back(std::move(part));
  }
  if (nodes == 0) return bad("no nodes");
  std::map<std::string, std::size_t> widths;
  for (const auto& [level, count] : ends) {
    widths[level] =
        std::max<std::size_t>(2, std::to_string(std::max<std::int64_t>(count - 1, 0)).size());
  }
  NodeList list;
  NodeMaker maker(std::move(widths));
  for (const Part& part : parts) maker.make(part, list.nodes);
  list.inputs.push_back({.path = fmt::format("--topology {}", spec),
                         .sha256 = sha256(spec),
                         .format = "topology",
                         .rows = list.nodes.size()});
  return list;
}

}  // namespace tutti::trace
