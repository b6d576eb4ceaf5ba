// The formats of clusters that people have.
#pragma once

#include "base/std.h"
#include "trace/read.h"

namespace tutti::trace {

// kubernetes, prometheus, sacct, and sinfo, which is about nodes alone.
std::span<const Source> cluster_sources();

// Each recognises and reads as trace/read.h says.
bool looks_like_objects(std::string_view text);
Status read_pods(std::span<Unpacked> files, const ReadOptions& options, Trace& trace);
Status read_kubernetes_nodes(std::span<Unpacked> files, const ReadOptions& options,
                             NodeList& nodes);

bool looks_like_samples(std::string_view text);
Status read_samples(std::span<Unpacked> files, const ReadOptions& options, Trace& trace);
Status read_sampled_nodes(std::span<Unpacked> files, const ReadOptions& options, NodeList& nodes);

bool looks_like_sacct(std::string_view text);
Status read_sacct(std::span<Unpacked> files, const ReadOptions& options, Trace& trace);

bool looks_like_sinfo(std::string_view text);
Status read_sinfo(std::span<Unpacked> files, const ReadOptions& options, NodeList& nodes);

}  // namespace tutti::trace
