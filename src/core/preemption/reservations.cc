#include "core/preemption/reservations.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace tutti::core {

EntityKey key_of(const Entity& entity) {
  return entity.lone() ? EntityKey{{}, entity.pod} : EntityKey{entity.root, {}};
}

void Reservations::set(const EntityKey& key, Reservation hold) {
  TUTTI_CHECK(key.root.valid() != key.pod.valid(), "room is held for a group or for a lone pod");
  drop(key);
  condemned_.insert(hold.victims.begin(), hold.victims.end());
  lay_down(reservations_.emplace(key, std::move(hold)).first->second);
}

std::optional<Reservation> Reservations::drop(const EntityKey& key) {
  auto held = reservations_.extract(key);
  if (held.empty()) return std::nullopt;
  lift(held.mapped());
  for (const PodId victim : held.mapped().victims) {
    const auto elsewhere = [&](const auto& other) { return other.second.victims.contains(victim); };
    if (std::ranges::none_of(reservations_, elsewhere)) condemned_.erase(victim);
  }
  return std::move(held.mapped());
}

const Reservation* Reservations::find(const EntityKey& key) const {
  const auto at = reservations_.find(key);
  return at == reservations_.end() ? nullptr : &at->second;
}

NodeId Reservations::expected_on(PodId pod) const {
  for (const auto& [key, hold] : reservations_) {
    if (const auto at = hold.places.find(pod); at != hold.places.end()) return at->second;
  }
  return {};
}

std::optional<EntityKey> Reservations::forget_pod(PodId pod) {
  std::optional<EntityKey> freed;
  condemned_.erase(pod);
  cluster_.unhold(pod);
  for (auto at = reservations_.begin(); at != reservations_.end();) {
    auto& [key, hold] = *at;
    if (hold.victims.erase(pod) > 0 && hold.victims.empty()) freed = key;
    hold.places.erase(pod);
    at = hold.places.empty() ? reservations_.erase(at) : std::next(at);
  }
  return freed;
}

std::vector<EntityKey> Reservations::awaiting(const std::string& ns,
                                              const std::string& claim) const {
  std::vector<EntityKey> keys;
  for (const auto& [key, hold] : reservations_) {
    if (!hold.victims.empty()) continue;
    if (std::ranges::find(hold.claims, std::pair(ns, claim)) != hold.claims.end()) {
      keys.push_back(key);
    }
  }
  return keys;
}

std::vector<EntityKey> Reservations::on_node(NodeId node) const {
  std::vector<EntityKey> keys;
  for (const auto& [key, hold] : reservations_) {
    const auto there = [&](const auto& place) { return place.second == node; };
    if (std::ranges::any_of(hold.places, there)) keys.push_back(key);
  }
  return keys;
}

std::vector<EntityKey> Reservations::due(Instant now) const {
  std::vector<EntityKey> keys;
  for (const auto& [key, hold] : reservations_) {
    if (hold.until <= now) keys.push_back(key);
  }
  return keys;
}

std::optional<Instant> Reservations::next_deadline() const {
  std::optional<Instant> next;
  for (const auto& [key, hold] : reservations_)
    next = std::min(next.value_or(hold.until), hold.until);
  return next;
}

void Reservations::lift(const Reservation& hold) {
  for (const auto& [pod, node] : hold.places) cluster_.unhold(pod);
}

void Reservations::lay_down(const Reservation& hold) {
  for (const auto& [pod, node] : hold.places) {
    const PodEntry& entry = cluster_.pod(pod);
    const bool wanted = !entry.node.valid() && !cluster_.held().contains(pod);
    if (wanted && cluster_.nodes().alive(node)) cluster_.hold(pod, node);
  }
}

Reservations::Blind::Blind(Reservations& holds, const EntityKey& key, std::int32_t priority,
                           Past past)
    : reservations_(holds), key_(key), priority_(priority) {
  if (const Reservation* own = reservations_.find(key_)) {
    reservations_.lift(*own);
    lifted_.push_back(key_);
  }
  if (past == Past::lower) past_lower();
}

bool Reservations::Blind::past_lower() {
  bool any = false;
  for (const auto& [key, hold] : reservations_.reservations_) {
    if (hold.priority >= priority_ || key == key_) continue;
    reservations_.lift(hold);
    lifted_.push_back(key);
    any = true;
  }
  return any;
}

// Members that got a node meanwhile need no room kept.
Reservations::Blind::~Blind() {
  for (const EntityKey& key : lifted_) {
    if (const Reservation* hold = reservations_.find(key)) reservations_.lay_down(*hold);
  }
}

}  // namespace tutti::core
