#include "whatif/change_target.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "model/apps.h"
#include "model/job.h"
#include "whatif/pod_edits.h"

namespace tutti::whatif {
namespace {

using model::Kind;

struct Stamp {
  std::string_view api_group;  // other projects have kinds of the same names
  std::string_view kind;
  Kind is;
};
// Kinds with a pod template in spec.template.
constexpr std::array<Stamp, 5> kStamps = {
    {{"batch", "Job", Kind::job},
     {"apps", "ReplicaSet", Kind::replica_set},
     {"apps", "Deployment", Kind::deployment},
     {"apps", "StatefulSet", Kind::stateful_set},
     {"", "ReplicationController", Kind::replication_controller}}};

const model::OwnerReference* controller_of(const model::ObjectMeta& meta) {
  for (const auto& owner : meta.owners) {
    if (owner.controller) return &owner;
  }
  return nullptr;
}

std::string_view group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

const Stamp* stamp_of(const model::OwnerReference& owner) {
  const auto at = std::ranges::find_if(kStamps, [&](const Stamp& stamp) {
    return stamp.kind == owner.kind && stamp.api_group == group_of(owner.api_version);
  });
  return at == kStamps.end() ? nullptr : &*at;
}

// Whether the owner makes Jobs that live on their own: its template is that of the next ones, and
// whoever ends one of them does not end the schedule.
bool is_cron_job(const model::OwnerReference& owner) {
  return owner.kind == "CronJob" && group_of(owner.api_version) == "batch";
}

struct Top {
  explain::ObjectName name;
  bool stamps = true;                 // every step of the way up copies a template that we know
  model::ObjectPtr object = nullptr;  // as the neighbours know it; null: itself, or unknown
  std::string prefix = {};            // of the pod's fields in it
  std::shared_ptr<const model::PodSpec> form = nullptr;  // of the pod, as written there
};

std::shared_ptr<const model::PodSpec> form_of(const model::ObjectPtr& top) {
  if (top == nullptr) return nullptr;
  if (const auto* job = model::try_as<model::Job>(*top)) return job->pods.spec;
  const bool keeps = top->kind == Kind::deployment || top->kind == Kind::replica_set ||
                     top->kind == Kind::stateful_set;
  return keeps ? static_cast<const model::ReplicaKeeper&>(*top).pods.spec : nullptr;
}

// One step up to a kind with a template in spec.template.
Top above_stamped(const Neighbours& neighbours, const Top& top, const std::string& ns,
                  const model::OwnerReference& owner, const Stamp& stamp) {
  Top above{{owner.kind, ns, owner.name}, top.stamps};
  const auto& look_up = neighbours.find ? neighbours.find : neighbours.maker;
  if (look_up) above.object = look_up({stamp.is, ns, owner.name, {}});
  above.prefix = "/spec/template";
  above.form = form_of(above.object);
  return above;
}

// Who stands above is asked of everyone who runs, how it is written of a few.
enum class Look : std::uint8_t { name, form };

// One step up to a kind of another project, whose templates are anywhere in it.
Top above_other(const Neighbours& neighbours, const Top& top, const model::ObjectMeta& made,
                const model::OwnerReference& owner, Look look) {
  const bool asked = look == Look::form && neighbours.form;
  const Form form = asked ? neighbours.form(owner, made) : Form{};
  Top above{{owner.kind, made.ns, owner.name, owner.api_version}, top.stamps && !form.path.empty()};
  above.prefix = form.path + top.prefix;
  above.form = form.spec != nullptr ? form.spec : top.form;
  return above;
}

Top top_of(const Neighbours& neighbours, const model::Object& object, Look look = Look::name) {
  Top top{{std::string(model::facts(object.kind).name), object.meta.ns, object.meta.name}};
  const model::ObjectMeta* meta = &object.meta;
  constexpr int kLongestChain = 8;
  for (int step = 0; step < kLongestChain; ++step) {
    const model::OwnerReference* owner = controller_of(*meta);
    if (owner == nullptr) break;
    // A Job that nobody has but us is written in its CronJob.
    const bool made = look == Look::form && top.object != nullptr && neighbours.made_here &&
                      neighbours.made_here(*top.object);
    if (is_cron_job(*owner) && !made) break;
    const Stamp* stamp = stamp_of(*owner);
    top = stamp != nullptr ? above_stamped(neighbours, top, object.meta.ns, *owner, *stamp)
                           : above_other(neighbours, top, *meta, *owner, look);
    if (top.object == nullptr) break;
    meta = &top.object->meta;
  }
  return top;
}

// Who writes the same way, and what they write.
struct Writers {
  std::string prefix;
  std::vector<explain::PatchStep> steps;
  std::vector<explain::ObjectName> objects;
};

Writers& writers_of(std::vector<Writers>& all, const ChangeTarget& author,
                    std::vector<explain::PatchStep> steps) {
  const auto known = std::ranges::find_if(
      all, [&](const Writers& one) { return one.prefix == author.prefix && one.steps == steps; });
  if (known != all.end()) return *known;
  return all.emplace_back(Writers{author.prefix, std::move(steps), {}});
}

using Pods = std::vector<std::shared_ptr<const model::Pod>>;

template <typename AuthorOf>
std::vector<explain::ObjectChange> change_where_written(
    const Pods& pods, const std::vector<explain::PatchStep>& steps, const AuthorOf& author_of) {
  std::vector<Writers> writers;
  for (const auto& pod : pods) {
    const ChangeTarget author = author_of(*pod);
    if (!author.writable) return {};
    std::optional<model::PodSpec> guessed;
    if (author.form == nullptr && !author.prefix.empty()) guessed = without_additions(*pod->spec);
    const model::PodSpec& written = guessed                  ? *guessed
                                    : author.form != nullptr ? *author.form
                                                             : *pod->spec;
    const auto removable = [&](const explain::PatchStep& step) {
      return removes_what_is_written(written, *pod->spec, step);
    };
    if (!std::ranges::all_of(steps, removable)) return {};
    auto& known = writers_of(writers, author, steps_for(written, steps)).objects;
    // Bare pods differ; those of one controller lead to it again and again.
    if (author.prefix.empty() || std::ranges::find(known, author.object) == known.end()) {
      known.push_back(author.object);
    }
  }
  std::vector<explain::ObjectChange> changes;
  for (Writers& one : writers) {
    explain::ObjectChange change{std::move(one.objects), std::move(one.steps)};
    for (explain::PatchStep& step : change.patch) step.path.insert(0, one.prefix);
    changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace

ChangeTarget author_of_pod(const Neighbours& neighbours, const model::Pod& pod) {
  Top top = top_of(neighbours, pod, Look::form);
  if (top.prefix.empty() && neighbours.written) top.form = neighbours.written(pod);
  return {top.name, top.prefix, top.stamps, top.form};
}

explain::ObjectName owner_of(const Neighbours& neighbours, const model::Object& object) {
  return top_of(neighbours, object).name;
}

std::vector<explain::ObjectChange> change_pods(const Rehearsal& rehearsal,
                                               const std::vector<core::PodId>& pods,
                                               const std::vector<explain::PatchStep>& steps) {
  Pods objects;
  for (const core::PodId pod : pods) objects.push_back(rehearsal.cluster().pod(pod).object);
  return change_where_written(objects, steps, [&](const model::Pod& pod) {
    return author_of_pod(rehearsal.neighbours(), pod);
  });
}

namespace {

ChangeTarget bare_author(const Neighbours& neighbours, const model::Pod& pod) {
  ChangeTarget author{{"Pod", pod.meta.ns, pod.meta.name}, {}};
  if (neighbours.written) author.form = neighbours.written(pod);
  return author;
}

}  // namespace

std::vector<explain::ObjectChange> change_living_pods(
    const Rehearsal& rehearsal, const Pods& pods, const std::vector<explain::PatchStep>& steps) {
  const auto& made_here = rehearsal.neighbours().made_here;
  return change_where_written(pods, steps, [&](const model::Pod& pod) {
    if (made_here && made_here(pod)) return author_of_pod(rehearsal.neighbours(), pod);
    return bare_author(rehearsal.neighbours(), pod);
  });
}

bool is_handmade(const model::Pod& pod) { return controller_of(pod.meta) == nullptr; }

Origin origin_of(const Rehearsal& rehearsal, const core::Group& group) {
  const auto& origin = rehearsal.neighbours().origin;
  return origin ? origin(group) : Origin{};
}

bool is_handmade(const Rehearsal& rehearsal, const core::Group& group) {
  if (origin_of(rehearsal, group).of != Origin::Of::itself) return false;
  const model::Object* object = group.pod_group.get();
  if (group.composite) object = group.composite_group.get();
  const model::OwnerReference* owner = controller_of(object->meta);
  return owner == nullptr || owner->kind == model::facts(Kind::workload).name;
}

explain::PatchStep step_to(const Origin::Field& field, explain::Datum value) {
  const bool there = field.present == field.path.size();
  const std::size_t first = there ? field.path.size() : field.present + 1;
  for (std::size_t part = field.path.size(); part > first; --part) {
    value = explain::Datum::object({{field.path[part - 1], std::move(value)}});
  }
  std::string pointer;
  for (std::size_t part = 0; part < first; ++part) pointer += "/" + pointer_part(field.path[part]);
  return {there ? "replace" : "add", std::move(pointer), std::move(value)};
}

std::string pointer_part(std::string_view text) {
  std::string made;
  for (const char c : text) {
    if (c == '~') {
      made += "~0";
    } else if (c == '/') {
      made += "~1";
    } else {
      made += c;
    }
  }
  return made;
}

std::string named_by(std::string_view pointer_part) {
  std::string made;
  for (std::size_t i = 0; i < pointer_part.size(); ++i) {
    const bool escaped = pointer_part[i] == '~' && i + 1 < pointer_part.size();
    if (escaped) ++i;
    made += escaped ? (pointer_part[i] == '1' ? '/' : '~') : pointer_part[i];
  }
  return made;
}

}  // namespace tutti::whatif
