#include "explain/document/verdict_value.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tutti::explain {
namespace {

// Keeps the containers that are still open; a closed one moves into the one around it.
class ValueSink final : public FieldSink {
 public:
  explicit ValueSink(wire::Arena& arena) : arena_(arena) {}

  void open_object() override { open(wire::Value::object()); }
  void open_list() override { open(wire::Value::array()); }
  void close_object() override { close(); }
  void close_list() override { close(); }
  void field(std::string_view name) override { open_.back().field = name; }
  void text(std::string_view value) override { add(wire::Value::string(arena_, value)); }
  void number(std::int64_t value) override { add(wire::Value::integer(value)); }
  void flag(bool value) override { add(wire::Value::boolean(value)); }

  wire::Value take() { return std::move(root_); }

 private:
  struct Container {
    wire::Value value;
    std::string field;  // of an object: the name of the next value
  };

  void open(wire::Value value) { open_.push_back({std::move(value), {}}); }
  void close() {
    wire::Value closed = std::move(open_.back().value);
    open_.pop_back();
    add(std::move(closed));
  }
  void add(wire::Value value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().value.is_array()) {
      open_.back().value.push_back(arena_, std::move(value));
    } else {
      open_.back().value.set_member(arena_, arena_.copy(open_.back().field), std::move(value));
    }
  }

  wire::Arena& arena_;
  wire::Value root_;
  std::vector<Container> open_;
};

}  // namespace

wire::Value walked_value(const std::function<void(FieldSink&)>& walk, wire::Document& document) {
  ValueSink sink(document.arena());
  walk(sink);
  return sink.take();
}

wire::Value verdict_value(const Verdict& verdict, wire::Document& document) {
  return walked_value([&](FieldSink& sink) { walk(verdict, sink); }, document);
}

}  // namespace tutti::explain
