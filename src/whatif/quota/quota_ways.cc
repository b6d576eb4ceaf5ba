#include "whatif/quota/quota_ways.h"

#include <fmt/format.h>

#include <algorithm>

#include "explain/verdict/text.h"
#include "whatif/change_target.h"

namespace tutti::whatif {
namespace {

// Its controller, as the world has it; null: there is none, or nobody knows it.
const model::Object* controller_of(const World& world, const model::Object& made) {
  const auto owner =
      std::ranges::find_if(made.meta.owners, [](const auto& each) { return each.controller; });
  if (owner == made.meta.owners.end()) return nullptr;
  const auto is_owner = [&](const model::ObjectPtr& object) {
    return object->meta.name == owner->name && object->meta.ns == made.meta.ns &&
           name_of(*object).kind == owner->kind && object->api_version == owner->api_version;
  };
  const auto at = std::ranges::find_if(world.objects, is_owner);
  return at != world.objects.end() ? at->get() : nullptr;
}

bool is_of_kubernetes(const model::Object& object) {
  return object.kind == model::Kind::job || object.kind == model::Kind::pod;
}

}  // namespace

QuotaAsker::QuotaAsker(const World& world, const core::RequestTable& table,
                       const core::Request& request)
    : world_(world),
      table_(table),
      request_(request),
      queue_(table.objects().queue(request.queue)),
      author_(controller_of(world, *request.object)) {
  if (queue_ != nullptr) rooms_ = explain::quota_room(table, *queue_, request);
  if (author_ == nullptr) author_ = request.object.get();
}

std::shared_ptr<model::AdmissionRequest> QuotaAsker::copy() const {
  return std::make_shared<model::AdmissionRequest>(*request_.object);
}

Trial QuotaAsker::try_change(const WorldChange& change) const {
  return whatif::try_change(world_, change, request_.name);
}

Trial QuotaAsker::try_request(const std::shared_ptr<const model::AdmissionRequest>& changed) const {
  return try_change({.set = {changed}});
}

std::string QuotaAsker::template_path(std::size_t set) const {
  if (is_handmade()) return fmt::format("/spec/podSets/{}/template", set);
  return author_->kind == model::Kind::job ? "/spec/template" : "";
}

explain::ObjectName name_of(const model::Object& object) {
  explain::ObjectName name{std::string(model::facts(object.kind).name), object.meta.ns,
                           object.meta.name};
  if (object.kind == model::Kind::other) {
    name.kind = static_cast<const model::OtherObject&>(object).kind_name;
  }
  if (!is_of_kubernetes(object)) name.api_version = object.api_version;
  return name;
}

std::vector<explain::PatchStep> set_entry(std::string_view where, const model::Labels& known,
                                          std::string_view key, std::string_view value) {
  std::vector<explain::PatchStep> steps;
  const auto path = fmt::format("/metadata/{}", where);
  if (known.empty()) steps.push_back({"add", path, explain::Datum::object({})});
  steps.push_back({"add", path + "/" + pointer_part(key), explain::Datum::of(value)});
  return steps;
}

explain::Way with_evictions(explain::Way way, const Trial& trial) {
  way.evicts = trial.evicts;
  if (!way.evicts.empty()) way.summary += "; that evicts " + explain::first_of(way.evicts);
  return way;
}

Ways find_quota_ways(const World& world, const core::RequestTable& table,
                     const core::Request& request) {
  Ways ways;
  if (request.holds() || request.finished || !request.object->spec.active) return ways;
  if (world.profiles == nullptr) return ways;
  const QuotaAsker asker(world, table, request);
  add_flavor_way(asker, ways);
  add_queue_way(asker, ways);
  add_size_way(asker, ways);
  add_rank_way(asker, ways);
  add_borrow_way(asker, ways);
  add_raise_way(asker, ways);
  add_leave_way(asker, ways);
  return ways;
}

}  // namespace tutti::whatif
