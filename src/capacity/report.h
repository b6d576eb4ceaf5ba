// Report: the answers of `tutti capacity` as plain values. make_report() finds them, walk() hands
// them to a JSON or YAML writer.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "capacity/device_use.h"
#include "capacity/gang_room.h"
#include "capacity/holdings.h"
#include "capacity/levels.h"
#include "capacity/shape.h"
#include "capacity/twin.h"
#include "capacity/waiting.h"
#include "core/scheduler.h"
#include "explain/explain.h"
#include "explain/verdict.h"

namespace tutti::capacity {

struct ShapeRoom {
  Shape shape;
  std::vector<LevelRoom> levels;  // in the order of Report::levels
  std::size_t pooled = 0;         // see pooled_room()
};

struct Report {
  Instant at;
  std::size_t nodes = 0;
  std::size_t pods = 0;  // on nodes
  std::vector<Level> levels;
  std::vector<ShapeRoom> shapes;
  std::size_t more_shapes = 0;  // of the work, not looked at
  std::vector<DeviceUse> devices;
  std::vector<IncompleteGroup> incomplete;
  std::vector<Waiting> queue;
};

// What is looked at unless a question says otherwise.
inline constexpr std::size_t kShapesShown = 10;

struct Question {
  const core::Scheduler& scheduler;
  explain::Sources sources;  // of the same scheduler
  Instant now;
  std::vector<Shape> shapes{};        // none: those of the work, at most kShapesShown
  std::vector<std::string> levels{};  // keys beyond those found
};

// `twin` is one of the question's scheduler, and is left as it was.
Report make_report(const Question& question, Twin& twin);

// Whether the group or pod waits although the free total would do.
bool fragmented(const Waiting& waiting);

// All fields, empty ones too, under stable names; see docs/guides/capacity.md.
void walk(const Report& report, explain::FieldSink& sink);

}  // namespace tutti::capacity
