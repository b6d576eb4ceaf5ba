#include "cel/value/arena.h"

#include <algorithm>

namespace tutti::cel {

void Arena::reset(std::size_t bytes_max) {
  chunk_ = 0;
  offset_ = 0;
  used_ = 0;
  bytes_max_ = bytes_max;
}

void* Arena::allocate(std::size_t bytes) {
  if (bytes > bytes_max_ - used_) return nullptr;
  const std::size_t padded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (chunks_.empty() || padded > chunks_[chunk_].size - offset_) next_chunk(padded);
  std::byte* memory = chunks_[chunk_].memory.get() + offset_;
  offset_ += padded;
  used_ = std::min(used_ + padded, bytes_max_);
  return memory;
}

// Moves to the first later chunk that is large enough, or makes one twice as large as the last.
void Arena::next_chunk(std::size_t bytes) {
  offset_ = 0;
  while (!chunks_.empty() && chunk_ + 1 < chunks_.size()) {
    if (chunks_[++chunk_].size >= bytes) return;
  }
  const std::size_t doubled = chunks_.empty() ? kFirstChunk : 2 * chunks_.back().size;
  const std::size_t size = std::max(bytes, doubled);
  chunks_.push_back({std::make_unique<std::byte[]>(size), size});
  chunk_ = chunks_.size() - 1;
}

}  // namespace tutti::cel
