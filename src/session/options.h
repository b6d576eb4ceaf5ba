// What a session plays, and how, as plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "session/manifests/manifests.h"

namespace tutti::session {

// How to run manifests; common to `run`, `explain` and `capacity`.
struct SessionOptions {
  ManifestPaths manifests;
  std::optional<Millis> until;  // absent: until nothing more can change
  std::uint64_t seed = 0;
  std::string config;      // path; empty: default_config()
  std::string plugin_dir;  // empty: the built-in plugins only
  bool check = false;      // watch for mistakes of ours; see sim/check/invariants.h
};

struct PlanOptions {
  // Its manifests are the work asked about; without `cluster`, the cluster too. Its `until` is the
  // moment at which the work comes; absent: at once.
  SessionOptions session;
  ManifestPaths cluster;
  bool count = false;
};

}  // namespace tutti::session
