// FrameSplitter: cuts the bytes of a watch, which arrive in pieces of any size, into its lines.
// Each line is one event.
#pragma once

#include <functional>

#include "base/result.h"
#include "base/std.h"

namespace tutti::kube {

class FrameSplitter {
 public:
  explicit FrameSplitter(std::size_t frame_bytes_max) : frame_bytes_max_(frame_bytes_max) {}

  // Calls `frame` with each line that `chunk` completes, without its end; blank ones are skipped. A
  // line that lies within the chunk is not copied. When `frame` returns false the rest of the chunk
  // is dropped. An error says that a line is longer than allowed; nothing can then be fed before
  // reset().
  Status feed(std::string_view chunk, const std::function<bool(std::string_view)>& frame);

  // Forgets a line that has begun.
  void reset();

 private:
  Status keep(std::string_view part);

  std::size_t frame_bytes_max_;
  std::string partial_;  // of a line whose end has not come
};

}  // namespace tutti::kube
