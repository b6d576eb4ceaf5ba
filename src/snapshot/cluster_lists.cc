#include "snapshot/cluster_lists.h"

#include <fmt/format.h>

#include <utility>

#include "kube/client/resource_path.h"
#include "model/group.h"
#include "model/object.h"
#include "wire/json_reader.h"

namespace tutti::snapshot {
namespace {

using model::Kind;

constexpr int kBeginningsMax = 3;
constexpr int kRetries = 4;
constexpr int kPageItems = 500;

std::string text_of(const wire::Value* value) {
  return value != nullptr && value->is_string() ? std::string(value->text()) : std::string();
}

// The server writes `single` where nobody did; in a file it would be a wish. See model/group.h.
void forget_filled_in_mode(wire::Value& item) {
  wire::Value* spec = item.find("spec");
  const wire::Value* mode = spec != nullptr ? spec->find("disruptionMode") : nullptr;
  if (mode == nullptr) return;
  const bool single = mode->is_string() ? mode->text() == "Pod" : mode->find("single") != nullptr;
  const wire::Value* meta = item.find("metadata");
  const wire::Value* notes = meta != nullptr ? meta->find("annotations") : nullptr;
  std::vector<std::pair<std::string, std::string>> annotations;
  for (const auto name : {model::kLastApplied, model::kDisruptionModeAnnotation}) {
    const std::string text = text_of(notes != nullptr ? notes->find(name) : nullptr);
    if (!text.empty()) annotations.emplace_back(name, text);
  }
  if (single && !model::is_mode_written(annotations)) spec->remove_member("disruptionMode");
}

// Lists leave out what their kind says already; managedFields are as long as the rest, and nobody
// reads them.
void complete(wire::Value& item, const kube::Resource& resource, wire::Arena& arena) {
  const auto text = [&](std::string_view from) { return wire::Value::string(arena, from); };
  item.set_member(arena, "apiVersion", text(resource.group_version));
  item.set_member(arena, "kind", text(model::facts(resource.kind).name));
  if (wire::Value* meta = item.find("metadata")) meta->remove_member("managedFields");
  if (resource.kind == Kind::pod_group || resource.kind == Kind::composite_pod_group) {
    forget_filled_in_mode(item);
  }
}

}  // namespace

ClusterLists::ClusterLists(kube::ApiClient& client, std::vector<List> lists, Handlers handlers)
    : client_(client), lists_(std::move(lists)), handlers_(std::move(handlers)) {}

void ClusterLists::start() { begin(); }

void ClusterLists::begin() {
  ++beginnings_;
  pages_.clear();
  at_ = 0;
  objects_ = 0;
  version_.clear();
  continue_from_.clear();
  ask();
}

void ClusterLists::ask() {
  if (at_ == lists_.size()) return handlers_.done(std::move(pages_));
  kube::Call call;
  call.path = kube::list_path(lists_[at_].resource, kPageItems, continue_from_);
  // A page that continues a list is of that list's version already.
  if (continue_from_.empty() && !version_.empty()) {
    call.path += fmt::format("&resourceVersion={}&resourceVersionMatch=Exact", version_);
  }
  call.retries_max = kRetries;
  client_.call(std::move(call), [this](const kube::Answer& answer) { take(answer); });
}

// Half of a list is worse than none.
bool ClusterLists::may_leave_out(const kube::Answer& answer) const {
  const bool refused = answer.status == 403 || answer.status == 404;
  return refused && lists_[at_].optional && continue_from_.empty();
}

void ClusterLists::take(const kube::Answer& answer) {
  const kube::Resource& resource = lists_[at_].resource;
  if (answer.status == 410 && beginnings_ < kBeginningsMax) return begin();
  if (may_leave_out(answer)) {
    handlers_.left_out(resource.plural, answer.message);
    ++at_;
    return ask();
  }
  Status kept = ok_status();
  if (!answer.ok()) {
    kept = Error{Error::Code::unavailable, answer.message};
  } else {
    kept = keep(answer.body);
  }
  if (!kept.ok()) {
    return handlers_.done(std::move(kept).error().within(fmt::format("list {}", resource.plural)));
  }
  if (continue_from_.empty()) {
    handlers_.listed(resource.plural, std::exchange(objects_, 0));
    ++at_;
  }
  ask();
}

Status ClusterLists::keep(std::string_view json) {
  return wire::read_json(json, [this](wire::Document&& page) -> Status {
    wire::Value& list = page.root();
    const wire::Value* meta = list.find("metadata");
    continue_from_ = meta != nullptr ? text_of(meta->find("continue")) : std::string();
    if (version_.empty() && meta != nullptr) version_ = text_of(meta->find("resourceVersion"));
    wire::Value* items = list.find("items");
    if (items == nullptr || !items->is_array()) return ok_status();
    for (wire::Value& item : items->items()) complete(item, lists_[at_].resource, page.arena());
    objects_ += items->items().size();
    page.set_root(std::move(*items));
    pages_.push_back(std::move(page));
    return ok_status();
  });
}

}  // namespace tutti::snapshot
