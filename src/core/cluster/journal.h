// Journal: every pod that was put on a node or taken off one, in order; and the versions of what
// else a plugin's answer may rest on. An Evaluation made earlier catches up by reading both.
#pragma once

#include "base/check.h"
#include "base/std.h"
#include "core/shapes/ids.h"

namespace tutti::core {

// A pod was put on (+1) or taken off (-1) a node, decided or observed.
struct Change {
  NodeId node;
  ShapeId shape;
  LabelClassId labels;
  std::int32_t count = 0;
};

struct Versions {
  // Rises when anything but places and removes may have changed a plugin's answer: a node's labels,
  // a claim, a service. Evaluations then start over.
  std::uint64_t structure = 1;
  // Rises when selectors by which pods are told apart may have changed: those of objects that
  // default spread follows, and of placed pods with affinity to pods. Label classes keep their ids
  // until it rises.
  std::uint64_t selectors = 1;
  // Rises when a node comes, goes or changes, its domains by devices included.
  std::uint64_t nodes = 1;
  // Rises with every observed change that could let a waiting pod run or stop it from running, and
  // not with tentative decisions.
  std::uint64_t observed = 1;
};

class Journal {
 public:
  // Sequence number of the next entry.
  std::uint64_t end() const { return base_ + changes_.size(); }
  // The entries from a sequence number on; nullopt when they were already dropped.
  std::optional<std::span<const Change>> since(std::uint64_t sequence) const {
    TUTTI_CHECK(sequence <= end(), "changes that are still to come");
    if (sequence < base_) return std::nullopt;
    return std::span(changes_).subspan(static_cast<std::size_t>(sequence - base_));
  }

  void append(const Change& change) {
    if (changes_.size() >= kLimit) drop_older_half();
    changes_.push_back(change);
  }

 private:
  // Evaluations older than this many changes start over instead of catching up.
  static constexpr std::size_t kLimit = 1U << 16;

  void drop_older_half() {
    const auto half = static_cast<std::ptrdiff_t>(changes_.size() / 2);
    changes_.erase(changes_.begin(), changes_.begin() + half);
    base_ += static_cast<std::uint64_t>(half);
  }

  std::vector<Change> changes_;
  std::uint64_t base_ = 0;
};

}  // namespace tutti::core
