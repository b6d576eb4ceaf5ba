// What the text fuzzers demand: whatever a reader accepts, both writers can write so that it reads
// back equal.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/check.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"
#include "wire/yaml_reader.h"
#include "wire/yaml_writer.h"

namespace tutti::fuzz {

template <typename Reader>
void demand_reads_back(Reader read, const std::string& text, const wire::Value& expected) {
  std::optional<wire::Document> found;
  const Status status = read(text, [&found](wire::Document&& document) {
    TUTTI_CHECK(!found, "one document became several");
    found = std::move(document);
    return ok_status();
  });
  TUTTI_CHECK(status.ok(), status.ok() ? "" : status.error().message);
  TUTTI_CHECK(found && found->root() == expected, text);
}

inline Status demand_round_trip(const wire::Document& document) {
  const auto read_yaml = [](std::string_view text, const wire::DocumentSink& sink) {
    return wire::read_yaml(text, sink);
  };
  const wire::Value& root = document.root();
  demand_reads_back(read_yaml, wire::to_yaml(root), root);
  demand_reads_back(wire::read_json, wire::to_json(root), root);
  demand_reads_back(wire::read_json, wire::to_json(root, wire::kKubectlJson), root);
  return ok_status();
}

}  // namespace tutti::fuzz
