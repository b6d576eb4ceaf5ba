// Whole files as text.
#pragma once

#include <istream>

#include "base/result.h"
#include "base/std.h"

namespace tutti::session {

// The largest file a command reads.
inline constexpr std::size_t kMaxFileBytes = std::size_t{1} << 30;

// The file's content; "-" is `in`. not_found when there is no such file, invalid when it is too
// large or a folder, io when reading fails. Messages begin with the path.
Result<std::string> read_input(const std::string& path, std::istream& in);

// "pods.yaml:7: …" of a message that begins with "line 7: "; else "pods.yaml: …". The file "-" is
// called standard input.
std::string at_place(const std::string& file, const std::string& message);

}  // namespace tutti::session
