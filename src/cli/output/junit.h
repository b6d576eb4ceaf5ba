// Expectations as the JUnit XML that CI systems show.
#pragma once

#include "base/std.h"
#include "expect/check.h"
#include "expect/expectation.h"

namespace tutti::cli {

// A test suite for every file, a test case for every expectation.
std::string junit_text(const std::vector<std::string>& files,
                       const expect::Expectations& expectations,
                       const std::vector<expect::Failure>& failures);

}  // namespace tutti::cli
