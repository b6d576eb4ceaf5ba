#include "cli/input/live_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/input/cluster_access.h"
#include "cli/input/version.h"
#include "cli/output/kind_names.h"
#include "daemon/daemon.h"
#include "kube/client/api_client.h"
#include "kube/client/failure.h"
#include "kube/lease/lease_text.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"
#include "wire/yaml_writer.h"

namespace tutti::cli {
namespace {

constexpr std::size_t kAnswerMax = 16U << 20U;
constexpr Millis kPatience{20'000};
// Where deploy/ puts things.
constexpr std::string_view kLeasePath =
    "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/tutti";
constexpr std::string_view kSchedulerNamespace = "tutti-system";
constexpr std::string_view kWhatToTry =
    "-f names manifests instead, --server the address of a running scheduler; 'kubectl -n "
    "tutti-system port-forward deploy/tutti 10259' brings one here";

Error unavailable(std::string message) { return {Error::Code::unavailable, std::move(message)}; }

// --- the question --------------------------------------------------------------------------------

bool is_name(std::string_view text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789-.";
  return !text.empty() && text.find_first_not_of(kLetters) == std::string_view::npos;
}

// As many as a scheduler tells at once.
constexpr std::string_view kPathOfAll = "/explain?limit=1000";

Result<std::string> path_of(const ExplainTarget& target, const std::string& ns,
                            session::Format format) {
  for (const std::string& name : {ns, target.name}) {
    if (!is_name(name)) {
      return Error{Error::Code::invalid, fmt::format("'{}' cannot be the name of an object", name)};
    }
  }
  const auto known = kind_named(target.kind);
  std::string kind = target.kind.empty() ? "any" : target.kind;
  if (known) kind = model::facts(*known).plural;
  return fmt::format("/explain/{}/{}/{}{}", kind, ns, target.name,
                     format == session::Format::table ? "?output=table" : "");
}

// --- asking --------------------------------------------------------------------------------------

Error refusal(const kube::Answer& answer, std::string_view where) {
  if (answer.status == 404) return {Error::Code::not_found, answer.message};
  return unavailable(fmt::format("{}: {}", where, answer.message));
}

// One question at the scheduler's own address.
class DirectQuestion {
 public:
  explicit DirectQuestion(std::string url) : url_(std::move(url)) {
    while (url_.ends_with('/')) url_.pop_back();
  }

  Result<std::string> ask(const std::string& path) {
    net::Endpoint endpoint{.url = url_};
    endpoint.direct = url_.starts_with("http://127.") || url_.starts_with("http://localhost") ||
                      url_.starts_with("http://[::1]");
    net::HttpClient client(loop_, std::move(endpoint), kPatience);
    request_ = client.stream(
        {.path = path, .headers = {{"User-Agent", "tutti/" + version()}}, .timeout = kPatience},
        {.data = [&](std::string_view bytes) { take(bytes, client); },
         .ended = [this](Result<net::Response> response) { end(std::move(response)); }});
    loop_.run();
    return *std::move(outcome_);
  }

 private:
  void take(std::string_view bytes, net::HttpClient& client) {
    body_ += bytes;
    if (body_.size() <= kAnswerMax) return;
    client.cancel(request_);
    finish(unavailable(fmt::format("{}: the answer is longer than {} MiB, which no verdict is",
                                   url_, kAnswerMax >> 20U)));
  }

  void end(Result<net::Response> response) {
    if (!response.ok()) {
      return finish(unavailable(
          fmt::format("no scheduler answers: {}; {}", response.error().message, kWhatToTry)));
    }
    const kube::Answer answer = kube::answer_of(*std::move(response));
    if (answer.ok()) return finish(std::move(body_));
    finish(refusal(answer, url_));
  }

  void finish(Result<std::string> outcome) {
    if (!outcome_) outcome_ = std::move(outcome);
    loop_.stop();
  }

  std::string url_;
  net::Loop loop_;
  net::RequestId request_ = 0;
  std::string body_;
  std::optional<Result<std::string>> outcome_;
};

// Questions through a cluster's API server.
class ClusterQuestion {
 public:
  ClusterQuestion(kube::Access access, std::uint64_t seed)
      : client_(loop_, std::move(access), {"tutti/" + version(), seed}) {}

  kube::Answer get(std::string path) {
    std::optional<kube::Answer> answer;
    kube::Call call;
    call.path = std::move(path);
    call.timeout = kPatience;
    client_.call(std::move(call), [&](kube::Answer given) {
      answer = std::move(given);
      loop_.stop();
    });
    loop_.run();
    return *std::move(answer);
  }

 private:
  net::Loop loop_;
  kube::ApiClient client_;
};

struct SchedulerPod {
  std::string ns{kSchedulerNamespace};
  std::string name{};
  std::uint16_t port = daemon::kDefaultPort;
};

// "NS/NAME[:PORT]".
Result<SchedulerPod> parse_pod(const std::string& text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::size_t colon = std::min(text.find(':', slash), text.size());
  SchedulerPod pod{text.substr(0, slash), {}};
  if (slash < text.size()) pod.name = text.substr(slash + 1, colon - slash - 1);
  bool good = is_name(pod.ns) && is_name(pod.name);
  if (colon < text.size()) {
    const char* const last = text.data() + text.size();
    const auto [end, problem] = std::from_chars(text.data() + colon + 1, last, pod.port);
    good = good && problem == std::errc{} && end == last && pod.port != 0;
  }
  if (good) return pod;
  return Error{Error::Code::invalid,
               fmt::format("--scheduler-pod: '{}' is not of the form NS/NAME[:PORT]", text)};
}

// Who leads names itself by its host, which in a pod is the pod's name, and a number.
Result<SchedulerPod> find_leader(ClusterQuestion& cluster) {
  const kube::Answer answer = cluster.get(std::string(kLeasePath));
  if (answer.status == 404) {
    return unavailable(
        "no Lease kube-system/tutti: no scheduler runs in this cluster, or under another name; "
        "--scheduler-pod NS/NAME names its pod");
  }
  if (!answer.ok()) return unavailable("reading Lease kube-system/tutti: " + answer.message);
  TUTTI_ASSIGN(const auto lease, kube::read_lease(answer.body));
  SchedulerPod pod;
  pod.name = lease->holder.substr(0, lease->holder.rfind('_'));
  if (is_name(pod.name)) return pod;
  return unavailable("Lease kube-system/tutti has no holder: no scheduler leads at the moment");
}

Result<std::string> question(const ExplainTarget& target, const ExplainOptions& options,
                             const std::string& usual_ns) {
  if (options.all) return std::string(kPathOfAll);
  return path_of(target, options.ns.empty() ? usual_ns : options.ns, options.format);
}

Result<std::string> ask_cluster(const ExplainTarget& target, const ExplainOptions& options,
                                const terminal::ProcessEnvironment& surroundings) {
  TUTTI_ASSIGN(kube::Access access, find_access(options.cluster, {}, surroundings));
  TUTTI_ASSIGN(const std::string path,
               question(target, options, access.ns.empty() ? "default" : access.ns));
  ClusterQuestion cluster(std::move(access), surroundings.entropy);
  TUTTI_ASSIGN(const SchedulerPod pod, options.scheduler_pod.empty()
                                           ? find_leader(cluster)
                                           : parse_pod(options.scheduler_pod));
  kube::Answer answer = cluster.get(
      fmt::format("/api/v1/namespaces/{}/pods/{}:{}/proxy{}", pod.ns, pod.name, pod.port, path));
  if (!answer.ok()) return refusal(answer, fmt::format("pod {}/{}", pod.ns, pod.name));
  if (answer.body.size() > kAnswerMax) {
    return unavailable("the answer is longer than any verdict is");
  }
  return std::move(answer.body);
}

Result<std::string> ask(const ExplainTarget& target, const ExplainOptions& options,
                        const terminal::ProcessEnvironment& surroundings) {
  const bool cluster_named = !options.cluster.kubeconfig.empty() ||
                             !options.cluster.context.empty() || !options.scheduler_pod.empty();
  if (options.server.empty() && (cluster_named || surroundings.kubectl_plugin)) {
    return ask_cluster(target, options, surroundings);
  }
  TUTTI_ASSIGN(const std::string path, question(target, options, "default"));
  const std::string here = fmt::format("http://127.0.0.1:{}", daemon::kDefaultPort);
  return DirectQuestion(options.server.empty() ? here : options.server).ask(path);
}

// --- the answer ----------------------------------------------------------------------------------

bool has_text(const wire::Value& object, std::string_view field) {
  const wire::Value* member = object.find(field);
  return member != nullptr && member->is_string();
}

bool is_verdict(const wire::Value& value) {
  const wire::Value* object = value.find("object");
  return object != nullptr && has_text(*object, "kind") && has_text(*object, "name") &&
         has_text(value, "state") && has_text(value, "blocker") && has_text(value, "summary");
}

Result<std::string> page_of(const std::string& answer, session::Format format) {
  const Error strange =
      unavailable("the server answers with something that is no verdict: is it a Tutti scheduler?");
  if (format == session::Format::table) {
    if (!answer.starts_with("object ")) return strange;
    return printable_lines(answer);
  }
  std::string page;
  const Status read = wire::read_json(answer, [&](wire::Document&& document) -> Status {
    const wire::Value& verdict = document.root();
    if (!page.empty() || !is_verdict(verdict)) return strange;
    page = format == session::Format::json ? wire::to_json(verdict, {.indent = 4}) + "\n"
                                           : wire::to_yaml(verdict);
    return ok_status();
  });
  if (!read.ok() || page.empty()) return strange;
  return page;
}

std::string text_in(const wire::Value& object, std::string_view field) {
  return has_text(object, field) ? std::string(object.find(field)->text()) : std::string();
}

// One block of lines.
std::string block_of(const wire::Value& item) {
  const wire::Value& object = *item.find("object");
  std::string block =
      fmt::format("object   {} {}/{}\nstate    {}\n", text_in(object, "kind"),
                  text_in(object, "namespace"), text_in(object, "name"), text_in(item, "state"));
  const std::string blocker = text_in(item, "blocker");
  if (!blocker.empty()) block += fmt::format("blocker  {}\n", blocker);
  return block + fmt::format("summary  {}\n", text_in(item, "summary"));
}

// The worst first, as of manifests.
int rank_in(const wire::Value& item) {
  constexpr std::string_view kWorst[] = {"Invalid", "Impossible", "Held", "Waiting"};
  const auto* const at = std::ranges::find(kWorst, text_in(item, "state"));
  return static_cast<int>(at - std::begin(kWorst));
}

std::string blocks_of(std::span<const wire::Value> items) {
  std::vector<const wire::Value*> sorted;
  for (const wire::Value& item : items) sorted.push_back(&item);
  std::ranges::stable_sort(sorted, {}, [](const wire::Value* item) { return rank_in(*item); });
  std::string page;
  for (const wire::Value* item : sorted) page += (page.empty() ? "" : "\n") + block_of(*item);
  return page.empty() ? "nothing waits\n" : printable_lines(page);
}

Result<std::string> page_of_all(const std::string& answer, session::Format format) {
  const Error strange =
      unavailable("the server answers with something that is no list of verdicts");
  std::string page;
  const Status read = wire::read_json(answer, [&](wire::Document&& document) -> Status {
    const wire::Value* items = document.root().find("items");
    if (!page.empty() || items == nullptr || !items->is_array()) return strange;
    if (!std::ranges::all_of(items->items(), is_verdict)) return strange;
    page = format == session::Format::json   ? wire::to_json(document.root(), {.indent = 4}) + "\n"
           : format == session::Format::yaml ? wire::to_yaml(document.root())
                                             : blocks_of(items->items());
    return ok_status();
  });
  if (!read.ok() || page.empty()) return strange;
  return page;
}

}  // namespace

Result<std::string> live_verdict(const ExplainTarget& target, const ExplainOptions& options,
                                 const terminal::ProcessEnvironment& surroundings) {
  TUTTI_ASSIGN(const std::string answer, ask(target, options, surroundings));
  if (options.all) return page_of_all(answer, options.format);
  return page_of(answer, options.format);
}

}  // namespace tutti::cli
