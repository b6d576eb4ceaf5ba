// CallQueue: jobs in order, a bounded number of them under way at once.
#pragma once

#include <deque>
#include <functional>

#include "base/check.h"
#include "base/std.h"

namespace tutti::daemon {

class CallQueue {
 public:
  // A job calls `done` exactly once, later, never from inside itself.
  using Done = std::function<void()>;
  using Job = std::function<void(Done done)>;

  explicit CallQueue(std::size_t width) : width_(width) {}
  CallQueue(const CallQueue&) = delete;
  CallQueue& operator=(const CallQueue&) = delete;

  void add(Job job) {
    waiting_.push_back(std::move(job));
    start();
  }
  // Jobs under way beyond a smaller width are left to end.
  void set_width(std::size_t width) {
    width_ = width;
    start();
  }
  std::size_t waiting() const { return waiting_.size(); }
  std::size_t under_way() const { return under_way_; }
  bool idle() const { return waiting_.empty() && under_way_ == 0; }

 private:
  void start() {
    while (under_way_ < width_ && !waiting_.empty()) {
      const Job job = std::move(waiting_.front());
      waiting_.pop_front();
      ++under_way_;
      job([this] {
        TUTTI_CHECK(under_way_ > 0);
        --under_way_;
        start();
      });
    }
  }

  std::size_t width_;
  std::size_t under_way_ = 0;
  std::deque<Job> waiting_;
};

}  // namespace tutti::daemon
