// The ways out of a queue: the smallest single changes that let a request be admitted now, each
// tried. In the order of what they cost the asker:
//
//   1. preferences it gives up     otherFlavor, otherQueue
//   2. size it gives up            shrink
//   3. what others pay for         priority
//   4. what someone else must do   borrow, raiseQuota, free
#pragma once

#include "base/std.h"
#include "explain/quota_room.h"
#include "explain/verdict/way.h"
#include "whatif/quota/world.h"

namespace tutti::whatif {

// One request that waits, and as many trials about it as the families want.
class QuotaAsker {
 public:
  // `table` is of the real scheduler and must not change while this lives.
  QuotaAsker(const World& world, const core::RequestTable& table, const core::Request& request);

  const World& world() const { return world_; }
  const core::RequestTable& table() const { return table_; }
  const core::Request& request() const { return request_; }
  const model::AdmissionRequest& object() const { return *request_.object; }
  const core::QuotaQueue* queue() const { return queue_; }  // null: it has none
  std::span<const explain::FlavorRoom> rooms() const { return rooms_; }

  // A copy of the request's object, to be changed.
  std::shared_ptr<model::AdmissionRequest> copy() const;
  Trial try_change(const WorldChange& change) const;
  Trial try_request(const std::shared_ptr<const model::AdmissionRequest>& changed) const;

  // Who writes the request: its controller, where the world knows that, or nobody but people.
  const model::Object& author() const { return *author_; }
  bool is_handmade() const { return author_ == request_.object.get(); }
  // Where the pod's fields of its sets begin in the author: "/spec/podSets/0/template". Empty: its
  // template is not known.
  std::string template_path(std::size_t set) const;

 private:
  const World& world_;
  const core::RequestTable& table_;
  const core::Request& request_;
  const core::QuotaQueue* queue_;
  std::vector<explain::FlavorRoom> rooms_;
  const model::Object* author_;
};

// As changes name it.
explain::ObjectName name_of(const model::Object& object);
// Steps that give an object a label or annotation, with whatever is missing on the way to it.
// `where`: "labels" or "annotations"; `known`: those it has.
std::vector<explain::PatchStep> set_entry(std::string_view where, const model::Labels& known,
                                          std::string_view key, std::string_view value);
// The way with whom the trial evicts, in its sentence too.
explain::Way with_evictions(explain::Way way, const Trial& trial);

using Ways = std::vector<explain::Way>;

// Empty unless the request waits.
Ways find_quota_ways(const World& world, const core::RequestTable& table,
                     const core::Request& request);

// --- one family each; they append what works ---------------------------------------------------
void add_flavor_way(const QuotaAsker& asker, Ways& ways);
void add_queue_way(const QuotaAsker& asker, Ways& ways);
void add_size_way(const QuotaAsker& asker, Ways& ways);
void add_rank_way(const QuotaAsker& asker, Ways& ways);
void add_borrow_way(const QuotaAsker& asker, Ways& ways);
void add_raise_way(const QuotaAsker& asker, Ways& ways);
void add_leave_way(const QuotaAsker& asker, Ways& ways);

}  // namespace tutti::whatif
