#include "daemon/writes/verdict_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/text.h"
#include "core/binding/intent.h"
#include "explain/findings/demand.h"

namespace tutti::daemon {
namespace {

using explain::Sources;

constexpr Millis kNumbersPause = std::chrono::seconds(10);
constexpr Millis kToldKept = std::chrono::minutes(15);
// Whoever creates a gang pod by pod is not done at once.
constexpr Millis kHeldMin = std::chrono::seconds(5);
// The API's limit on notes is 1024.
constexpr std::size_t kNoteMax = 1000;

constexpr std::string_view kFailedScheduling = "FailedScheduling";
constexpr std::string_view kPendingRequest = "Pending";
constexpr std::string_view kHeld = "SchedulingHeld";

bool is_refusal(const model::Condition& condition) {
  return condition.status == "False" && condition.reason == "Unschedulable" &&
         condition.type != core::kBindingCondition;
}

bool says_the_same(const model::Condition& left, const model::Condition& right) {
  return left.status == right.status && left.reason == right.reason &&
         left.message == right.message && left.observed_generation == right.observed_generation;
}

// The counted reasons and the verdict, unless it adds nothing.
std::string with_verdict(std::string message, const explain::Verdict& verdict) {
  const bool mute = verdict.blocker == explain::Blocker::none || verdict.summary.empty();
  if (mute || message.find(verdict.summary) != std::string::npos) return message;
  if (!message.ends_with('.')) message += '.';
  if (verdict.state == explain::State::impossible) {
    return fmt::format("{} Impossible: {}.", message, verdict.summary);
  }
  return fmt::format("{} Blocked by {}: {}.", message, name(verdict.blocker), verdict.summary);
}

// Verdicts of pods, once for all that nothing tells apart.
class PodVerdicts {
 public:
  explicit PodVerdicts(const Sources& sources) : sources_(sources) {}

  const explain::Verdict& of(core::PodId pod) {
    const core::PodClass c = sources_.cluster.class_of(pod);
    const auto [at, fresh] = verdicts_.try_emplace({c.shape, c.labels, c.claims});
    if (fresh) at->second = explain_pod(sources_, pod);
    return at->second;
  }

 private:
  const Sources& sources_;
  std::map<std::tuple<core::ShapeId, core::LabelClassId, std::uint32_t>, explain::Verdict>
      verdicts_;
};

const model::Conditions& conditions_of(const core::Group& group) {
  return group.composite ? group.composite_group->conditions : group.pod_group->conditions;
}

// The scheduler's objects themselves, to hang events on.
model::ObjectPtr object_of(const core::Group& group) {
  if (group.composite) return group.composite_group;
  return group.pod_group;
}

std::vector<core::PodId> pods_of(const Sources& sources, const answers::Waiter& waiter) {
  if (!waiter.group.valid()) return {waiter.pod};
  return explain::pending_pods(sources.groups, waiter.group);
}

// What keeps it from being tried; empty when nothing does, or when the pod says so itself: the API
// server shows the gates of a pod in its own condition.
std::string why_held(const Sources& sources, const answers::Waiter& waiter,
                     const std::vector<core::PodId>& pods) {
  if (waiter.group.valid()) {
    const auto hold =
        explain::find_held_reason(sources.cluster, sources.groups, waiter.group, sources.absent);
    if (hold) return hold->summary;
  } else if (explain::find_held_reason(sources.cluster, waiter.pod)) {
    return {};
  }
  return pods.empty() ? std::string() : sources.held_reason(pods.front());
}

}  // namespace

VerdictWriter::VerdictWriter(core::ClusterPort& writer, Handlers handlers)
    : writer_(writer), handlers_(std::move(handlers)) {}

// --- taking in -----------------------------------------------------------------------------------

std::optional<VerdictWriter::Subject> VerdictWriter::subject_of(const std::string& uid) const {
  const Sources sources = handlers_.sources();
  const auto id = sources.cluster.pods().find(uid);
  if (!id) return std::nullopt;
  const model::Pod& pod = *sources.cluster.pod(*id).object;
  const std::string& group = pod.spec->scheduling_group;
  if (group.empty()) return model::key_of(pod);
  return Subject{model::Kind::pod_group, pod.meta.ns, group, {}};
}

VerdictWriter::Refusal* VerdictWriter::waiting(const std::string& uid) {
  const auto subject = subject_of(uid);
  const auto news = subject ? news_.find(*subject) : news_.end();
  if (news == news_.end()) return nullptr;
  const auto refusal = news->second.pods.find(uid);
  return refusal == news->second.pods.end() ? nullptr : &refusal->second;
}

void VerdictWriter::drop(const std::string& uid) {
  const auto subject = subject_of(uid);
  const auto news = subject ? news_.find(*subject) : news_.end();
  if (news != news_.end()) news->second.pods.erase(uid);
}

VerdictWriter::News& VerdictWriter::news_of(const Subject& subject) {
  const Instant now = handlers_.now();
  const auto older = news_.find(subject);
  if (older == news_.end()) return enqueue(subject, {}, now);
  if (older->second.due <= now) return older->second;
  due_.erase({older->second.due, subject});
  return enqueue(subject, std::move(older->second), now);
}

VerdictWriter::News& VerdictWriter::enqueue(const Subject& subject, News news, Instant due) {
  news.due = due;
  due_.emplace(due, subject);
  News& kept = news_.insert_or_assign(subject, std::move(news)).first->second;
  handlers_.has_news();
  return kept;
}

void VerdictWriter::patch_pod(const core::PodStatusPatch& patch) {
  const bool refused = patch.condition && is_refusal(*patch.condition);
  const auto subject = refused ? subject_of(patch.pod.uid) : std::nullopt;
  if (!subject) {
    if (patch.condition) drop(patch.pod.uid);
    return writer_.patch_pod(patch);
  }
  // Where room is being made for it is written at once: a successor must find it.
  if (patch.nominated_node) writer_.patch_pod({patch.pod, std::nullopt, patch.nominated_node});
  Refusal& refusal = news_of(*subject).pods[patch.pod.uid];
  refusal.patch = {patch.pod, patch.condition, std::nullopt};
}

void VerdictWriter::patch_group(const core::GroupConditionPatch& patch) {
  if (is_refusal(patch.condition)) {
    news_of(patch.group).condition = patch;
    return;
  }
  const auto older = news_.find(patch.group);
  const bool replaces = older != news_.end() && older->second.condition &&
                        older->second.condition->condition.type == patch.condition.type;
  if (replaces) older->second.condition.reset();
  writer_.patch_group(patch);
}

void VerdictWriter::record(const core::EventRecord& event) {
  if (event.reason == kPendingRequest) {
    const bool allowed = events_.allows(event.about->meta.uid, event.message, handlers_.now());
    return allowed ? writer_.record(event) : void();
  }
  if (event.reason != kFailedScheduling) return writer_.record(event);
  if (Refusal* refusal = waiting(event.about->meta.uid)) {
    refusal->event = event;
  } else if (events_.allows(event.about->meta.uid, event.message, handlers_.now())) {
    writer_.record(event);
  }
}

// --- telling -------------------------------------------------------------------------------------

std::optional<Instant> VerdictWriter::next_due() const {
  if (due_.empty()) return std::nullopt;
  return due_.begin()->first;
}

bool VerdictWriter::tell_next() {
  const Instant now = handlers_.now();
  if (due_.empty() || due_.begin()->first > now) return false;
  const Subject subject = due_.begin()->second;
  due_.erase(due_.begin());
  auto news = news_.extract(subject);
  tell(subject, std::move(news.mapped()), now);
  return true;
}

Instant VerdictWriter::due_of(const Subject& subject, const std::string& text, Instant now) const {
  const auto told = told_.find(subject);
  if (told == told_.end() || told->second.text != text) return now;
  return std::max(now, told->second.at + kNumbersPause);
}

VerdictWriter::News VerdictWriter::told_in_full(const Subject& subject, const News& news,
                                                const Sources& sources) {
  News story;
  const bool composite = subject.kind == model::Kind::composite_pod_group;
  const auto group = sources.groups.find(subject.ns, subject.name, composite);
  if (news.condition && group && sources.groups[*group].seen()) {
    story.condition = news.condition;
    std::string& message = story.condition->condition.message;
    message = with_verdict(std::move(message), explain_group(sources, *group));
  }
  PodVerdicts verdicts(sources);
  for (const auto& [uid, refusal] : news.pods) {
    const auto pod = sources.cluster.pods().find(uid);
    if (!pod || !answers::waits(sources.cluster.pod(*pod))) continue;
    Refusal& full = story.pods.emplace(uid, refusal).first->second;
    std::string& message = full.patch.condition->message;
    message = with_verdict(std::move(message), verdicts.of(*pod));
    if (full.event) full.event->message = shortened(message, kNoteMax);
  }
  return story;
}

void VerdictWriter::tell(const Subject& subject, News news, Instant now) {
  const Sources sources = handlers_.sources();
  const News story = told_in_full(subject, news, sources);
  if (!story.condition && story.pods.empty()) return;
  std::string text =
      without_numbers(story.condition ? story.condition->condition.message
                                      : story.pods.begin()->second.patch.condition->message);
  if (const Instant due = due_of(subject, text, now); due > now) {
    enqueue(subject, std::move(news), due);
    return;
  }
  write(story, !told_.contains(subject), sources, now);
  told_.insert_or_assign(subject, Told{std::move(text), now});
}

void VerdictWriter::write(const News& story, bool first, const Sources& sources, Instant now) {
  const auto known = [&](const model::Conditions& conditions, const model::Condition& made) {
    const model::Condition* there = first ? model::find(conditions, made.type) : nullptr;
    return there != nullptr && says_the_same(*there, made);
  };
  if (story.condition) {
    const Subject& key = story.condition->group;
    const auto group =
        sources.groups.find(key.ns, key.name, key.kind == model::Kind::composite_pod_group);
    const auto& there = conditions_of(sources.groups[*group]);
    if (!known(there, story.condition->condition)) writer_.patch_group(*story.condition);
  }
  for (const auto& [uid, refusal] : story.pods) {
    const model::Pod& pod = *sources.cluster.pod(*sources.cluster.pods().find(uid)).object;
    if (known(pod.status.conditions, *refusal.patch.condition)) continue;
    writer_.patch_pod(refusal.patch);
    if (refusal.event && events_.allows(uid, refusal.event->message, now)) {
      writer_.record(*refusal.event);
    }
  }
}

// --- what is held --------------------------------------------------------------------------------

void VerdictWriter::tell_of_held() {
  const Instant now = handlers_.now();
  const Sources sources = handlers_.sources();
  std::erase_if(told_, [&](const auto& entry) { return now - entry.second.at > kToldKept; });
  events_.forget_old(now);
  const auto before = std::exchange(held_since_, {});
  for (const answers::Waiter& waiter : answers::waiters(sources)) {
    const auto pods = pods_of(sources, waiter);
    const std::string why = why_held(sources, waiter, pods);
    if (why.empty()) continue;
    const auto name = answers::name_of(sources, waiter);
    const std::string key = fmt::format("{} {}/{}", name.kind, name.ns, name.name);
    const auto known = before.find(key);
    const Instant since = known == before.end() ? now : known->second;
    held_since_.emplace(key, since);
    if (now - since >= kHeldMin) note_held(sources, waiter, pods, why);
  }
}

void VerdictWriter::note_held(const Sources& sources, const answers::Waiter& waiter,
                              const std::vector<core::PodId>& pods, const std::string& why) {
  if (pods.empty()) return;
  const core::Profile* profile = sources.profile_for(*sources.cluster.pod(pods.front()).object);
  if (profile == nullptr) return;
  const auto note = [&](const model::ObjectPtr& about) {
    if (about == nullptr || !events_.allows(about->meta.uid, why, handlers_.now())) return;
    writer_.record({about, "Normal", std::string(kHeld), "Scheduling", shortened(why, kNoteMax),
                    profile->scheduler_name});
  };
  if (waiter.group.valid()) note(object_of(sources.groups[waiter.group]));
  for (const core::PodId pod : pods) {
    const auto& object = sources.cluster.pod(pod).object;
    if (object->spec->scheduling_gates.empty()) note(object);
  }
}

}  // namespace tutti::daemon
