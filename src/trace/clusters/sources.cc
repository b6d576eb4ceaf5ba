#include "trace/clusters/sources.h"

#include <array>

namespace tutti::trace {

std::span<const Source> cluster_sources() {
  // Answers of Prometheus are JSON objects, too, and are asked about first.
  static constexpr std::array<Source, 4> kSources = {{
      {"prometheus", looks_like_samples, read_samples, read_sampled_nodes},
      {"kubernetes", looks_like_objects, read_pods, read_kubernetes_nodes},
      {"sacct", looks_like_sacct, read_sacct, nullptr},
      {"sinfo", looks_like_sinfo, nullptr, read_sinfo},
  }};
  return kSources;
}

}  // namespace tutti::trace
