// SpecMemo: what was worked out for a pod spec, found again by the spec's address for as long as
// some pod has that spec. It keeps no spec alive: where every pod or gang brings a spec of its own,
// memory would grow with all that ever ran.
#pragma once

#include <algorithm>
#include <unordered_map>

#include "base/std.h"
#include "model/pod.h"

namespace tutti::model {

template <typename Found>
class SpecMemo {
 public:
  using Spec = std::shared_ptr<const PodSpec>;

  // Null when nothing is known of it.
  const Found* find(const Spec& spec) const {
    const auto at = entries_.find(spec.get());
    return at != entries_.end() && same(at->second.spec, spec) ? &at->second.found : nullptr;
  }

  void keep(const Spec& spec, Found found) {
    if (entries_.size() >= forget_at_) forget_the_gone();
    entries_.insert_or_assign(spec.get(), Entry{spec, std::move(found)});
  }

  void clear() { entries_.clear(); }
  std::size_t size() const { return entries_.size(); }

 private:
  // Not worth looking for those that are gone among.
  static constexpr std::size_t kFew = 256;

  struct Entry {
    std::weak_ptr<const PodSpec> spec;
    Found found;
  };

  // An address may be given out again; who owns what is there tells one spec from the next.
  static bool same(const std::weak_ptr<const PodSpec>& known, const Spec& spec) {
    return !known.owner_before(spec) && !spec.owner_before(known);
  }

  void forget_the_gone() {
    std::erase_if(entries_, [](const auto& entry) { return entry.second.spec.expired(); });
    forget_at_ = std::max(kFew, 2 * entries_.size());
  }

  std::unordered_map<const PodSpec*, Entry> entries_;
  std::size_t forget_at_ = kFew;
};

}  // namespace tutti::model
