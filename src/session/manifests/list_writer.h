// ListWriter: a v1 List, the way `kubectl get -o json|yaml` prints it, written object by object.
#pragma once

#include <ostream>

#include "base/std.h"
#include "base/time.h"
#include "wire/value.h"

namespace tutti::session {

enum class Format : std::uint8_t { table, json, yaml };

// Annotation of a List: when the cluster that it holds was copied (RFC 3339).
inline constexpr std::string_view kTakenAt = "tutti.dev/taken-at";

class ListWriter {
 public:
  // Requires json or yaml. A List that was taken from a cluster says when.
  ListWriter(Format format, std::ostream& out, std::optional<Instant> taken_at = {});
  void add(const wire::Value& object);
  // The end of the list; to be called once, last.
  void finish();

 private:
  void flush();

  bool json_;
  bool empty_ = true;
  std::optional<Instant> taken_at_;
  std::ostream& out_;
  std::string buffer_;
};

}  // namespace tutti::session
