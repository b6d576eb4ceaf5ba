// SharedList: a list whose copies share one memory until one of them is changed.
//
// Objects are immutable and copied whole for every change of theirs. What most changes leave alone
// (labels, annotations, conditions) then costs a pointer per version, and an empty list nothing
// more.
//
// Reading is like reading a const std::vector; edit() is the one way to change what is there.
#pragma once

#include <initializer_list>

#include "base/std.h"

namespace tutti {

template <typename T>
class SharedList {
 public:
  using value_type = T;
  using const_iterator = typename std::vector<T>::const_iterator;

  SharedList() = default;
  // Implicit, so that a list is written where a SharedList is meant.
  SharedList(std::vector<T> items) {  // NOLINT(google-explicit-constructor)
    if (items.empty()) return;
    // Kept for long by many: no room to grow.
    items.shrink_to_fit();
    shared_ = std::make_shared<std::vector<T>>(std::move(items));
  }
  SharedList(std::initializer_list<T> items) : SharedList(std::vector<T>(items)) {}

  const std::vector<T>& list() const {
    static const std::vector<T> kEmpty;
    return shared_ ? *shared_ : kEmpty;
  }
  operator const std::vector<T>&() const { return list(); }  // NOLINT(google-explicit-constructor)
  const_iterator begin() const { return list().begin(); }
  const_iterator end() const { return list().end(); }
  std::size_t size() const { return shared_ ? shared_->size() : 0; }
  bool empty() const { return size() == 0; }
  const T& operator[](std::size_t index) const { return (*shared_)[index]; }
  const T& front() const { return shared_->front(); }
  const T& back() const { return shared_->back(); }

  // The items, to be changed: no copy made before sees it. Valid until this list is copied.
  std::vector<T>& edit() {
    if (!shared_) {
      shared_ = std::make_shared<std::vector<T>>();
    } else if (shared_.use_count() > 1) {
      shared_ = std::make_shared<std::vector<T>>(*shared_);
    }
    return *shared_;
  }
  void push_back(T item) { edit().push_back(std::move(item)); }
  void clear() { shared_.reset(); }

  // Whether both are one memory; equal lists need not be.
  bool shares_with(const SharedList& other) const { return shared_ == other.shared_; }
  bool operator==(const SharedList& other) const {
    return shares_with(other) || list() == other.list();
  }

 private:
  std::shared_ptr<std::vector<T>> shared_;
};

}  // namespace tutti
