// Arena: the memory of one document. Everything in it is freed together, nothing before.
#pragma once

#include <memory_resource>

#include "base/std.h"

namespace tutti::wire {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Bytes that live as long as the arena; never null, even for zero bytes.
  void* allocate(std::size_t bytes, std::size_t alignment) {
    return pool_.allocate(bytes, alignment);
  }

  // A copy of `text` that lives as long as the arena.
  std::string_view copy(std::string_view text);

 private:
  // About what a pod manifest needs, so that most documents cost one allocation.
  static constexpr std::size_t kFirstBlockBytes = 4096;

  std::pmr::monotonic_buffer_resource pool_{kFirstBlockBytes};
};

}  // namespace tutti::wire
