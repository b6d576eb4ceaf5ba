// Whether the files of a command line may be what they are asked to be.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/options.h"

namespace tutti::cli {

// Refuses to read standard input twice, to read one file as manifest and as expectations, and to
// write the timeline over anything that is read. Empty paths are absent.
Status check_file_roles(const SessionOptions& session, const std::string& expect,
                        const std::string& timeline);

}  // namespace tutti::cli
