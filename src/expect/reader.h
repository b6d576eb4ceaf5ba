// Reads the text of an expectation file; see docs/guides/expect.md.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "expect/expectation.h"

namespace tutti::expect {

// Strict: a word that the format does not have is an error. The error says "line 7: [2].bound: …".
Result<Expectations> read_expectations(std::string_view text);

}  // namespace tutti::expect
