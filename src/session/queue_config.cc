#include "session/queue_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "wire/json_reader.h"

namespace tutti::session {
namespace {

constexpr std::string_view kKueueGroup = "config.kueue.x-k8s.io/";

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

std::string blank_lines_of(std::string_view text) {
  return std::string(static_cast<std::size_t>(std::ranges::count(text, '\n')), '\n');
}

}  // namespace

ConfigTexts split_config(std::string_view text) {
  ConfigTexts out;
  while (!text.empty()) {
    const std::size_t next = text.find("\n---", 1);
    const std::string_view document =
        next == std::string_view::npos ? text : text.substr(0, next + 1);
    text.remove_prefix(document.size());
    const bool of_kueue = document.find(kKueueGroup) != std::string_view::npos;
    (of_kueue ? out.kueue : out.scheduler) += document;
    (of_kueue ? out.scheduler : out.kueue) += blank_lines_of(document);
  }
  if (is_blank(out.kueue)) out.kueue.clear();
  if (is_blank(out.scheduler) && !out.kueue.empty()) out.scheduler.clear();
  return out;
}

Result<config::KueueConfig> kueue_config_for(const sim::Script& script,
                                             const std::optional<config::KueueConfig>& given) {
  std::optional<std::string> found;
  std::string where;
  for (const sim::Action& action : script.actions) {
    if (action.key.kind != model::Kind::other || action.object == nullptr) continue;
    if (!action.object->document || !action.key.other_kind.ends_with("/ConfigMap")) continue;
    TUTTI_TRY(wire::read_json(*action.object->document, [&](wire::Document&& document) {
      if (auto text = config::kueue_config_text(document.root())) {
        found = std::move(text);
        where = model::describe(action.key);
      }
      return ok_status();
    }));
  }
  if (!found) return given.value_or(config::KueueConfig{});
  auto parsed = config::parse_kueue_config(*found);
  if (!parsed.ok()) return Error{parsed.error().code, where + ": " + parsed.error().message};
  if (given && given->quota != parsed->quota) {
    return Error{Error::Code::invalid,
                 where + ": differs from Kueue's Configuration that --config gives"};
  }
  return parsed;
}

controllers::QueueRules queue_rules(const core::QuotaConfig& config) {
  return {.holds_work_without_queue = config.manages_jobs_without_queue,
          .namespaces = config.managed_namespaces,
          .frameworks = config.frameworks,
          .reports_readiness = config.pods_ready.has_value()};
}

}  // namespace tutti::session
