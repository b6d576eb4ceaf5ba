// Timeline: when all that runs is expected to end, in order of time.
//
// Who stays longer than was expected gets a new end, a tenth of its time so far later, and at least
// a minute; so again and again. The new end follows from its start and its first expectation alone:
// a timeline that is built anew says the same as one that was kept up to date.
#pragma once

#include <map>
#include <set>

#include "base/std.h"
#include "base/time.h"
#include "core/shapes/ids.h"

namespace tutti::core {

// A request by its name, or a pod that no request has.
struct Runner {
  std::string request{};
  PodId pod{};
  auto operator<=>(const Runner&) const = default;
};

struct Expectation {
  Instant start{};
  std::optional<Millis> length{};  // absent: endless
  bool certain = false;            // somebody keeps it
  friend bool operator==(const Expectation&, const Expectation&) = default;
};

class Timeline {
 public:
  struct End {
    Instant at{};
    Runner who{};
    auto operator<=>(const End&) const = default;
  };

  // Somebody runs, or something else is expected of it now.
  void put(const Runner& who, const Expectation& expected);
  // It has ended. Whether that was before it was expected; false for somebody unknown.
  bool remove(const Runner& who);
  // Time has come so far: who should have ended before gets a new end.
  void advance(Instant now);

  // Who has an end, in order.
  const std::set<End>& ends() const { return ends_; }
  // Who runs for ever, as far as anybody knows: whoever began first comes first.
  std::vector<Runner> endless() const;
  bool knows(const Runner& who) const { return all_.contains(who); }
  bool is_endless(const Runner& who) const {
    const auto at = all_.find(who);
    return at != all_.end() && !at->second.end;
  }
  // Whether the end is kept by somebody, and was not passed yet.
  bool is_certain(const Runner& who) const;
  // Rises with every change.
  std::uint64_t version() const { return version_; }
  // How many have ended so far.
  std::uint64_t ended() const { return ended_; }
  Instant now() const { return now_; }
  std::size_t size() const { return all_.size(); }
  void clear();

  // Whether both expect the same of the same; else the first difference.
  std::string difference(const Timeline& other) const;

 private:
  struct Entry {
    Expectation expected;
    std::optional<Instant> end;
    bool overruns = false;
  };
  static Entry made(const Expectation& expected, Instant now);

  std::map<Runner, Entry> all_;
  std::set<End> ends_;
  Instant now_{};
  std::uint64_t version_ = 1;
  std::uint64_t ended_ = 0;
};

}  // namespace tutti::core
