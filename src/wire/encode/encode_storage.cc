#include "wire/encode/encode_kinds.h"

namespace tutti::wire {
namespace {

void write_claim_reference(Overlay& spec, const model::PersistentVolume& volume) {
  const bool empty =
      volume.claim_name.empty() && volume.claim_namespace.empty() && volume.claim_uid.empty();
  const Value* present = spec.find("claimRef");
  // Released: the reference goes as a whole, with the parts of it that we do not read.
  if (empty && present != nullptr && !says(*present, "name", "")) return spec.remove("claimRef");
  if (empty) return;
  spec.member("claimRef", [&](Overlay& claim) {
    if (present == nullptr || !present->is_object()) {
      claim.text("apiVersion", "v1");
      claim.text("kind", model::facts(model::Kind::persistent_volume_claim).name);
    }
    claim.text("name", volume.claim_name);
    claim.text("namespace", volume.claim_namespace);
    claim.text("uid", volume.claim_uid);
  });
}

}  // namespace

void write_kind(Overlay& at, const model::PersistentVolumeClaim& claim) {
  at.member("spec", [&](Overlay& spec) {
    // An empty class is a choice ("no class"), not the lack of one.
    if (claim.storage_class) spec.text_always("storageClassName", *claim.storage_class);
    spec.text("volumeName", claim.volume_name);
  });
  at.member("status", [&](Overlay& status) { status.text("phase", claim.phase); });
}

void write_kind(Overlay& at, const model::PersistentVolume& volume) {
  at.member("spec", [&](Overlay& spec) { write_claim_reference(spec, volume); });
  at.member("status", [&](Overlay& status) { status.text("phase", volume.phase); });
}

}  // namespace tutti::wire
