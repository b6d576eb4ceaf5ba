// Script: what users' manifests do to the cluster, and when.
//
// Every document is an object created at its `tutti.dev/at` (0 when absent); a later document of
// the same object changes it then; `tutti.dev/delete-at` ends it. All that can be wrong with a
// manifest is found here, before anything runs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/object.h"

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
};

// In the order in which they happen: by time; then removals, then the rest by kind so that what
// others name comes first; then by namespace and name. The order of documents does not matter.
struct Script {
  std::vector<Action> actions;
  // Of a cluster copied from life: the moment, at which the run then starts.
  std::optional<Instant> taken_at;
};

// The line in which a field of the document is written.
using LineOfField = std::function<int(const LoadedObject&, std::string_view path)>;

// The error lists every problem, one per line: "file:line: Kind ns/name: field.path: message". The
// line is that of the document where `line_of` is absent.
Result<Script> build_script(const std::vector<LoadedObject>& objects,
                            const LineOfField& line_of = {}, std::optional<Instant> taken_at = {});

}  // namespace tutti::sim
