#include "kube/lease/lease_text.h"

#include <utility>

#include "wire/decode/decode.h"
#include "wire/encode/encode.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace tutti::kube {

Result<std::shared_ptr<const model::Lease>> read_lease(std::string_view text) {
  std::shared_ptr<const model::Lease> lease;
  wire::Decoder decoder;
  TUTTI_TRY(wire::read_json(text, [&](wire::Document&& document) -> Status {
    TUTTI_ASSIGN(auto object, wire::decode(document.root(), decoder));
    if (object->kind != model::Kind::lease) {
      return Error{Error::Code::malformed, "expected a Lease, found something else"};
    }
    lease = std::static_pointer_cast<const model::Lease>(std::move(object));
    return ok_status();
  }));
  if (!lease) return Error{Error::Code::malformed, "expected a Lease, found nothing"};
  return lease;
}

std::string write_lease(const model::Lease& lease) {
  wire::Document document;
  return wire::to_json(wire::encode(lease, document));
}

}  // namespace tutti::kube
