// Way: one change that makes something run which waits, as a sentence and as data that a program
// can apply. A plain value: whatif finds and rehearses them, walk() writes them.
#pragma once

#include "base/std.h"

namespace tutti::explain {

class FieldSink;

struct ObjectName {
  std::string kind;
  std::string ns;
  std::string name;
  std::string api_version = {};  // of kinds of other projects, whose names may be taken
  bool operator==(const ObjectName&) const = default;
};
// "Pod t/a", "Node n1".
std::string text_of(const ObjectName& object);

// A value as JSON has them: text, a number, true or false, or an object with members in order.
struct Datum {
  enum class Type : std::uint8_t { none, text, number, flag, object, list };
  Type type = Type::none;
  std::string text = {};
  std::int64_t number = 0;                                  // of a flag: 0 or 1
  std::vector<std::pair<std::string, Datum>> members = {};  // of a list: without names

  static Datum of(std::string_view text);
  static Datum of(std::int64_t number);
  static Datum flag(bool value);
  static Datum object(std::vector<std::pair<std::string, Datum>> members);
  static Datum list(std::vector<Datum> items);
  bool operator==(const Datum&) const = default;
};

// One operation of a JSON patch (RFC 6902): what `kubectl patch --type=json` takes.
struct PatchStep {
  std::string op;    // add, replace, remove
  std::string path;  // RFC 6901: "/spec/nodeSelector/example.com~1rack"
  Datum value = {};
  bool operator==(const PatchStep&) const = default;
};

// What is to be done to each of some objects: one of these, by what is not empty.
struct ObjectChange {
  std::vector<ObjectName> objects;
  std::vector<PatchStep> patch = {};
  bool remove = false;
  Datum create = {};       // the whole of the one object
  std::size_t copies = 0;  // as many like it, under other names
};

struct Way {
  std::string kind;     // a stable word; see docs/guides/explain.md
  std::string summary;  // what to do, in one sentence
  // All of them together are the one change; empty: nothing is to be done but to wait.
  std::vector<ObjectChange> changes = {};
  std::vector<std::string> evicts = {};  // "PodGroup t/v": who then has to leave
};

void walk(const Way& way, FieldSink& sink);

}  // namespace tutti::explain
