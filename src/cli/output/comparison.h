// Comparison: what another configuration would have made of the same input.
#pragma once

#include "base/std.h"
#include "expect/check.h"
#include "session/manifests/list_writer.h"
#include "terminal/layout.h"

namespace tutti::cli {

// How one workload or lone pod stands.
struct Stand {
  std::string state;  // empty: it is not there
  std::string blocker;
  std::size_t placed = 0;
  std::size_t total = 0;

  bool operator==(const Stand&) const = default;
  bool runs() const { return state == "Running" || state == "Finished" || state == "Succeeded"; }
};

struct Comparison {
  struct Difference {
    std::string work;  // "Job ml/pretrain"
    Stand before;
    Stand after;
  };
  std::string before;  // how the configurations are called
  std::string after;
  std::vector<Difference> differences = {};  // workloads and lone pods that stand otherwise
  std::size_t won = 0;                       // run now, and did not
  std::size_t lost = 0;
};

Comparison compare(const expect::Scene& before, const expect::Scene& after,
                   std::string_view before_name, std::string_view after_name);

std::string comparison_text(const Comparison& comparison, const terminal::Layout& layout);
// Requires JSON or YAML.
void write_comparison(const Comparison& comparison, session::Format format, std::ostream& out);

}  // namespace tutti::cli
