#include "controllers/names.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/digest.h"

namespace tutti::controllers {
namespace {

constexpr std::size_t kNameMax = 253;
// No vowels and nothing that looks like another: no words by accident.
constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";

std::uint32_t fnv1a(std::string_view text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

}  // namespace

std::string name_hash(std::string_view text) {
  std::string digits = fmt::to_string(fnv1a(text));
  for (char& digit : digits) {
    digit = kLetters[static_cast<unsigned char>(digit) % kLetters.size()];
  }
  return digits;
}

// The uid is hashed in the form in which Go's printer of values shows it.
std::string workload_name(std::string_view owner, std::string_view owner_uid) {
  const std::string hash = name_hash(fmt::format("(types.UID){}", owner_uid));
  return fmt::format("{}-{}", owner.substr(0, kNameMax - hash.size() - 1), hash);
}

// Each part may have half of the room, and what the other leaves over.
std::string pod_group_name(std::string_view workload, std::string_view template_name) {
  const std::string hash = name_hash(fmt::format("{}{}", workload, template_name));
  const std::size_t room = kNameMax - hash.size() - 2;
  const std::size_t half = room / 2;
  const std::size_t first = std::max(room - half, room - std::min(room, template_name.size()));
  workload = workload.substr(0, first);
  template_name = template_name.substr(0, room - workload.size());
  return fmt::format("{}-{}-{}", workload, template_name, hash);
}

std::string generated_name(std::string_view prefix, std::string_view uid, std::uint64_t attempt) {
  constexpr int kSuffixLength = 5;
  Digest digest;
  digest.add(uid);
  digest.add(attempt);
  std::uint64_t chance = digest.value();
  std::string name(prefix.substr(0, kGeneratedPrefixMax));
  for (int i = 0; i < kSuffixLength; ++i) {
    name += kLetters[chance % kLetters.size()];
    chance /= kLetters.size();
  }
  return name;
}

}  // namespace tutti::controllers
