// Any bytes as manifests: what decodes is written back as a document that decodes again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "wire/decode/decode.h"
#include "wire/encode/encode.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"
#include "wire/yaml_reader.h"

namespace tutti::wire {
namespace {

Status demand_reads_back(Document&& written) {
  Decoder decoder;
  const auto object = decode(written.root(), decoder);
  TUTTI_CHECK(object.ok(), object.ok() ? "" : object.error().message);
  Document again;
  TUTTI_CHECK(encode(**object, again) == written.root(), "writing twice changes the object");
  return ok_status();
}

Status demand_round_trip(const Value& item, Decoder& decoder) {
  const auto object = decode(item, decoder);
  if (!object.ok()) return ok_status();
  Document document;
  const Status status = read_json(to_json(encode(**object, document)), demand_reads_back);
  TUTTI_CHECK(status.ok(), status.ok() ? "" : status.error().message);
  return ok_status();
}

}  // namespace
}  // namespace tutti::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tutti;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  wire::Decoder decoder;
  // Text that is no YAML is refused; what matters is demanded of the rest.
  static_cast<void>(wire::read_yaml(text, [&](wire::Document&& document) {
    return wire::for_each_object(
        document, [&](const wire::Value& item) { return wire::demand_round_trip(item, decoder); });
  }));
  return 0;
}
