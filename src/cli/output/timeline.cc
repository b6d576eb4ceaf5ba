#include "cli/output/timeline.h"

#include <fmt/format.h>

#include <string_view>

#include "wire/json_writer.h"

namespace tutti::cli {
namespace {

std::string_view word_of(core::Decision::Kind kind) {
  switch (kind) {
    case core::Decision::Kind::placed:
      return "placed";
    case core::Decision::Kind::unschedulable:
      return "unschedulable";
    case core::Decision::Kind::failed:
      return "failed";
    case core::Decision::Kind::bind_failed:
      return "bindFailed";
    case core::Decision::Kind::taken_back:
      return "takenBack";
    case core::Decision::Kind::preempting:
      return "preempting";
    case core::Decision::Kind::admitted:
      return "admitted";
    case core::Decision::Kind::evicted:
      return "evicted";
  }
  return "unknown";
}

void append_member(std::string& out, std::string_view name, std::string_view text) {
  if (out.back() != '{') out += ',';
  wire::append_json_string(out, name);
  out += ':';
  wire::append_json_string(out, text);
}

}  // namespace

std::string timeline_line(const core::Decision& decision, Instant start) {
  std::string out = "{";
  const Millis since = decision.at - start;
  append_member(out, "at", format_duration(since));
  out += fmt::format(",\"seconds\":{}.{:03}", since.count() / 1000, since.count() % 1000);
  append_member(out, "decision", word_of(decision.kind));
  append_member(out, "entity", decision.entity);
  // Pods that have to leave come with the nodes that they leave.
  const bool evicts = decision.kind == core::Decision::Kind::preempting;
  out +=
      fmt::format(",\"attempt\":{},\"{}\":{{", decision.attempt, evicts ? "victims" : "bindings");
  for (const auto& [pod, node] : decision.bindings) append_member(out, pod, node);
  out += '}';
  append_member(out, "message", decision.message);
  if (!decision.rule.empty()) append_member(out, "rule", decision.rule);
  if (!decision.by.empty()) append_member(out, "by", decision.by);
  out += '}';
  return out;
}

Status TimelineFile::open(const std::string& path, Instant start) {
  path_ = path;
  start_ = start;
  file_.open(path, std::ios::binary | std::ios::trunc);
  if (file_) return ok_status();
  return Error{Error::Code::io, path + ": cannot be written"};
}

void TimelineFile::decided(const core::Decision& decision) {
  if (file_.is_open()) file_ << timeline_line(decision, start_) << '\n';
}

Status TimelineFile::close() {
  if (!file_.is_open()) return ok_status();
  file_.close();
  if (file_) return ok_status();
  return Error{Error::Code::io, path_ + ": writing failed"};
}

}  // namespace tutti::cli
