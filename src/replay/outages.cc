#include "replay/outages.h"

#include <algorithm>
#include <cmath>

#include "base/digest.h"

namespace tutti::replay {
namespace {

Millis drawn(Random& random, Millis mean) {
  constexpr unsigned kUnused = 11;  // bits beyond a double's 53
  constexpr double kScale = 1.0 / (std::uint64_t{1} << 53U);
  const double uniform = (static_cast<double>(random.next() >> kUnused) + 0.5) * kScale;
  const double span = -std::log(uniform) * static_cast<double>(mean.count());
  return std::max(Millis{1}, Millis{std::llround(span)});
}

Random stream_of(std::uint64_t seed, std::string_view name) {
  Digest digest;
  digest.add("failures");
  digest.add(seed);
  digest.add(name);
  return Random(digest.value());
}

}  // namespace

Outages::Outages(std::span<const trace::Node> nodes, const FailureModel& model, std::uint64_t seed)
    : reasons_(nodes.size()), repair_(model.repair) {
  add_listed(nodes);
  add_drawn(nodes, model, seed);
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    plan(sources_[i], Millis{0});
    if (sources_[i].next) planned_.emplace(*sources_[i].next, i);
  }
}

void Outages::add_listed(std::span<const trace::Node> nodes) {
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    for (const trace::Outage& outage : nodes[i].down) {
      Source source;
      source.nodes = {i};
      source.listed = outage;
      sources_.push_back(std::move(source));
    }
  }
}

void Outages::add_drawn(std::span<const trace::Node> nodes, const FailureModel& model,
                        std::uint64_t seed) {
  const auto add = [&](std::string_view name, std::vector<std::uint32_t> members, Millis between) {
    Source source;
    source.nodes = std::move(members);
    source.between = between;
    source.random = stream_of(seed, name);
    sources_.push_back(std::move(source));
  };
  if (model.between) {
    for (std::uint32_t i = 0; i < nodes.size(); ++i) add(nodes[i].name, {i}, *model.between);
  }
  for (const auto& [level, between] : model.domains) {
    std::map<std::string, std::vector<std::uint32_t>> domains;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      for (const auto& [of_level, domain] : nodes[i].levels) {
        if (of_level == level) domains[domain].push_back(i);
      }
    }
    for (auto& [domain, members] : domains) {
      add(level + "/" + domain, std::move(members), between);
    }
  }
}

// When the source changes next, seen from when it did.
void Outages::plan(Source& source, Millis now) const {
  if (source.listed) {
    source.next = source.down ? source.listed->to : source.listed->from;
  } else {
    source.next = now + drawn(*source.random, source.down ? repair_ : source.between);
  }
}

std::optional<Millis> Outages::next() const {
  if (planned_.empty()) return std::nullopt;
  return planned_.begin()->first;
}

std::vector<Outages::Change> Outages::take(Millis now) {
  std::vector<std::int32_t> before;
  std::vector<std::uint32_t> touched;
  while (!planned_.empty() && planned_.begin()->first <= now) {
    const auto [at, index] = *planned_.begin();
    planned_.erase(planned_.begin());
    Source& source = sources_[index];
    source.down = !source.down;
    for (const std::uint32_t node : source.nodes) {
      touched.push_back(node);
      before.push_back(reasons_[node]);
      reasons_[node] += source.down ? 1 : -1;
    }
    if (source.listed && !source.down) continue;  // a list's outage is over
    plan(source, at);
    if (source.next) planned_.emplace(*source.next, index);
  }
  // As each was before the first of its changes.
  std::map<std::uint32_t, std::int32_t> was;
  for (std::size_t i = 0; i < touched.size(); ++i) was.emplace(touched[i], before[i]);
  std::vector<Change> changes;
  for (const bool down : {false, true}) {
    for (const auto& [node, reasons] : was) {
      const bool is = reasons_[node] > 0;
      if ((reasons > 0) == is || is != down) continue;
      changes.push_back({node, down});
      down_now_ += down ? 1 : -1;
    }
  }
  return changes;
}

}  // namespace tutti::replay
