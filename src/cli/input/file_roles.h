// Whether the files of a command line may be what they are asked to be.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "cli/input/options.h"

namespace tutti::cli {

// Refuses to read standard input twice, to read one file as manifest and as expectations, and to
// write the timeline over anything that is read. Empty paths are absent.
Status check_file_roles(const session::SessionOptions& session,
                        const std::vector<std::string>& expect, const std::string& timeline);

// Refuses to write the file of an option (`--html`) over anything that is read, or to standard
// output. An empty path is absent.
Status check_output_file(const session::SessionOptions& session, std::string_view option,
                         const std::string& path);

}  // namespace tutti::cli
