// Reflector: keeps up with all objects of one resource. Lists in pages, watches with bookmarks,
// resumes where it was cut off, lists again when the server has forgotten that point, and then
// tells the difference to what it had told before.
//
//   list pages ──> added/modified/deleted, synced() ──> watch ──cut──> watch again from the last
//   version ──410──> list
//
// Lists ask for the present state, not for what some API server has cached ("resourceVersion=0"):
// a scheduler that starts again must see the bindings it has just made, and only such lists come in
// pages.
#pragma once

#include <functional>

#include "base/std.h"
#include "kube/client/api_client.h"
#include "kube/client/resource.h"
#include "model/object.h"

namespace tutti::kube {

struct Change {
  enum class Type : std::uint8_t { added, modified, deleted };
  Type type = Type::added;
  model::ObjectPtr object;  // the last known state for deleted
};

class Reflector {
 public:
  struct Handlers {
    std::function<void(const Change&)> changed;
    std::function<void()> synced;  // the first list is complete; called once
    // One line for the log: a failure and what happens next, or a malformed object that was left
    // out. Not repeated for every retry of the same failure.
    std::function<void(const std::string&)> trouble;
  };
  // The handlers must not destroy the reflector.
  Reflector(net::Loop& loop, ApiClient& client, Resource resource, Handlers handlers);
  ~Reflector();
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  void start();
  bool synced() const;
  // Present and in touch: synced, and the watch is open or was cut off only a moment ago.
  bool healthy(Instant now) const;
  // Why it is out of touch, in words that tell forbidden from not found; empty while all is well.
  const std::string& trouble() const;
  std::size_t size() const;  // objects known

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tutti::kube
