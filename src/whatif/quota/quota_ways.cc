#include "whatif/quota/quota_ways.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "explain/verdict/text.h"
#include "whatif/change_target.h"

namespace tutti::whatif {
namespace {

std::vector<const model::Object*> authors_of(const World& world,
                                             const model::AdmissionRequest& made) {
  if (made.meta.owners.empty()) return {&made};
  std::set<std::string_view> owners;
  for (const model::OwnerReference& owner : made.meta.owners) owners.insert(owner.uid);
  std::vector<const model::Object*> authors;
  for (const model::ObjectPtr& object : world.objects) {
    if (owners.contains(object->meta.uid)) authors.push_back(object.get());
  }
  return authors;
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
      authors_(authors_of(world, *request.object)) {
  if (queue_ != nullptr) rooms_ = explain::quota_room(table, *queue_, request);
}

bool QuotaAsker::has_author() const {
  if (authors_.size() != 1 || author().kind == model::Kind::pod) return false;
  return std::ranges::none_of(author().meta.owners, &model::OwnerReference::controller);
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
  return author().kind == model::Kind::job ? "/spec/template" : "";
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
  if (asker.has_author()) {
    add_flavor_way(asker, ways);
    add_queue_way(asker, ways);
    add_size_way(asker, ways);
    add_rank_way(asker, ways);
  }
  add_borrow_way(asker, ways);
  add_raise_way(asker, ways);
  add_leave_way(asker, ways);
  return ways;
}

}  // namespace tutti::whatif
