// Ways that are tried in a world of their own, played from the same manifests with one thing
// changed, because the scheduler does not know the pods that they are about, or could not tell:
//
//   resume        a suspended Job has no pods yet
//   spelling      pods that name a scheduler there is none of are nobody's
//   storageClass  what a class does with a claim, others do
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "explain/verdict/way.h"
#include "session/options.h"
#include "session/session.h"
#include "terminal/streams.h"

namespace tutti::session {

struct Replay {
  const sim::Script& script;  // of which the session was made
  const SessionOptions& options;
  terminal::Streams& streams;
};

// Requires an object that the session knows.
Result<std::vector<explain::Way>> replayed_ways(const Replay& replay, const Session& session,
                                                const model::ObjectKey& key);

}  // namespace tutti::session
