#include "controllers/queues/request_name.h"

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/sha1.h"
#include "controllers/dependents.h"
#include "controllers/queues/work/queue_words.h"

namespace tutti::controllers {
namespace {

constexpr std::size_t kRequestNameMax = 253;
constexpr std::size_t kHashDigits = 5;

}  // namespace

std::string request_name(std::string_view api_group, std::string_view kind, std::string_view name,
                         std::string_view uid) {
  std::string prefix;
  for (const char letter : kind) prefix += ascii_lower(letter);
  prefix = fmt::format("{}-{}", prefix, name).substr(0, kRequestNameMax - kHashDigits - 1);
  const std::string hash = sha1_hex(fmt::format("{}\n{}\n{}\n{}", kind, api_group, name, uid));
  return fmt::format("{}-{}", prefix, hash.substr(0, kHashDigits));
}

std::string request_name(const model::Object& owner) {
  const model::OwnerReference reference = plain_reference(owner);
  return request_name(api_group_of(reference.api_version), reference.kind, reference.name,
                      reference.uid);
}

model::ObjectKey request_key(const model::Pod& pod) {
  const std::string* group = model::find(pod.meta.labels, kQueuedGroup);
  return {model::Kind::admission_request,
          pod.meta.ns,
          group != nullptr ? *group : request_name("", "Pod", pod.meta.name, pod.meta.uid),
          {}};
}

}  // namespace tutti::controllers
