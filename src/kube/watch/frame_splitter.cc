#include "kube/watch/frame_splitter.h"

#include <fmt/format.h>

#include <utility>

namespace tutti::kube {
namespace {

bool blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

void FrameSplitter::reset() {
  // One huge event must not hold its memory until the next one.
  partial_ = std::string();
}

Status FrameSplitter::keep(std::string_view part) {
  if (part.size() > frame_bytes_max_ - partial_.size()) {
    return Error{Error::Code::malformed,
                 fmt::format("an event exceeds {} bytes", frame_bytes_max_)};
  }
  partial_.append(part);
  return ok_status();
}

Status FrameSplitter::feed(std::string_view chunk,
                           const std::function<bool(std::string_view)>& frame) {
  while (!chunk.empty()) {
    const std::size_t end = chunk.find('\n');
    const std::string_view part = chunk.substr(0, end);
    if (end == std::string_view::npos || !partial_.empty()) TUTTI_TRY(keep(part));
    if (end == std::string_view::npos) return ok_status();
    chunk.remove_prefix(end + 1);
    if (part.size() > frame_bytes_max_) TUTTI_TRY(keep(part));
    const std::string joined = std::exchange(partial_, std::string());
    const std::string_view line = joined.empty() ? part : joined;
    if (!blank(line) && !frame(line)) return ok_status();
  }
  return ok_status();
}

}  // namespace tutti::kube
