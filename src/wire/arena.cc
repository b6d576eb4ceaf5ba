#include "wire/arena.h"

#include <algorithm>

namespace tutti::wire {

std::string_view Arena::copy(std::string_view text) {
  if (text.empty()) return {};
  char* bytes = static_cast<char*>(allocate(text.size(), 1));
  std::copy(text.begin(), text.end(), bytes);
  return {bytes, text.size()};
}

}  // namespace tutti::wire
