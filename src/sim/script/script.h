// Script: what users' manifests do to the cluster, and when.
//
// Every document is an object created at its `tutti.dev/at` (0 when absent); a later document of
// the same object changes it then; `tutti.dev/delete-at` ends it. All that can be wrong with a
// manifest is found here, before anything runs.
#pragma once

#include <functional>
#include <map>

#include "base/result.h"
#include "base/std.h"
#include "base/time.h"
#include "core/framework/quota_config.h"
#include "model/object.h"
#include "model/pod.h"

namespace tutti::sim {

// A document as read, and where it begins.
struct LoadedObject {
  model::ObjectPtr object;
  std::string file;
  int line = 0;
};

struct Action {
  enum class Verb : std::uint8_t { remove, create, update };
  Millis at{0};  // since the start of the run
  Verb verb = Verb::create;
  model::ObjectKey key;
  model::ObjectPtr object;  // admitted, with all defaults; null for remove
  bool quiet = false;
  std::optional<std::int64_t> grace_seconds{};  // of a removal; absent: the pod's own period
};

// In the order in which they happen: by time; then removals, then the rest by kind so that what
// others name comes first; then by namespace and name. The order of documents does not matter.
struct Script {
  std::vector<Action> actions;
  // The moment at which a cluster was copied from life; the run then starts at it.
  std::optional<Instant> taken_at;
  // All that the documents bring: none of them is made up for another object, even before theirs
  // is created.
  std::vector<std::string> uids = {};
  // What is strange about the documents but no mistake: "file:line: Pod t/a: spec.nodeName: …".
  std::vector<std::string> notes = {};
  // What specs of pods were before defaults were filled in, by what they became. Looked up, never
  // iterated: the order by address reaches no one.
  using SharedSpec = std::shared_ptr<const model::PodSpec>;
  std::map<SharedSpec, SharedSpec> written = {};
  // How queues hand out quota, where the documents say it.
  std::optional<core::QuotaConfig> quota = {};
};

// Something wrong with the input, as one line says it: "file:line: Kind ns/name: field: message".
struct InputProblem {
  std::string file;
  int line = 0;
  std::string text;  // all of the line
};

// The line in which a field of the document is written.
using LineOfField = std::function<int(const LoadedObject&, std::string_view path)>;

struct Input {
  std::vector<LoadedObject> objects;
  // What was found wrong while they were read, and kept other objects out. There is then no script,
  // and what the objects refer to may be among those that are missing.
  std::vector<InputProblem> problems = {};
  std::optional<Instant> taken_at = {};
  std::optional<core::QuotaConfig> quota = {};
};

// The error lists the problems, those of reading among them, one per line and in the order of files
// and lines. The line is that of the document where `line_of` is absent.
Result<Script> build_script(const Input& input, const LineOfField& line_of = {});

}  // namespace tutti::sim
