#include "cli/output/write_value.h"

#include "wire/json_writer.h"
#include "wire/yaml_writer.h"

namespace tutti::cli {

void write_value(const wire::Value& value, session::Format format, std::ostream& out) {
  if (format == session::Format::json) {
    out << wire::to_json(value, {.indent = 4}) << '\n';
  } else {
    out << wire::to_yaml(value);
  }
}

}  // namespace tutti::cli
