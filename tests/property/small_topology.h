// A small cluster with zones, racks and a tree of groups as plain numbers, and the obvious way to
// find out whether the tree can be placed: try everything.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"

namespace tutti::test {

enum class Level { none, zone, rack };

// Where somebody says it is; -1: nothing is said.
struct SmallPlace {
  int zone = -1, rack = -1;

  int domain(Level level) const { return level == Level::zone ? zone : rack; }
};

struct SmallNode : SmallPlace {  // by its labels
  int cpu = 0, memory = 0;
  // Where keys of groups are attributes of devices: labels under those names, and the devices.
  SmallPlace label;
  std::vector<SmallPlace> devices;

  // Of a group whose key is an attribute: the label, or else every value that devices have.
  std::set<int> device_domains(Level level) const {
    if (label.domain(level) >= 0) return {label.domain(level)};
    std::set<int> said;
    for (const SmallPlace& device : devices) said.insert(device.domain(level));
    said.erase(-1);
    return said;
  }
};

struct SmallPod {
  int leaf = 0;
  int cpu = 0, memory = 0;
  bool repels = false;          // others that repel, on its node
  bool port = false;            // one per node
  bool role = false;            // may be followed
  Level follows = Level::none;  // needs one with a role in its zone or rack
  int node = -1;                // runs there already

  bool same_kind(const SmallPod& other) const {
    return leaf == other.leaf && cpu == other.cpu && memory == other.memory &&
           repels == other.repels && port == other.port && role == other.role &&
           follows == other.follows && node == other.node;
  }
};

// What the pods of one node amount to.
struct Load {
  int cpu = 0, memory = 0, repelling = 0, ports = 0;
  void add(const SmallPod& pod) {
    cpu += pod.cpu;
    memory += pod.memory;
    repelling += pod.repels;
    ports += pod.port;
  }
};

struct SmallLeaf {
  int minimum = 1;
  int branch = -1;               // the composite around it; -1: the root
  Level key = Level::none;       // of the group itself
  Level required = Level::none;  // by annotation
  Level preferred = Level::none;
  Level slice = Level::none;
  int slice_size = 0;
};

// A composite between root and leaves.
struct SmallBranch {
  int minimum = 1;
  Level key = Level::none;
};

struct SmallTopology {
  std::vector<SmallNode> nodes;
  std::vector<SmallPod> pods;  // in order of leaf and rank
  std::vector<SmallLeaf> leaves;
  std::vector<SmallBranch> branches;
  bool composite = false;
  int minimum_leaves = 1;
  Level root_key = Level::none;
  bool by_devices = false;  // keys of groups are attributes of devices

  // Where groups find the node; pods that follow others always go by its labels.
  std::set<int> group_domains(std::size_t node, Level level) const {
    if (by_devices) return nodes[node].device_domains(level);
    const int said = nodes[node].domain(level);
    return said < 0 ? std::set<int>{} : std::set{said};
  }

  // Where every pod is: a node, or -1.
  using Assignment = std::vector<int>;

  Assignment start() const {
    Assignment nodes_of;
    for (const auto& pod : pods) nodes_of.push_back(pod.node);
    return nodes_of;
  }

  // Whether all placed pods of which `belongs` is true share one domain.
  template <typename Belongs>
  bool together(const Assignment& at, Level level, const Belongs& belongs) const {
    if (level == Level::none) return true;
    std::set<int> common = {0, 1, 2, 3};
    for (std::size_t p = 0; p < pods.size(); ++p) {
      if (at[p] < 0 || !belongs(p)) continue;
      const auto here = group_domains(static_cast<std::size_t>(at[p]), level);
      std::erase_if(common, [&](int domain) { return !here.contains(domain); });
    }
    return !common.empty();
  }

  // Rules that hold of every part of a placement.
  bool allowed(const Assignment& at) const {
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      Load all, fresh;
      for (std::size_t p = 0; p < pods.size(); ++p) {
        if (at[p] != static_cast<int>(n)) continue;
        all.add(pods[p]);
        if (pods[p].node < 0) fresh.add(pods[p]);
      }
      // Pods that run already may have come before the rules.
      if (fresh.cpu > 0 && all.cpu > nodes[n].cpu) return false;
      if (fresh.memory > 0 && all.memory > nodes[n].memory) return false;
      if (fresh.repelling > 0 && all.repelling > 1) return false;
      if (fresh.ports > 0 && all.ports > 1) return false;
    }
    return domains_kept(at);
  }

  bool domains_kept(const Assignment& at) const {
    if (!together(at, root_key, [](std::size_t) { return true; })) return false;
    for (std::size_t b = 0; b < branches.size(); ++b) {
      const auto below = [&](std::size_t p) { return leaf_of(p).branch == static_cast<int>(b); };
      if (!together(at, branches[b].key, below)) return false;
    }
    for (const auto& leaf : leaves) {
      const auto own = [&](std::size_t p) { return &leaf_of(p) == &leaf; };
      if (!together(at, leaf.key, own) || !together(at, leaf.required, own)) return false;
    }
    for (std::size_t first = 0; first < pods.size(); ++first) {
      const auto in_slice = [&](std::size_t p) { return slice_start(p) == first; };
      const Level level = slice_start(first) == first ? leaf_of(first).slice : Level::none;
      if (!together(at, level, in_slice)) return false;
    }
    return true;
  }

  const SmallLeaf& leaf_of(std::size_t pod) const {
    return leaves[static_cast<std::size_t>(pods[pod].leaf)];
  }
  // The first pod of the slice that the pod is in; itself without slices.
  std::size_t slice_start(std::size_t pod) const {
    const auto size = static_cast<std::size_t>(leaf_of(pod).slice_size);
    if (size == 0) return pod;
    std::size_t first = pod;
    while (first > 0 && pods[first - 1].leaf == pods[pod].leaf) --first;
    return pod - (pod - first) % size;
  }

  bool followers_content(const Assignment& at) const {
    for (std::size_t p = 0; p < pods.size(); ++p) {
      if (at[p] < 0 || pods[p].follows == Level::none || pods[p].node >= 0) continue;
      const int here = nodes[static_cast<std::size_t>(at[p])].domain(pods[p].follows);
      bool led = false;
      for (std::size_t q = 0; q < pods.size(); ++q) {
        led = led || (at[q] >= 0 && pods[q].role && here >= 0 &&
                      nodes[static_cast<std::size_t>(at[q])].domain(pods[p].follows) == here);
      }
      if (!led) return false;
    }
    return true;
  }

  bool fresh(const Assignment& at, std::size_t pod) const { return at[pod] != pods[pod].node; }

  // Whether a slice of which anything is new is there as a whole.
  bool slices_whole(const Assignment& at) const {
    for (std::size_t p = 0; p < pods.size(); ++p) {
      for (std::size_t q = 0; q < pods.size(); ++q) {
        if (slice_start(p) == slice_start(q) && fresh(at, p) && at[q] < 0) return false;
      }
    }
    return true;
  }

  // Whether the root stands, and nothing was newly placed of what does not.
  bool stands(const Assignment& at) const {
    if (!slices_whole(at)) return false;
    std::vector<int> placed(leaves.size(), 0), below(branches.size(), 0);
    for (std::size_t p = 0; p < pods.size(); ++p) {
      placed[static_cast<std::size_t>(pods[p].leaf)] += at[p] >= 0;
    }
    int standing = 0;
    for (std::size_t l = 0; l < leaves.size(); ++l) {
      if (placed[l] < leaves[l].minimum) continue;
      ++(leaves[l].branch < 0 ? standing : below[static_cast<std::size_t>(leaves[l].branch)]);
    }
    for (std::size_t b = 0; b < branches.size(); ++b) standing += below[b] >= branches[b].minimum;
    for (std::size_t p = 0; p < pods.size(); ++p) {
      const int branch = leaf_of(p).branch;
      const bool grows = placed[static_cast<std::size_t>(pods[p].leaf)] >= leaf_of(p).minimum &&
                         (branch < 0 || below[static_cast<std::size_t>(branch)] >=
                                            branches[static_cast<std::size_t>(branch)].minimum);
      if (!grows && fresh(at, p)) return false;
    }
    return standing >= (composite ? minimum_leaves : 1);
  }

  bool solved(const Assignment& at) const {
    return allowed(at) && followers_content(at) && stands(at);
  }

  // Whether a placement exists that places at least one pod.
  bool possible() const {
    Assignment at = start();
    if (!allowed(at)) return false;
    return try_from(at, 0, false);
  }

  std::string text() const;

 private:
  bool try_from(Assignment& at, std::size_t p, bool placed) const {
    if (p == pods.size()) return placed && followers_content(at) && stands(at);
    if (pods[p].node >= 0) return try_from(at, p + 1, placed);
    // Of equal pods the earlier ones take the later nodes, and stay out last.
    const bool ordered = p > 0 && pods[p].same_kind(pods[p - 1]) &&
                         leaves[static_cast<std::size_t>(pods[p].leaf)].slice_size == 0;
    const int last = ordered ? at[p - 1] : static_cast<int>(nodes.size()) - 1;
    for (int n = last; n >= 0; --n) {
      at[p] = n;
      if (allowed(at) && try_from(at, p + 1, true)) return true;
    }
    at[p] = -1;
    return try_from(at, p + 1, placed);
  }
};

inline std::string place_text(const SmallPlace& place) {
  return " zone " + std::to_string(place.zone) + " rack " + std::to_string(place.rack);
}

inline std::string SmallTopology::text() const {
  constexpr std::array<const char*, 3> kLevels = {"-", "zone", "rack"};
  const auto name = [&](Level level) { return kLevels[static_cast<std::size_t>(level)]; };
  std::string out = "\n  root min " + std::to_string(minimum_leaves) + " key " + name(root_key) +
                    (composite ? "" : " (none)");
  for (const auto& branch : branches) {
    out += "\n  branch min " + std::to_string(branch.minimum) + " key " + name(branch.key);
  }
  for (const auto& leaf : leaves) {
    out += std::string("\n  leaf min ") + std::to_string(leaf.minimum) + " key " + name(leaf.key) +
           (leaf.branch < 0 ? "" : " in branch " + std::to_string(leaf.branch)) + " required " +
           name(leaf.required) + " preferred " + name(leaf.preferred) + " slice " +
           name(leaf.slice) + "/" + std::to_string(leaf.slice_size);
  }
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    out += "\n  node n" + std::to_string(n) + " cpu " + std::to_string(nodes[n].cpu) + " memory " +
           std::to_string(nodes[n].memory) + place_text(nodes[n]);
    if (!by_devices) continue;
    out += "; by label" + place_text(nodes[n].label);
    for (const auto& device : nodes[n].devices) out += "; device" + place_text(device);
  }
  for (std::size_t p = 0; p < pods.size(); ++p) {
    const auto& pod = pods[p];
    out += "\n  pod p" + std::to_string(p) + " leaf " + std::to_string(pod.leaf) + " cpu " +
           std::to_string(pod.cpu) + " memory " + std::to_string(pod.memory) +
           (pod.repels ? " repels" : "") + (pod.port ? " port" : "") + (pod.role ? " role" : "") +
           (pod.follows == Level::none ? "" : std::string(" follows in ") + name(pod.follows)) +
           (pod.node < 0 ? "" : " on n" + std::to_string(pod.node));
  }
  return out;
}

class SmallTopologyMaker {
 public:
  explicit SmallTopologyMaker(std::uint64_t seed) : random_(seed) {}

  SmallTopology make() {
    SmallTopology made;
    add_nodes(made);
    made.composite = chance(55);
    const int leaves = made.composite ? 2 + below(2) : 1;
    std::size_t left = 7;
    for (int l = 0; l < leaves; ++l) {
      const std::size_t most = left - static_cast<std::size_t>(leaves - 1 - l);
      const int size = 1 + below(static_cast<int>(std::min<std::size_t>(most, 4)));
      left -= static_cast<std::size_t>(size);
      add_leaf(made, l, size);
    }
    made.minimum_leaves = 1 + below(leaves);
    if (made.composite) made.root_key = level();
    if (chance(20)) add_running(made, 2, false);
    if (chance(35)) leave_to_devices(made);
    return made;
  }

  // Three levels of groups, and more that runs already.
  SmallTopology make_deep() {
    SmallTopology made;
    add_nodes(made);
    made.composite = true;
    const int branches = 1 + below(2);
    const int leaves = branches + 1 + below(2);
    for (int b = 0; b < branches; ++b) made.branches.push_back({0, level()});
    for (int l = 0; l < leaves; ++l) {
      add_leaf(made, l, 1 + below(2) + below(l == 0 ? 2 : 1));
      const int branch = l < branches ? l : below(branches + 1) - 1;
      made.leaves.back().branch = branch;
      if (branch >= 0) ++made.branches[static_cast<std::size_t>(branch)].minimum;
    }
    int children = branches;
    for (const auto& leaf : made.leaves) children += leaf.branch < 0;
    for (auto& branch : made.branches) branch.minimum = 1 + below(branch.minimum);
    made.minimum_leaves = 1 + below(children);
    if (chance(60)) made.root_key = level();
    if (chance(50)) add_running(made, 4, true);
    if (chance(35)) leave_to_devices(made);
    return made;
  }

 private:
  int below(int n) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(n))); }
  bool chance(int percent) { return below(100) < percent; }
  Level level() {
    const int picked = below(10);
    return picked < 4 ? Level::none : picked < 6 ? Level::zone : Level::rack;
  }

  void add_nodes(SmallTopology& made) {
    const int count = 1 + below(6);
    for (int n = 0; n < count; ++n) {
      SmallNode node;
      node.cpu = 1 + below(5);
      node.memory = 1 + below(4);
      const int rack = below(4);
      // A label that no node has would be bad input.
      if (n == 0 || chance(92)) node.zone = rack / 2;
      if (n == 0 || chance(92)) node.rack = rack;
      made.nodes.push_back(node);
    }
  }

  SmallPod kind(int leaf) {
    SmallPod pod;
    pod.leaf = leaf;
    pod.cpu = 1 + below(3);
    pod.memory = chance(40) ? below(3) : 0;
    pod.repels = chance(10);
    pod.port = chance(8);
    pod.role = chance(15);
    if (!pod.role && chance(12)) pod.follows = chance(50) ? Level::zone : Level::rack;
    return pod;
  }

  void add_leaf(SmallTopology& made, int index, int size) {
    SmallLeaf leaf;
    leaf.minimum = 1 + below(size);
    leaf.key = level();
    if (chance(25)) add_request(leaf, size);
    std::vector<SmallPod> kinds;
    for (int k = 0; k < 1 + below(2); ++k) kinds.push_back(kind(index));
    for (int p = 0; p < size; ++p) {
      made.pods.push_back(kinds[static_cast<std::size_t>(below(static_cast<int>(kinds.size())))]);
    }
    made.leaves.push_back(leaf);
  }

  // The keys nest: what is required is no narrower than what is preferred or sliced.
  void add_request(SmallLeaf& leaf, int size) {
    leaf.required = level();
    if (chance(40)) leaf.preferred = Level::rack;
    if (size % 2 == 0 && chance(50)) {
      leaf.slice_size = 2;
      const bool narrow = leaf.required == Level::rack || leaf.preferred != Level::none;
      leaf.slice = narrow || chance(60) ? Level::rack : Level::zone;
    }
  }

  // Some members run already, wherever that is.
  void add_running(SmallTopology& made, int most, bool of_slices) {
    for (int i = 0; i < 1 + below(most); ++i) {
      const std::size_t pod = random_.below(made.pods.size());
      if (made.pods[pod].node >= 0 || (made.leaf_of(pod).slice_size > 0 && !of_slices)) continue;
      made.pods[pod].node = below(static_cast<int>(made.nodes.size()));
    }
  }

  // Devices of one node mostly agree, or say nothing. Racks lie in zones, whoever says so.
  void leave_to_devices(SmallTopology& made) {
    made.by_devices = true;
    for (auto& node : made.nodes) {
      const bool first = &node == &made.nodes.front();
      const int rack = below(4);
      const int count = first ? 1 : below(4);
      for (int d = 0; d < count; ++d) {
        SmallPlace device{rack / 2, rack};
        if (!first && chance(15)) device.zone = -1;
        if (!first && chance(15)) device.rack = -1;
        node.devices.push_back(device);
      }
      const int other = below(4);
      if (!first && chance(15)) node.devices.push_back({other / 2, other});
      if (chance(15)) node.label = {other / 2, other};
    }
  }

  Random random_;
};

}  // namespace tutti::test
