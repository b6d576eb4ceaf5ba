#include "core/holds.h"

#include <algorithm>
#include <utility>

namespace tutti::core {

EntityKey key_of(const Entity& entity) {
  return entity.lone() ? EntityKey{{}, entity.pod} : EntityKey{entity.root, {}};
}

void Holds::set(const EntityKey& key, Hold hold) {
  drop(key);
  condemned_.insert(hold.victims.begin(), hold.victims.end());
  lay_down(holds_.emplace(key, std::move(hold)).first->second);
}

std::optional<Hold> Holds::drop(const EntityKey& key) {
  auto held = holds_.extract(key);
  if (held.empty()) return std::nullopt;
  lift(held.mapped());
  for (const PodId victim : held.mapped().victims) {
    const auto elsewhere = [&](const auto& other) { return other.second.victims.contains(victim); };
    if (std::ranges::none_of(holds_, elsewhere)) condemned_.erase(victim);
  }
  return std::move(held.mapped());
}

const Hold* Holds::find(const EntityKey& key) const {
  const auto at = holds_.find(key);
  return at == holds_.end() ? nullptr : &at->second;
}

NodeId Holds::expected_on(PodId pod) const {
  for (const auto& [key, hold] : holds_) {
    if (const auto at = hold.places.find(pod); at != hold.places.end()) return at->second;
  }
  return {};
}

std::optional<EntityKey> Holds::forget_pod(PodId pod) {
  std::optional<EntityKey> freed;
  condemned_.erase(pod);
  cluster_.unhold(pod);
  for (auto at = holds_.begin(); at != holds_.end();) {
    auto& [key, hold] = *at;
    if (hold.victims.erase(pod) > 0 && hold.victims.empty()) freed = key;
    hold.places.erase(pod);
    at = hold.places.empty() ? holds_.erase(at) : std::next(at);
  }
  return freed;
}

std::vector<EntityKey> Holds::awaiting(const std::string& ns, const std::string& claim) const {
  std::vector<EntityKey> keys;
  for (const auto& [key, hold] : holds_) {
    if (!hold.victims.empty()) continue;
    if (std::ranges::find(hold.claims, std::pair(ns, claim)) != hold.claims.end()) {
      keys.push_back(key);
    }
  }
  return keys;
}

std::vector<EntityKey> Holds::on_node(NodeId node) const {
  std::vector<EntityKey> keys;
  for (const auto& [key, hold] : holds_) {
    const auto there = [&](const auto& place) { return place.second == node; };
    if (std::ranges::any_of(hold.places, there)) keys.push_back(key);
  }
  return keys;
}

std::vector<EntityKey> Holds::due(Instant now) const {
  std::vector<EntityKey> keys;
  for (const auto& [key, hold] : holds_) {
    if (hold.until <= now) keys.push_back(key);
  }
  return keys;
}

std::optional<Instant> Holds::next_deadline() const {
  std::optional<Instant> next;
  for (const auto& [key, hold] : holds_) next = std::min(next.value_or(hold.until), hold.until);
  return next;
}

void Holds::lift(const Hold& hold) {
  for (const auto& [pod, node] : hold.places) cluster_.unhold(pod);
}

void Holds::lay_down(const Hold& hold) {
  for (const auto& [pod, node] : hold.places) {
    const PodEntry& entry = cluster_.pod(pod);
    const bool wanted = !entry.node.valid() && !cluster_.held().contains(pod);
    if (wanted && cluster_.node_alive(node)) cluster_.hold(pod, node);
  }
}

Holds::Blind::Blind(Holds& holds, const EntityKey& key, std::int32_t priority)
    : holds_(holds), key_(key), priority_(priority) {
  if (const Hold* own = holds_.find(key_)) {
    holds_.lift(*own);
    lifted_.push_back(key_);
  }
}

bool Holds::Blind::past_lower() {
  bool any = false;
  for (const auto& [key, hold] : holds_.holds_) {
    if (hold.priority >= priority_ || key == key_) continue;
    holds_.lift(hold);
    lifted_.push_back(key);
    any = true;
  }
  return any;
}

// Members that got a node meanwhile need no room kept.
Holds::Blind::~Blind() {
  for (const EntityKey& key : lifted_) {
    if (const Hold* hold = holds_.find(key)) holds_.lay_down(*hold);
  }
}

}  // namespace tutti::core
