// What people ask `tutti explain` about: from words to an object, with suggestions where there is
// none, and everything that waits.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "model/object.h"
#include "session/session.h"

namespace tutti::cli {

struct ExplainTarget {
  std::string kind{};  // as typed; empty: any
  std::string name{};
};
// Reads "KIND/NAME" or "NAME". An error says what is wrong with it.
Result<ExplainTarget> parse_target(std::string_view text);

// The object that is meant: without a kind, what pods are made of comes before groups, and those
// before pods. The error says where there is something of that name, and what is spelt nearly so.
Result<model::ObjectKey> find_target(const session::Session& session, const ExplainTarget& target,
                                     const std::string& ns);

// Everything that waits or is held, by what people wrote: whatever cannot run at all first, then
// those of which the most pods wait.
std::vector<explain::Verdict> all_that_wait(session::Session& session);

}  // namespace tutti::cli
