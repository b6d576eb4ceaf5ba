// Memory of one evaluation: handed out by moving a pointer, given back all at once, kept for the
// next evaluation. Only trivially destructible things live in it.
#pragma once

#include <new>
#include <type_traits>

#include "base/std.h"

namespace tutti::cel {

class Arena {
 public:
  // Forgets everything that was handed out; from now on at most `bytes_max` are.
  void reset(std::size_t bytes_max);

  // Null when the limit would be passed; nothing was taken then.
  void* allocate(std::size_t bytes);

  // Null likewise. The elements are default-constructed.
  template <typename T>
  T* array(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= kAlignment);
    if (count > kCountMax) return nullptr;
    void* memory = allocate(count * sizeof(T));
    if (memory == nullptr) return nullptr;
    T* first = static_cast<T*>(memory);
    for (std::size_t i = 0; i < count; ++i) new (first + i) T();
    return first;
  }

  template <typename T, typename... Arguments>
  T* create(Arguments&&... arguments) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= kAlignment);
    void* memory = allocate(sizeof(T));
    return memory == nullptr ? nullptr : new (memory) T(std::forward<Arguments>(arguments)...);
  }

 private:
  static constexpr std::size_t kAlignment = 16;
  static constexpr std::size_t kFirstChunk = 4096;
  static constexpr std::size_t kCountMax = std::size_t{1} << 32U;

  struct Chunk {
    std::unique_ptr<std::byte[]> memory;
    std::size_t size = 0;
  };
  void next_chunk(std::size_t bytes);

  std::vector<Chunk> chunks_;
  std::size_t chunk_ = 0;   // the one in use
  std::size_t offset_ = 0;  // in it
  std::size_t used_ = 0;
  std::size_t bytes_max_ = 0;
};

}  // namespace tutti::cel
