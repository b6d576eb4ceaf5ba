#include "cel/cost.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "cel/literal_cost.h"
#include "cel/value/utf8.h"

namespace tutti::cel {
namespace {

constexpr std::uint64_t kUnbounded = std::numeric_limits<std::uint64_t>::max();
constexpr double kPerCharacter = 0.1;
constexpr double kPerRegexCharacter = 0.25;

std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
  return a > kUnbounded - b ? kUnbounded : a + b;
}

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > kUnbounded / b ? kUnbounded : a * b;
}

// Rounded up.
std::uint64_t scaled(std::uint64_t amount, double factor) {
  const double product = std::ceil(static_cast<double>(amount) * factor);
  constexpr double kTooMuch = 18446744073709551616.0;  // 2^64
  return product >= kTooMuch ? kUnbounded : static_cast<std::uint64_t>(product);
}

// How many characters, bytes or entries there can be.
struct Size {
  std::uint64_t least = 0;
  std::uint64_t most = kUnbounded;
};
Size fixed(std::uint64_t size) { return {size, size}; }
Size either(const Size& a, const Size& b) {
  return {std::min(a.least, b.least), std::max(a.most, b.most)};
}
Size sum(const Size& a, const Size& b) { return {plus(a.least, b.least), plus(a.most, b.most)}; }
Size product(const Size& a, const Size& b) {
  return {times(a.least, b.least), times(a.most, b.most)};
}

// What is known of the value of a piece, and what it costs to have it.
struct Piece {
  std::uint64_t cost = 0;
  std::optional<Size> size{};      // unset: nothing is known
  std::optional<Size> items{};     // of the elements of a list, or the values of a map
  std::optional<Size> keys{};      // of a map
  const Bounds* bounds = nullptr;  // of a declared value, or of a part of one

  Size known_size() const { return size.value_or(Size{}); }
};

bool is_text(const Type& type) { return type.is("string") || type.is("bytes"); }

bool is_scalar(const Type& type) {
  constexpr std::array kScalars = {"bool", "double", "int", "uint"};
  if (type.is_optional()) return is_scalar(type.parameters()[0]);
  return type == Type::duration() || type == Type::timestamp() ||
         std::ranges::any_of(kScalars, [&](const char* name) { return type.is(name); });
}

bool may_be_text(const Type& type) { return type.is_dynamic() || is_text(type); }

template <typename... Names>
bool one_of(std::string_view name, Names... names) {
  return ((name == names) || ...);
}

// The arguments of a call, the receiver first.
struct Call {
  std::string_view name;
  bool member = false;
  std::vector<Piece> arguments;
  std::vector<const Type*> types;
  std::vector<const Node*> nodes;

  Size size(std::size_t i) const { return arguments[i].known_size(); }
  std::size_t count() const { return arguments.size(); }
  std::uint64_t traversal(std::size_t i, double factor = kPerCharacter) const {
    return scaled(size(i).most, factor);
  }
  // The number that an argument is, or what to take for one that is not a constant.
  std::uint64_t number(std::size_t i, std::uint64_t otherwise) const {
    const Node& node = *nodes[i];
    const bool constant = node.kind == NodeKind::constant && node.value.is(Kind::integer);
    if (!constant) return otherwise;
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, node.value.as_integer()));
  }
};

Piece costing(std::uint64_t cost, std::optional<Size> size = {}) { return {cost, size}; }

// A function that makes a list of that size.
Piece making_list(double factor, const Size& size) {
  return costing(plus(scaled(size.most, factor), 1 + kListCost), size);
}

// --- functions -----------------------------------------------------------------------------------
// Each group answers for the functions it knows; what none knows costs one.

std::optional<Piece> of_operator(const Call& call) {
  const auto compared = [&] {
    return scaled(std::min(call.size(0).most, call.size(1).most), kPerCharacter);
  };
  if (call.name == "_==_" || call.name == "_!=_") {
    constexpr std::array kOpaque = {"kubernetes.Quantity", "kubernetes.Semver", "net.IP",
                                    "net.CIDR"};
    const bool opaque =
        *call.types[0] == *call.types[1] && std::ranges::any_of(kOpaque, [&](const char* name) {
          return call.types[0]->name() == name;
        });
    return costing(opaque && call.name == "_==_" ? 1 : compared());
  }
  if (one_of(call.name, "_<_", "_<=_", "_>_", "_>=_")) {
    const bool texts = may_be_text(*call.types[0]) && may_be_text(*call.types[1]);
    return costing(texts ? std::max<std::uint64_t>(1, compared()) : 1);
  }
  if (call.name == "@in") {
    const bool map = call.types[1]->kind() == Type::Kind::map;
    return costing(map ? 1 : std::max<std::uint64_t>(1, call.size(1).most));
  }
  if (call.name == "_+_") {
    const Type& type = call.types[0]->is_dynamic() ? *call.types[1] : *call.types[0];
    const Size both = sum(call.size(0), call.size(1));
    if (type.kind() == Type::Kind::list) {
      Piece list = costing(1, both);
      if (call.arguments[0].items && call.arguments[1].items) {
        list.items = either(*call.arguments[0].items, *call.arguments[1].items);
      }
      return list;
    }
    if (!may_be_text(type)) return costing(1);
    return costing(std::max<std::uint64_t>(1, scaled(both.most, kPerCharacter)), both);
  }
  return std::nullopt;
}

std::uint64_t regex_cost(const Size& text, const Size& regex) {
  return times(scaled(plus(text.most, 1), kPerCharacter), scaled(regex.most, kPerRegexCharacter));
}

// The longest that a text gets when one part of it is replaced by another wherever it occurs.
Size replaced(const Size& text, const Size& part, const Size& by) {
  Size result;
  if (part.least == 0) {
    result.most = plus(times(plus(text.most, 1), by.most), text.most);
  } else if (by.most <= part.least) {
    result.most = text.most;
  } else {
    result.most = times(scaled(text.most, 1.0 / static_cast<double>(part.least)), by.most);
  }
  return result;
}

std::optional<Piece> of_text(const Call& call) {
  if (call.member && call.name == "contains") {
    return costing(times(call.traversal(0), call.traversal(1)));
  }
  if (call.member && one_of(call.name, "startsWith", "endsWith")) return costing(call.traversal(1));
  if (call.name == "matches" && call.count() == 2) {
    return costing(regex_cost(call.size(0), call.size(1)));
  }
  if (one_of(call.name, "find", "findAll") && call.count() >= 2) {
    return costing(regex_cost(call.size(0), call.size(1)), Size{0, call.size(0).most});
  }
  if (one_of(call.name, "lowerAscii", "upperAscii", "substring", "trim")) {
    return costing(call.traversal(0), call.size(0));
  }
  if (call.name == "replace" && call.count() >= 3) {
    return costing(call.traversal(0, 2 * kPerCharacter),
                   replaced(call.size(0), call.size(1), call.size(2)));
  }
  if (call.name == "split") {
    const std::uint64_t most =
        call.count() > 2 ? call.number(2, call.size(0).most) : call.size(0).most;
    return costing(call.traversal(0, 2 * kPerCharacter), Size{0, most});
  }
  if (call.name == "join") {
    const Size count = call.size(0);
    Size whole = product(count, call.arguments[0].items.value_or(Size{}));
    if (call.count() > 1) {
      const Size gaps{count.least - std::min<std::uint64_t>(1, count.least),
                      count.most - std::min<std::uint64_t>(1, count.most)};
      whole = sum(whole, product(call.size(1), gaps));
    }
    return costing(scaled(whole.most, kPerCharacter), whole);
  }
  if (call.name == "format") return costing(call.traversal(0));
  if (call.name == "strings.quote") {
    const Size text = call.size(0);
    return costing(call.traversal(0), Size{plus(text.least, 2), plus(times(text.most, 2), 2)});
  }
  return std::nullopt;
}

// Texts that become values of other types, and back.
std::optional<Piece> of_conversion(const Call& call) {
  if (one_of(call.name, "quantity", "isQuantity", "semver", "isSemver", "cidr", "isIP", "isCIDR")) {
    return costing(call.traversal(0));
  }
  if (call.name == "ip" && !call.member) return costing(call.traversal(0));
  if (call.name == "ip.isCanonical") return costing(call.traversal(0, 2 * kPerCharacter));
  if (call.name == "bytes" && call.types[0]->is("string")) {
    return costing(call.traversal(0), Size{call.size(0).least, times(call.size(0).most, 4)});
  }
  if (call.name == "string" && call.types[0]->is("bytes")) {
    return costing(call.traversal(0), Size{call.size(0).least / 4, call.size(0).most});
  }
  if (call.name == "dyn") {
    Piece same = call.arguments[0];
    same.cost = 1;
    return same;
  }
  if (one_of(call.name, "containsIP", "containsCIDR")) {
    constexpr std::uint64_t kAddresses = 4;  // two of sixteen bytes
    constexpr std::uint64_t kMask = 3;
    const std::uint64_t parse = call.types[1]->is("string") ? call.traversal(1) : 0;
    return costing(plus(kAddresses + (call.name == "containsCIDR" ? kMask : 0), parse));
  }
  return std::nullopt;
}

std::optional<Piece> of_list(const Call& call) {
  if (call.member &&
      one_of(call.name, "isSorted", "sum", "max", "min", "indexOf", "lastIndexOf", "includes")) {
    const Type& type = *call.types[0];
    const bool list = !type.parameters().empty();
    if (!list && call.name != "includes") return costing(call.traversal(0));
    const bool texts = list && is_text(type.parameters()[0]);
    const Size item = call.arguments[0].items.value_or(Size{});
    const std::uint64_t each = texts ? plus(1, scaled(item.most, kPerCharacter)) : 1;
    return costing(times(call.size(0).most, each));
  }
  if (call.name == "slice" && call.count() == 3) {
    const std::uint64_t end = call.number(2, call.size(0).most);
    const std::uint64_t start = std::min(call.number(1, 0), end);
    return making_list(1, fixed(end - start));
  }
  if (call.name == "lists.range") return making_list(1, fixed(call.number(0, kUnbounded)));
  if (call.member && call.name == "reverse") return making_list(1, call.size(0));
  if (call.name == "flatten") {
    const std::uint64_t depth = call.count() > 1 ? call.number(1, kUnbounded) : 1;
    return making_list(static_cast<double>(depth), call.size(0));
  }
  if (call.name == "distinct") return making_list(2, product(call.size(0), call.size(0)));
  if (call.name == "sort" || call.name == "@sortByKeys") {
    const std::size_t by = call.name == "sort" ? 0 : 1;
    const Type& type = *call.types[by];
    const bool texts = type.kind() == Type::Kind::list && is_text(type.parameters()[0]);
    return making_list(texts ? 2 + kPerCharacter : 2, product(call.size(by), call.size(by)));
  }
  if (one_of(call.name, "sets.contains", "sets.intersects", "sets.equivalent")) {
    const std::uint64_t pairs = times(call.size(0).most, call.size(1).most);
    return costing(plus(times(pairs, call.name == "sets.equivalent" ? 2 : 1), 1));
  }
  return std::nullopt;
}

Piece function_piece(const Call& call) {
  for (const auto group : {of_operator, of_text, of_conversion, of_list}) {
    if (auto piece = group(call)) return *piece;
  }
  return costing(1);
}

// --- the walk ------------------------------------------------------------------------------------

class Walk {
 public:
  Walk(const Ast& ast, const Checked& checked, const Environment& environment, std::uint64_t limit)
      : ast_(ast),
        checked_(checked),
        environment_(environment),
        limit_(limit),
        culprit_(ast.root),
        known_(ast.nodes.size()) {}

  WorstCost run() {
    const std::uint64_t cost = visit(ast_.root).cost;
    return {cost, culprit_};
  }

 private:
  struct Local {
    std::string_view name;
    Piece value;
  };

  const Type& type(NodeId id) const { return checked_.types[id]; }

  // sortBy stands over its list twice: what was looked at once is not looked at again.
  Piece visit(NodeId id) {
    if (!known_[id]) known_[id] = examined(id);
    return *known_[id];
  }

  Piece examined(NodeId id) {
    Piece piece = priced(id, ast_.node(id));
    if (piece.bounds != nullptr && !piece.size) piece.size = Size{0, piece.bounds->most};
    if (!piece.size && is_scalar(type(id))) piece.size = fixed(1);
    // What is inside was looked at before, so the first to be too much is the innermost.
    if (piece.cost > limit_ && !found_) {
      culprit_ = id;
      found_ = true;
    }
    return piece;
  }

  Piece priced(NodeId id, const Node& node) {
    switch (node.kind) {
      case NodeKind::constant:
        return constant(node);
      case NodeKind::identifier:
        return identifier(id, node);
      case NodeKind::select:
        return select(id, node);
      case NodeKind::index:
        return index(node);
      case NodeKind::call:
        return call(id, node);
      case NodeKind::list:
      case NodeKind::map:
        return literal(node);
      case NodeKind::logical_and:
      case NodeKind::logical_or:
        return logical(node);
      case NodeKind::conditional:
        return conditional(node);
      case NodeKind::loop:
        return loop(node);
      case NodeKind::bind:
        return bind(node);
      case NodeKind::optional_map:
        return optional_map(node);
    }
    TUTTI_UNREACHABLE("a node of no kind");
  }

  static Piece constant(const Node& node) {
    if (node.value.is(Kind::string))
      return costing(0, fixed(code_point_count(node.value.as_text())));
    if (node.value.is(Kind::bytes)) return costing(0, fixed(node.value.as_text().size()));
    return costing(0, fixed(1));
  }

  const Local* find_local(std::string_view name) const {
    const auto at = std::find_if(locals_.rbegin(), locals_.rend(),
                                 [&](const Local& local) { return local.name == name; });
    return at == locals_.rend() ? nullptr : &*at;
  }

  Piece identifier(NodeId id, const Node& node) {
    Piece piece;
    const Meaning& meaning = checked_.meanings[id];
    if (meaning.kind == Meaning::Kind::local) {
      if (const Local* local = find_local(node.name)) piece = local->value;
    } else if (meaning.kind == Meaning::Kind::variable) {
      piece.bounds = environment_.variables()[meaning.index].bounds.get();
    }
    piece.cost = 1;
    return piece;
  }

  Piece select(NodeId id, const Node& node) {
    // A chain of names may be one qualified variable.
    const Meaning& meaning = checked_.meanings[id];
    if (meaning.kind != Meaning::Kind::itself) return identifier(id, node);
    const NodeId operand_id = node.children[0];
    const Piece operand = visit(operand_id);
    if (node.test) return costing(operand.cost);
    if (node.optional) return costing(plus(operand.cost, 1));
    Piece piece;
    const Type& of = type(operand_id);
    const bool looked_up = of.kind() == Type::Kind::map || of.kind() == Type::Kind::named ||
                           of.kind() == Type::Kind::parameter;
    piece.cost = plus(operand.cost, looked_up ? 1 : 0);
    if (operand.bounds != nullptr) piece.bounds = operand.bounds->field(node.name);
    return piece;
  }

  Piece index(const Node& node) {
    const Piece operand = visit(node.children[0]);
    const Piece key = visit(node.children[1]);
    Piece piece;
    piece.cost = plus(plus(operand.cost, key.cost), 1);
    if (node.optional) return piece;
    piece.size = operand.items;
    if (operand.bounds != nullptr) piece.bounds = operand.bounds->items.get();
    return piece;
  }

  Piece call(NodeId id, const Node& node) {
    const Meaning& meaning = checked_.meanings[id];
    const bool namespaced = meaning.kind == Meaning::Kind::namespaced;
    Call made;
    made.name = meaning.group != nullptr ? std::string_view(meaning.group->name) : node.name;
    made.member = node.member && !namespaced;
    std::uint64_t cost = 0;
    // sortBy binds its list to a name, walks over that for the keys, which are counted with the
    // list itself, and sorts.
    const bool sorts_by = made.name == "@sortByKeys";
    if (sorts_by) cost = kListCost + 2;
    for (std::size_t i = namespaced ? 1 : 0; i < node.children.size(); ++i) {
      const NodeId child = node.children[i];
      made.arguments.push_back(visit(child));
      made.types.push_back(&type(child));
      made.nodes.push_back(&ast_.node(child));
      if (!sorts_by || i > 0) cost = plus(cost, made.arguments.back().cost);
    }
    Piece piece = function_piece(made);
    piece.cost = plus(piece.cost, cost);
    return piece;
  }

  // A literal's entries: for a map keys and values in turn.
  Piece literal(const Node& node) {
    const bool map = node.kind == NodeKind::map;
    Piece piece = costing(map ? kMapCost : kListCost, fixed(node.flags.size()));
    std::optional<Size> keys;
    std::optional<Size> items;
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const Piece part = visit(node.children[i]);
      piece.cost = plus(piece.cost, part.cost);
      auto& sizes = map && i % 2 == 0 ? keys : items;
      sizes = sizes ? either(*sizes, part.known_size()) : part.known_size();
    }
    piece.items = items.value_or(fixed(0));
    if (map) piece.keys = keys.value_or(fixed(0));
    return piece;
  }

  Piece logical(const Node& node) {
    Piece piece;
    for (const NodeId child : node.children) piece.cost = plus(piece.cost, visit(child).cost);
    return piece;
  }

  Piece conditional(const Node& node) {
    const Piece condition = visit(node.children[0]);
    const Piece yes = visit(node.children[1]);
    const Piece no = visit(node.children[2]);
    Piece piece = costing(plus(condition.cost, std::max(yes.cost, no.cost)),
                          either(yes.known_size(), no.known_size()));
    if (yes.items && no.items) piece.items = either(*yes.items, *no.items);
    if (yes.keys && no.keys) piece.keys = either(*yes.keys, *no.keys);
    return piece;
  }

  // --- macros --------------------------------------------------------------------------------

  static Piece key_of(const Piece& range) {
    Piece key;
    key.size = range.keys;
    if (range.bounds != nullptr) key.bounds = range.bounds->keys.get();
    return key;
  }

  static Piece item_of(const Piece& range) {
    Piece item;
    item.size = range.items;
    if (range.bounds != nullptr) item.bounds = range.bounds->items.get();
    return item;
  }

  void push(std::string_view name, Piece value) {
    value.cost = 1;
    locals_.push_back({name, value});
  }

  // Loops are counted as what they are short for: an accumulator that starts as something, a
  // condition to go on, a step per element, and the accumulator or a test of it as the result.
  Piece loop(const Node& node) {
    const NodeId range_id = node.children[0];
    const Piece range = visit(range_id);
    const bool list = type(range_id).kind() == Type::Kind::list;
    const std::size_t before = locals_.size();
    if (!node.second_name.empty()) {
      push(node.name, list ? costing(1, fixed(1)) : key_of(range));
      push(node.second_name, item_of(range));
    } else {
      push(node.name, list ? item_of(range) : key_of(range));
    }
    const std::uint64_t filter = node.filtered ? visit(node.children[1]).cost : 0;
    const Piece body = visit(node.children.back());
    locals_.resize(before, {});
    const Turn turn = turn_of(node, body.cost);
    const std::uint64_t turns = times(range.known_size().most, plus(turn.each, filter));
    Piece piece = costing(plus(range.cost, plus(turn.once, turns)));
    if (node.loop == LoopKind::to_list) {
      piece.size = range.known_size();
      piece.items = Size{0, body.known_size().most};
    } else if (node.loop == LoopKind::to_map || node.loop == LoopKind::merged_to_map) {
      piece.size = range.known_size();
    }
    return piece;
  }

  struct Turn {
    std::uint64_t once = 0;
    std::uint64_t each = 0;
  };
  static Turn turn_of(const Node& node, std::uint64_t body) {
    switch (node.loop) {
      case LoopKind::all:  // goes on while the accumulator is not false; result: accumulator
        return {1, plus(body, 1 + 2)};
      case LoopKind::exists:
        return {1, plus(body, 1 + 3)};
      case LoopKind::exists_one:  // counts; result: accumulator == 1
        return {2, plus(body, 2)};
      case LoopKind::to_list:  // [] + [element] …
        return {kListCost + 1, plus(body, kListCost + 2)};
      case LoopKind::to_map:  // inserts key and value
        return {kMapCost + 1, plus(body, 3)};
      case LoopKind::merged_to_map:
        return {kMapCost + 1, plus(body, 2)};
    }
    TUTTI_UNREACHABLE("a loop of no kind");
  }

  // A loop over nothing whose accumulator is the name.
  Piece bind(const Node& node) {
    const Piece value = visit(node.children[0]);
    push(node.name, value);
    Piece piece = visit(node.children[1]);
    locals_.pop_back();
    piece.cost = plus(piece.cost, plus(value.cost, kListCost));
    return piece;
  }

  // has a value ? of(bind(name, its value, body)) : none
  Piece optional_map(const Node& node) {
    const Piece operand = visit(node.children[0]);
    push(node.name, {});
    const Piece body = visit(node.children[1]);
    locals_.pop_back();
    const std::uint64_t twice = plus(times(operand.cost, 2), 2);
    return costing(plus(twice, plus(body.cost, kListCost + (node.flat ? 0 : 1))));
  }

  const Ast& ast_;
  const Checked& checked_;
  const Environment& environment_;
  std::uint64_t limit_;
  NodeId culprit_ = 0;
  bool found_ = false;
  std::vector<std::optional<Piece>> known_;  // by node
  std::vector<Local> locals_;
};

}  // namespace

const Bounds* Bounds::field(std::string_view name) const {
  for (const auto& [known, bounds] : fields) {
    if (known == name) return bounds.get();
  }
  return any_field ? items.get() : nullptr;
}

WorstCost worst_cost(const Ast& ast, const Checked& checked, const Environment& environment,
                     std::uint64_t limit) {
  return Walk(ast, checked, environment, limit).run();
}

}  // namespace tutti::cel
