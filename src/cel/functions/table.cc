#include "cel/functions/table.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/check.h"

namespace tutti::cel {
namespace {

constexpr std::uint32_t bit(Kind kind) { return 1U << static_cast<std::uint32_t>(kind); }
constexpr std::uint32_t kAnyKind = ~(bit(Kind::absent) | bit(Kind::fault));

std::uint32_t kinds_of(const Type& type) {
  switch (type.kind()) {
    case Type::Kind::list:
      return bit(Kind::list);
    case Type::Kind::map:
      return bit(Kind::map);
    case Type::Kind::type:
      return bit(Kind::type);
    case Type::Kind::abstract:
      return bit(Kind::optional);
    case Type::Kind::named:
      break;
    default:
      return kAnyKind;
  }
  for (std::uint32_t kind = 0; kind <= static_cast<std::uint32_t>(Kind::cidr); ++kind) {
    if (kind_name(static_cast<Kind>(kind)) == type.name()) return 1U << kind;
  }
  TUTTI_UNREACHABLE("a signature names an unknown type");
}

// Reads the rows above; a mistake in one is ours.
class SignatureReader {
 public:
  explicit SignatureReader(std::string_view text) : rest_(text) {}

  std::pair<std::pair<std::string, bool>, Overload> read() {
    Overload overload;
    const std::size_t members = rest_.find("::");
    const bool member = members != std::string_view::npos;
    if (member) {
      overload.parameters.push_back(type());
      take("::");
    }
    const std::size_t open = rest_.find('(');
    std::string name(rest_.substr(0, open));
    rest_.remove_prefix(open);
    take("(");
    while (!rest_.starts_with(')')) {
      overload.parameters.push_back(type());
      if (rest_.starts_with(',')) take(", ");
    }
    take(") ");
    overload.result = type();
    for (const Type& each : overload.parameters) overload.kinds.push_back(kinds_of(each));
    return {{std::move(name), member}, std::move(overload)};
  }

 private:
  void take(std::string_view text) {
    TUTTI_CHECK(rest_.starts_with(text), rest_);
    rest_.remove_prefix(text.size());
  }

  Type type() {
    const std::size_t end = std::min(rest_.find_first_of(":<>,)"), rest_.size());
    const std::string_view name = rest_.substr(0, end);
    rest_.remove_prefix(end);
    std::vector<Type> parameters;
    if (rest_.starts_with('<')) {
      take("<");
      parameters.push_back(type());
      if (rest_.starts_with(',')) {
        take(", ");
        parameters.push_back(type());
      }
      take(">");
    }
    return named(name, std::move(parameters));
  }

  static Type named(std::string_view name, std::vector<Type> parameters) {
    if (name == "list") return Type::list(parameters[0]);
    if (name == "map") return Type::map(parameters[0], parameters[1]);
    if (name == "optional") return Type::optional(parameters[0]);
    if (name == "type") return Type::type_of(Type::dyn());
    if (name == "dyn") return Type::dyn();
    if (name.size() == 1) return Type::parameter(name);
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kShort = {{
        {"timestamp", "google.protobuf.Timestamp"},
        {"duration", "google.protobuf.Duration"},
        {"quantity", "kubernetes.Quantity"},
        {"semver", "kubernetes.Semver"},
        {"ip", "net.IP"},
        {"cidr", "net.CIDR"},
    }};
    for (const auto& [brief, full] : kShort) {
      if (brief == name) return Type::named(full);
    }
    return Type::named(name);
  }

  std::string_view rest_;
};

struct GroupKey {
  std::string name;
  bool member = false;
};
struct GroupOrder {
  using is_transparent = void;
  using Key = std::pair<std::string_view, bool>;
  static Key key(const GroupKey& group) { return {group.name, group.member}; }
  static Key key(const Key& each) { return each; }
  template <typename A, typename B>
  bool operator()(const A& a, const B& b) const {
    return key(a) < key(b);
  }
};
using Groups = std::map<GroupKey, FunctionGroup, GroupOrder>;

void add_rows(Groups& groups, std::span<const FunctionRow> rows) {
  for (const FunctionRow& row : rows) {
    auto [id, overload] = SignatureReader(row.signature).read();
    overload.library = row.library;
    overload.run = row.run;
    FunctionGroup& group = groups[{id.first, id.second}];
    group.name = id.first;
    group.member = id.second;
    group.overloads.push_back(std::move(overload));
  }
}

const Groups& all_groups() {
  static const Groups kGroups = [] {
    Groups groups;
    for (const auto rows : {operator_rows(), conversion_rows(), text_rows(), time_rows(),
                            string_extension_rows(), list_rows(), set_rows(), regex_rows(),
                            quantity_rows(), semver_rows(), optional_rows(), network_rows()}) {
      add_rows(groups, rows);
    }
    return groups;
  }();
  return kGroups;
}

}  // namespace

bool Overload::accepts(std::span<const Value> arguments) const {
  if (arguments.size() != kinds.size()) return false;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if ((kinds[i] & bit(arguments[i].kind())) == 0) return false;
  }
  return true;
}

Value FunctionGroup::call(Context& context, std::span<const Value> arguments,
                          std::uint32_t libraries) const {
  for (const Overload& overload : overloads) {
    const bool enabled = (overload.library & (libraries | kStandard)) != 0;
    if (enabled && overload.run != nullptr && overload.accepts(arguments)) {
      return overload.run(context, arguments.data());
    }
  }
  return context.no_such_overload(name, arguments);
}

const FunctionGroup* find_function(std::string_view name, bool member, std::uint32_t libraries) {
  const auto found = all_groups().find(GroupOrder::Key{name, member});
  if (found == all_groups().end()) return nullptr;
  const auto& overloads = found->second.overloads;
  const bool enabled = std::any_of(overloads.begin(), overloads.end(), [&](const Overload& each) {
    return (each.library & (libraries | kStandard)) != 0;
  });
  return enabled ? &found->second : nullptr;
}

}  // namespace tutti::cel
