// Schema: which kinds the API has, and which fields they have. What a manifest says beyond that is
// a mistake of its author, as kubectl sees it, too.
#pragma once

#include <map>

#include "base/std.h"
#include "wire/value.h"

namespace tutti::wire {

// Something that the API does not know: a field, or with the path "kind" the kind itself.
struct Stray {
  std::string path;     // "spec.containers[0].resources.request"
  std::string message;  // "unknown field, did you mean requests?"
  std::uint32_t line = 0;
  bool guessed = false;  // the message says what was probably meant
};

class Schema {
 public:
  // Requires tables in the form of fields.h that outlive it.
  explicit Schema(std::span<const std::string_view> tables);
  // The kinds that this program understands and the groups that Kubernetes brings.
  static const Schema& of_the_api();

  // All that is wrong with the object, in its order. Nothing where the version or kind is not one
  // that the tables know, unless the group has no such kind.
  std::vector<Stray> strays_in(const Value& object) const;

 private:
  using TypeId = std::size_t;
  struct FieldRow {
    std::string_view name;
    std::optional<TypeId> type;  // absent: not looked into
    bool map = false;            // of the type
  };
  struct TypeRow {
    std::vector<FieldRow> fields;  // in order of their names
    bool open = false;             // may have others
  };
  struct Place;
  struct Reading;
  using Name = std::pair<std::string_view, std::string_view>;  // version, type or kind

  void read(std::string_view table, Reading& reading);
  void resolve(const Reading& reading);
  TypeId find_type(std::string_view version, std::string_view text) const;
  const FieldRow* find_field(TypeId type, std::string_view name) const;
  std::optional<Stray> stray_kind(std::string_view version, std::string_view kind) const;
  void walk(const Value& value, TypeId type, const Place& at, std::vector<Stray>& out) const;
  void walk_member(const Member& member, const FieldRow& field, const Place& at,
                   std::vector<Stray>& out) const;
  // Reports a field that the type at the place does not have.
  Stray stray_at(const Member& member, const Place& at) const;

  std::vector<TypeRow> types_;
  std::map<Name, TypeId> type_ids_;
  std::map<Name, TypeId> kinds_;
  std::map<std::string_view, std::vector<std::string_view>> group_kinds_;
};

}  // namespace tutti::wire
