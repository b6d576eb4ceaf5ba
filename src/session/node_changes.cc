#include "session/node_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "controllers/dependents.h"
#include "model/device.h"
#include "model/node.h"
#include "model/pod.h"
#include "store/typed.h"

namespace tutti::session {
namespace {

using model::Kind;

constexpr std::size_t kNodesMax = 100'000;
constexpr std::string_view kHostname = "kubernetes.io/hostname";

struct Addition {
  std::size_t count = 0;
  std::string like;  // empty: any node
};

std::optional<Addition> parse_addition(const std::string& text) {
  Addition out;
  const std::string count = text.substr(0, text.find(':'));
  const auto [end, problem] = std::from_chars(count.data(), count.data() + count.size(), out.count);
  const bool whole = problem == std::errc{} && end == count.data() + count.size();
  if (!whole || out.count == 0 || out.count > kNodesMax) return std::nullopt;
  if (count.size() < text.size()) out.like = text.substr(count.size() + 1);
  return out;
}

Error no_node(const store::Store& objects, std::string_view option, const std::string& name) {
  std::vector<std::string_view> known;
  for (const auto& node : objects.objects(Kind::node)) known.push_back(node->meta.name);
  const std::string_view meant = nearest_word(name, known);
  return {Error::Code::invalid,
          fmt::format("{}: there is no node '{}'{}", option, brief_line(name),
                      meant.empty() ? "" : fmt::format("; did you mean {}?", meant))};
}

// The only kind of node there is.
Result<model::ObjectPtr> common_node(const store::Store& objects) {
  const auto& nodes = objects.objects(Kind::node);
  if (nodes.empty()) return Error{Error::Code::invalid, "--add-nodes: there is no node to be like"};
  const auto& first = model::as<model::Node>(**nodes.begin());
  for (const auto& object : nodes) {
    if (model::as<model::Node>(*object).allocatable == first.allocatable) continue;
    return Error{Error::Code::invalid,
                 fmt::format("--add-nodes: nodes differ ({}, {}); say which they are to be like, "
                             "as in 8:{}",
                             first.meta.name, object->meta.name, first.meta.name)};
  }
  return *nodes.begin();
}

class Changer {
 public:
  Changer(const store::Store& objects, Millis now) : objects_(objects), now_(now) {}

  Status add(const std::string& text) {
    const Addition wanted = *parse_addition(text);
    model::ObjectPtr like;
    if (wanted.like.empty()) {
      TUTTI_ASSIGN(like, common_node(objects_));
    } else {
      like = objects_.get({Kind::node, {}, wanted.like, {}});
      if (like == nullptr) return no_node(objects_, "--add-nodes", wanted.like);
    }
    for (std::size_t i = 0; i < wanted.count; ++i) add_node(model::as<model::Node>(*like));
    return ok_status();
  }

  Status drain(const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::size_t before = drained_.size();
    for (const auto& object : objects_.objects(Kind::node)) {
      const auto& node = model::as<model::Node>(*object);
      const std::string* label = model::find(node.meta.labels, text.substr(0, equals));
      const bool chosen = equals == std::string::npos
                              ? node.meta.name == text
                              : label != nullptr && *label == text.substr(equals + 1);
      if (chosen && drained_.insert(node.meta.name).second) cordon(node);
    }
    if (drained_.size() > before) return ok_status();
    if (equals == std::string::npos) return no_node(objects_, "--drain", text);
    return Error{Error::Code::invalid,
                 fmt::format("--drain: no node has the label {}", brief_line(text))};
  }

  sim::Script finish() {
    for (const auto& object : objects_.objects(Kind::pod)) {
      const auto& pod = model::as<model::Pod>(*object);
      if (drained_.contains(pod.node_name) && !pod.terminal()) move_away(pod);
    }
    return std::move(script_);
  }

 private:
  void act(sim::Action::Verb verb, const model::Object& object, model::ObjectPtr next) {
    sim::Action action{now_, verb, model::key_of(object), std::move(next)};
    if (verb == sim::Action::Verb::remove) action.grace_seconds = 0;
    script_.actions.push_back(std::move(action));
  }

  void create(std::shared_ptr<model::Object> object) {
    object->meta.uid.clear();
    object->meta.resource_version = 0;
    object->meta.created.reset();
    const model::Object& made = *object;
    act(sim::Action::Verb::create, made, std::move(object));
  }

  void add_node(const model::Node& like) {
    std::string name;
    do {
      name = fmt::format("{}-added-{}", like.meta.name, ++added_);
    } while (objects_.get({Kind::node, {}, name, {}}) != nullptr);
    auto node = std::make_shared<model::Node>(like);
    node->meta.name = name;
    node->unschedulable = false;
    for (auto& label : node->meta.labels.edit()) {
      if (label.first == kHostname) label.second = name;
    }
    create(std::move(node));
    for (const auto& object : objects_.objects(Kind::resource_slice)) {
      const auto& slice = model::as<model::ResourceSlice>(*object);
      const bool own =
          slice.reach.kind == model::DeviceReach::Kind::node && slice.reach.node == like.meta.name;
      if (!own) continue;
      auto copy = std::make_shared<model::ResourceSlice>(slice);
      copy->meta.name = fmt::format("{}-{}", slice.meta.name, name);
      copy->meta.owners.clear();
      copy->pool = slice.pool == like.meta.name ? name : slice.pool + "-" + name;
      copy->reach.node = name;
      create(std::move(copy));
    }
  }

  void cordon(const model::Node& node) {
    auto cordoned = std::make_shared<model::Node>(node);
    cordoned->unschedulable = true;
    act(sim::Action::Verb::update, node, std::move(cordoned));
  }

  void move_away(const model::Pod& pod) {
    act(sim::Action::Verb::remove, pod, nullptr);
    if (controllers::controller_of(pod.meta) != nullptr) return;  // which makes another
    auto again = std::make_shared<model::Pod>(pod);
    again->node_name.clear();
    again->status = {};
    create(std::move(again));
  }

  const store::Store& objects_;
  Millis now_;
  sim::Script script_;
  std::set<std::string> drained_;
  std::size_t added_ = 0;
};

}  // namespace

std::string added_nodes_problem(const std::string& text) {
  return parse_addition(text) ? "" : "must be a number of nodes, or NUMBER:NODE, as in 8:gpu-1";
}

Result<sim::Script> change_nodes(const store::Store& objects, const NodeChanges& changes,
                                 Millis now) {
  Changer changer(objects, now);
  for (const std::string& text : changes.add) TUTTI_TRY(changer.add(text));
  for (const std::string& text : changes.drain) TUTTI_TRY(changer.drain(text));
  return changer.finish();
}

}  // namespace tutti::session
