// What a session plays, and how, as plain values.
#pragma once

#include <functional>

#include "base/std.h"
#include "base/time.h"
#include "session/manifests/manifests.h"
#include "session/node_changes.h"

namespace tutti::session {

// How to run manifests; common to `run`, `explain` and `capacity`.
struct SessionOptions {
  ManifestPaths manifests;
  std::optional<Millis> until;  // absent: until nothing more can change
  std::uint64_t seed = 0;
  std::string config;      // path; empty: default_config()
  std::string plugin_dir;  // empty: the built-in plugins only
  bool check = false;      // watch for mistakes of ours; see sim/check/invariants.h
  // Whether somebody wants the run to end where it is (Ctrl-C); empty: nobody can.
  std::function<bool()> stop{};
};

struct PlanOptions {
  // Its manifests are the work asked about; without `cluster`, the cluster too. Its `until` is the
  // moment at which the work comes; absent: at once.
  SessionOptions session;
  ManifestPaths cluster;
  bool count = false;
  NodeChanges nodes{};  // made to the cluster when the work comes
  std::string queue{};  // the LocalQueue that the work is put into; empty: as it says itself
};

}  // namespace tutti::session
