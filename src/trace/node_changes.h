// A real cluster as it might become: larger, smaller, with nodes that go.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "trace/job.h"
#include "trace/read.h"

namespace tutti::trace {

// All of them note in the list what was done. Errors name the option.

// "10xNODE": ten more like NODE, named after it.
Status add_nodes(NodeList& list, std::string_view spec);
// The last ones of the list go.
Status remove_nodes(NodeList& list, std::int64_t count);
// "n1,n2@36h": these nodes go at that time of the trace, with what runs on them, for good.
Status drain_nodes(NodeList& list, std::string_view spec);
// CSV: node,down,up, in seconds of the trace; a node without up does not return. Errors name file,
// line and column.
Status add_outages(NodeList& list, File file);

// A duration that may also be in days: "30d".
Result<Millis> parse_days(std::string_view text);

}  // namespace tutti::trace
