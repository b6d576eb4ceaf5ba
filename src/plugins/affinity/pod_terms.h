// Pod affinity terms, summed up by domain: those a class of pods has, and those that pods already
// placed have about the class.
//
// Placed pods are never visited one by one. What a class asks of others is counted per label class
// (core/matching/pod_counts.h); what others ask of the class is worked out once per shape that has
// pod
// affinity, and nodes list the special shapes they hold.
#pragma once

#include <functional>
#include <unordered_map>

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/framework/plugin.h"
#include "core/matching/domain_sums.h"
#include "core/matching/pod_counts.h"

namespace tutti::plugins {

// The class a pending pod will be counted in once placed.
core::LabelClass label_class_of(const model::Pod& pod);

// All terms as one query: pods that match every one of them. Without terms, or with one that
// matches nothing, the query matches nothing.
core::PodQuery query_of(const std::vector<model::PodAffinityTerm>& terms, std::string_view ns);
core::PodQuery query_of(const model::PodAffinityTerm& term, std::string_view ns);

// Sums by domain for as many topology keys as turn up.
class KeyedSums {
 public:
  // The position of the key's sums, made now if the key is new.
  std::size_t position(const core::Cluster& cluster, const std::string& key);
  core::DomainSums& operator[](std::size_t at) { return sums_[at].second; }
  bool empty() const { return sums_.empty(); }

  std::int64_t total_of(std::size_t node) const;
  bool any_positive(std::size_t node) const;

 private:
  std::vector<std::pair<std::string, core::DomainSums>> sums_;
};

// One term of a placed shape that is about the class.
struct ShapeTerm {
  std::size_t position;  // into the KeyedSums
  std::int64_t weight;
};

// What the placed shapes' terms say about the class, added into somebody's sums.
class ShapeTerms {
 public:
  // Names the topology key and weight of each of the shape's terms that is about the class.
  using Offer = std::function<void(const std::string& key, std::int64_t weight)>;
  using TermsOf = std::function<void(const core::PodShape& shape, const Offer& offer)>;

  // Borrows the cluster and `into`, which must outlive it. Adds the terms of all placed pods.
  ShapeTerms(const core::Cluster& cluster, KeyedSums& into, TermsOf terms_of);
  ShapeTerms(const ShapeTerms&) = delete;
  ShapeTerms& operator=(const ShapeTerms&) = delete;

  // The terms of the shape; empty for one without pod affinity.
  const std::vector<ShapeTerm>& of(core::ShapeId shape);

 private:
  const core::Cluster& cluster_;
  KeyedSums& into_;
  TermsOf terms_of_;
  std::unordered_map<core::ShapeId, std::vector<ShapeTerm>> terms_;  // looked up, never walked
};

// How far a changed sum of the node's domain is felt.
inline core::Effect reach(const core::DomainSums& sums, std::size_t node) {
  return sums.alone(node) ? core::Effect::node : core::Effect::everything;
}

}  // namespace tutti::plugins
