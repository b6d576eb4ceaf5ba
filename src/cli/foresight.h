// Foresight: when something that waits will run, and what for, found by letting the world go on.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "model/pod.h"
#include "store/watch.h"

namespace tutti::cli {

struct Foresight {
  Millis at{0};                     // since the start of the run
  std::vector<std::string> causes;  // "Pod t/a ends", in order of names
};

// "in 7m0s, at 12m0s: when PodGroup t/b ends"
std::string text_of(const Foresight& foresight, Millis now);

// What happens in the world that may make room: work that ends, nodes that come or open, objects
// that are created; and of the one who waits, pods that come and gates that open. Keeps what the
// latest eventful instant brought.
class Omens {
 public:
  explicit Omens(model::ObjectKey asked) : asked_(std::move(asked)) {}

  void observe(const store::WatchEvent& event, Instant now);
  // Those of pods are counted to their groups.
  std::vector<std::string> latest() const { return {causes_.begin(), causes_.end()}; }

 private:
  bool is_asked(const model::Pod& pod) const;
  std::string of_asked(const store::WatchEvent& event) const;

  model::ObjectKey asked_;
  Instant at_;
  std::set<std::string> causes_;
};

}  // namespace tutti::cli
