// Files that hold one small thing: a token, a certificate, a kubeconfig.
#pragma once

#include "base/result.h"
#include "base/std.h"

namespace tutti::kube {

// Far more than any of them needs.
inline constexpr std::size_t kSmallFileBytesMax = std::size_t{4} << 20;

// The whole content. not_found when there is no such file, else io; the message begins with the
// path, says why and does not repeat the content.
Result<std::string> read_small_file(const std::string& path);

// Why the file cannot be opened for reading ("No such file or directory"); empty when it can.
std::string why_unreadable(const std::string& path);

}  // namespace tutti::kube
