#include "answers/kueue_word.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "controllers/workloads/document.h"

namespace tutti::answers {
namespace {

using controllers::at;
using controllers::items_at;
using controllers::text_at;
using explain::Blocker;
using explain::State;

bool has_owner(const wire::Value& document, std::string_view kind, std::string_view name) {
  return std::ranges::any_of(
      items_at(document, {"metadata", "ownerReferences"}), [&](const wire::Value& owner) {
        return text_at(owner, {"kind"}) == kind && text_at(owner, {"name"}) == name;
      });
}

const wire::Value* condition_of(const wire::Value& workload, std::string_view type) {
  for (const wire::Value& condition : items_at(workload, {"status", "conditions"})) {
    if (text_at(condition, {"type"}) == type) return &condition;
  }
  return nullptr;
}

bool is_true(const wire::Value* condition) {
  return condition != nullptr && text_at(*condition, {"status"}) == "True";
}

// "QuotaReserved is False (Pending): couldn't assign flavors".
std::string text_of_condition(const wire::Value& condition) {
  const std::string reason = text_at(condition, {"reason"});
  const std::string message = text_at(condition, {"message"});
  return fmt::format("{} is {}{}{}", text_at(condition, {"type"}), text_at(condition, {"status"}),
                     reason.empty() ? "" : fmt::format(" ({})", reason),
                     message.empty() ? "" : ": " + message);
}

bool is_switched_off(const wire::Value& workload) {
  return at(workload, {"spec", "active"}) != nullptr &&
         !controllers::flag_at(workload, {"spec", "active"});
}

KueueWord said_by(const wire::Value& workload) {
  KueueWord word{controllers::name_of(workload), {}};
  const wire::Value* reserved = condition_of(workload, "QuotaReserved");
  const wire::Value* evicted = condition_of(workload, "Evicted");
  const auto add = [&](std::string text) {
    word.said += (word.said.empty() ? "" : "; ") + std::move(text);
  };
  if (is_switched_off(workload)) add("it is switched off (spec.active is false)");
  for (const std::string_view type : {"Finished", "Admitted"}) {
    const wire::Value* condition = condition_of(workload, type);
    if (!is_true(condition)) continue;
    add(text_of_condition(*condition));
    return word;
  }
  if (is_true(evicted)) add(text_of_condition(*evicted));
  if (reserved == nullptr) {
    if (word.said.empty()) add("Kueue has not looked at it yet");
    return word;
  }
  word.of_quota = !is_true(reserved) && !is_switched_off(workload);
  add(text_of_condition(*reserved));
  // Quota is there, and an admission check is not through.
  if (const wire::Value* admitted = condition_of(workload, "Admitted");
      is_true(reserved) && admitted != nullptr) {
    add(text_of_condition(*admitted));
  }
  return word;
}

}  // namespace

std::string kueue_queue_of(const model::ObjectMeta& meta) {
  const std::string* queue = model::find(meta.labels, kKueueQueueLabel);
  return queue == nullptr ? std::string() : *queue;
}

std::optional<KueueWord> kueue_word(const wire::Value& workload, std::string_view owner_kind,
                                    std::string_view owner_name) {
  if (!has_owner(workload, owner_kind, owner_name)) return std::nullopt;
  return said_by(workload);
}

explain::Verdict kueue_verdict(const std::string& queue, const KueueView& kueue) {
  explain::Verdict verdict;
  verdict.state = State::held;
  verdict.blocker = kueue.word && kueue.word->of_quota ? Blocker::quota : Blocker::gated;
  std::string why = "Kueue has made no Workload for it yet";
  if (kueue.word) why = fmt::format("Workload {}: {}", kueue.word->workload, kueue.word->said);
  if (!kueue.trouble.empty()) why = kueue.trouble;
  verdict.summary = fmt::format("suspended: Kueue holds it in queue {}; {}", queue, why);
  return verdict;
}

explain::Verdict suspended_verdict(const std::string& queue, const KueueView& kueue) {
  if (!queue.empty()) return kueue_verdict(queue, kueue);
  explain::Verdict verdict;
  verdict.state = State::held;
  verdict.blocker = Blocker::gated;
  verdict.summary = "suspended: its pods are made when spec.suspend is false";
  return verdict;
}

std::optional<std::string> job_ending(const model::Job& job) {
  for (const std::string_view type : {"Complete", "Failed"}) {
    const auto* condition = model::find(job.status.conditions, type);
    if (condition == nullptr || condition->status != "True") continue;
    return fmt::format("ended: {} ({}), {} pods succeeded, {} failed", type, condition->message,
                       job.status.succeeded, job.status.failed);
  }
  return std::nullopt;
}

explain::Verdict verdict_without_pods(const model::Job& job, const KueueView& kueue,
                                      std::string reason) {
  explain::Verdict verdict;
  if (auto end = job_ending(job)) {
    verdict.state = State::running;
    verdict.summary = *std::move(end);
  } else if (job.suspend) {
    verdict = suspended_verdict(kueue_queue_of(job.meta), kueue);
  } else {
    verdict.state = State::held;
    verdict.blocker = Blocker::incomplete;
    verdict.summary = std::move(reason);
  }
  verdict.object = {"Job", job.meta.ns, job.meta.name};
  return verdict;
}

}  // namespace tutti::answers
