// ListWriter: a v1 List, the way `kubectl get -o json|yaml` prints it, written object by object.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "wire/value.h"

namespace tutti::cli {

enum class Format : std::uint8_t { table, json, yaml };

class ListWriter {
 public:
  // Requires json or yaml.
  ListWriter(Format format, std::ostream& out);
  void add(const wire::Value& object);
  // The end of the list; to be called once, last.
  void finish();

 private:
  void flush();

  bool json_;
  bool empty_ = true;
  std::ostream& out_;
  std::string buffer_;
};

}  // namespace tutti::cli
