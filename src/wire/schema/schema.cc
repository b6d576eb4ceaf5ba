#include "wire/schema/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/text.h"
#include "wire/schema/fields.h"

namespace tutti::wire {
namespace {

constexpr std::string_view kShared = "shared";
constexpr std::string_view kCoreVersion = "v1";
constexpr std::string_view kCoreGroup = "core";
constexpr std::string_view kListEnding = "List";

std::string_view take_until(std::string_view& text, char end) {
  const std::string_view taken = text.substr(0, text.find(end));
  text.remove_prefix(std::min(text.size(), taken.size() + 1));
  return taken;
}

// The words of the next line and of the lines that go on with it.
std::vector<std::string_view> take_record(std::string_view& table) {
  std::vector<std::string_view> words;
  do {
    std::string_view line = take_until(table, '\n');
    while (!line.empty()) {
      if (const std::string_view word = take_until(line, ' '); !word.empty()) words.push_back(word);
    }
  } while (table.starts_with(' '));
  return words;
}

std::string_view group_in(std::string_view version) {
  const std::size_t slash = version.find('/');
  return slash == std::string_view::npos ? kCoreGroup : version.substr(0, slash);
}

std::string_view text_of(const Value& object, std::string_view name) {
  const Value* member = object.find(name);
  return member != nullptr && member->is_string() ? member->text() : std::string_view{};
}

// Two edits make any short word of any other.
std::string_view meant_by(std::string_view word, std::span<const std::string_view> known) {
  constexpr std::size_t kLettersMin = 3;
  return word.size() < kLettersMin ? std::string_view{} : nearest_word(word, known);
}

}  // namespace

// A step on the way from the object to a value. The text of a path is made only for a stray.
struct Schema::Place {
  const Place* parent = nullptr;
  std::optional<TypeId> type;  // of the value, where it is an object with fields
  std::string_view name;
  std::size_t index = 0;  // of an item, which has no name

  std::string path() const {
    if (parent == nullptr) return {};
    const std::string before = parent->path();
    if (name.data() == nullptr) return fmt::format("{}[{}]", before, index);
    return member_path(before, name);
  }
  static std::string member_path(const std::string& before, std::string_view name) {
    const bool plain = !name.empty() && name.find_first_of("./[] ") == std::string_view::npos;
    if (!plain) return fmt::format("{}[{}]", before, name);
    return before.empty() ? std::string(name) : fmt::format("{}.{}", before, name);
  }
};

// What was read of tables and waits until all types are known.
struct Schema::Reading {
  struct Record {
    std::string_view version;
    TypeId type = 0;
    std::vector<std::string_view> fields;
  };
  std::vector<Record> records;
  std::vector<Name> kinds;
};

Schema::Schema(std::span<const std::string_view> tables) {
  Reading reading;
  for (const std::string_view table : tables) read(table, reading);
  resolve(reading);
}

const Schema& Schema::of_the_api() {
  static const Schema schema(std::array{
      kCoreFields, kAppsFields, kBatchFields, kStorageFields, kPolicyFields, kCoordinationFields,
      kSchedulingFields, kResourceFields, kProjectFields, kKueueFields, kGroupKinds});
  return schema;
}

void Schema::read(std::string_view table, Reading& reading) {
  std::string_view version = kShared;
  while (!table.empty()) {
    std::vector<std::string_view> words = take_record(table);
    if (words.empty()) continue;
    std::string_view head = words.front();
    words.erase(words.begin());
    if (head == kShared) {
      version = kShared;
    } else if (head == "version") {
      version = words.front();
    } else if (head == "kinds") {
      for (const std::string_view kind : words) reading.kinds.emplace_back(version, kind);
    } else if (head == "group") {
      std::string_view group = words.front();
      group.remove_suffix(1);
      group_kinds_[group].assign(words.begin() + 1, words.end());
    } else {
      TUTTI_CHECK(head.ends_with(':'), head);
      head.remove_suffix(1);
      const TypeId id = types_.size();
      TUTTI_CHECK(type_ids_.try_emplace({version, head}, id).second, head);
      types_.emplace_back();
      reading.records.push_back({version, id, std::move(words)});
    }
  }
}

void Schema::resolve(const Reading& reading) {
  for (const auto& [version, id, fields] : reading.records) {
    TypeRow& row = types_[id];
    for (std::string_view word : fields) {
      if (word == "...") {
        row.open = true;
        continue;
      }
      FieldRow& field = row.fields.emplace_back();
      field.name = take_until(word, ':');
      field.map = word.starts_with('*');
      if (field.map) word.remove_prefix(1);
      if (!word.empty()) field.type = find_type(version, word);
    }
    std::ranges::sort(row.fields, {}, &FieldRow::name);
  }
  for (const Name& kind : reading.kinds) kinds_[kind] = find_type(kind.first, kind.second);
}

Schema::TypeId Schema::find_type(std::string_view version, std::string_view text) const {
  std::string_view elsewhere = text;
  const std::string_view name = take_until(elsewhere, '@');
  for (const std::string_view place :
       {elsewhere.empty() ? version : elsewhere, kShared, kCoreVersion}) {
    if (const auto known = type_ids_.find({place, name}); known != type_ids_.end()) {
      return known->second;
    }
  }
  TUTTI_CHECK(false, text);
  return 0;
}

const Schema::FieldRow* Schema::find_field(TypeId type, std::string_view name) const {
  const auto& fields = types_[type].fields;
  const auto at = std::ranges::lower_bound(fields, name, {}, &FieldRow::name);
  return at != fields.end() && at->name == name ? &*at : nullptr;
}

std::vector<Stray> Schema::strays_in(const Value& object) const {
  std::vector<Stray> out;
  const std::string_view version = text_of(object, "apiVersion");
  const std::string_view kind = text_of(object, "kind");
  auto known = kinds_.find({version, kind});
  if (known == kinds_.end()) {
    const std::string any = fmt::format("{}/*", group_in(version));
    known = kinds_.find({any, kind});
  }
  if (known != kinds_.end()) {
    walk(object, known->second, {.parent = nullptr, .type = {}, .name = {}}, out);
  } else if (auto stray = stray_kind(version, kind)) {
    stray->line = object.find("kind")->line();
    out.push_back(*std::move(stray));
  }
  return out;
}

std::optional<Stray> Schema::stray_kind(std::string_view version, std::string_view kind) const {
  const auto group = group_kinds_.find(group_in(version));
  if (kind.empty() || version.empty() || group == group_kinds_.end()) return std::nullopt;
  const auto has = [&](const std::vector<std::string_view>& kinds) {
    const std::string_view item = kind.substr(0, kind.rfind(kListEnding));
    return std::ranges::find(kinds, kind) != kinds.end() ||
           (kind.ends_with(kListEnding) && std::ranges::find(kinds, item) != kinds.end());
  };
  if (has(group->second)) return std::nullopt;
  std::string message = fmt::format("{} has no kind {}", version, kind);
  for (const auto& [other, kinds] : group_kinds_) {
    if (has(kinds)) return Stray{"kind", fmt::format("{}; {} has one", message, other), 0};
  }
  const std::string_view meant = meant_by(kind, group->second);
  if (!meant.empty()) message += fmt::format("; did you mean {}?", meant);
  return Stray{"kind", std::move(message), 0, !meant.empty()};
}

void Schema::walk(const Value& value, TypeId type, const Place& at, std::vector<Stray>& out) const {
  if (value.is_array()) {
    std::size_t index = 0;
    for (const Value& item : value.items()) {
      walk(item, type, {.parent = &at, .type = {}, .name = {}, .index = index++}, out);
    }
    return;
  }
  if (!value.is_object()) return;
  Place here = at;
  here.type = type;
  for (const Member& member : value.members()) {
    if (const FieldRow* field = find_field(type, member.key)) {
      walk_member(member, *field, here, out);
    } else if (!types_[type].open) {
      out.push_back(stray_at(member, here));
    }
  }
}

void Schema::walk_member(const Member& member, const FieldRow& field, const Place& at,
                         std::vector<Stray>& out) const {
  if (!field.type) return;
  const Place here{.parent = &at, .type = {}, .name = member.key};
  if (!field.map) return walk(member.value, *field.type, here, out);
  if (!member.value.is_object()) return;
  for (const Member& entry : member.value.members()) {
    walk(entry.value, *field.type, {.parent = &here, .type = {}, .name = entry.key}, out);
  }
}

// A field that is written one level too deep is a mistake as frequent as one that is misspelt.
Stray Schema::stray_at(const Member& member, const Place& at) const {
  const std::string_view field = member.key;
  Stray stray{Place::member_path(at.path(), field), "unknown field", member.line, true};
  std::vector<std::string_view> names;
  for (const FieldRow& known : types_[*at.type].fields) names.push_back(known.name);
  if (const std::string_view meant = meant_by(field, names); !meant.empty()) {
    stray.message += fmt::format(", did you mean {}?", meant);
    return stray;
  }
  for (const Place* above = at.parent; above != nullptr; above = above->parent) {
    if (!above->type || find_field(*above->type, field) == nullptr) continue;
    stray.message += fmt::format("; did you mean {}?", Place::member_path(above->path(), field));
    return stray;
  }
  stray.guessed = false;
  return stray;
}

}  // namespace tutti::wire
