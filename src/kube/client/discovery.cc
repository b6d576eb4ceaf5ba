// One question after the other: the version, then for each group which of its versions are served,
// then what each of those that we understand contains, the best one first.
#include "kube/client/discovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <memory>
#include <utility>

#include "base/text.h"
#include "kube/client/resource_path.h"
#include "wire/json_reader.h"
#include "wire/value.h"

namespace tutti::kube {
namespace {

using wire::Value;

constexpr int kDiscoveryRetriesMax = 5;

struct Group {
  std::string_view name;
  std::vector<std::string_view> versions;  // that we understand, best first
};

const std::vector<Group>& groups() {
  static const std::vector<Group> kGroups = {
      {"scheduling.k8s.io", {"v1beta1", "v1alpha3", "v1alpha2"}},
      {"resource.k8s.io", {"v1", "v1beta2", "v1beta1"}},
      {"kueue.x-k8s.io", {"v1beta2", "v1beta1", "v1alpha1"}},
  };
  return kGroups;
}

struct Wanted {
  std::string_view group;
  std::string_view plural;
  std::string Served::*version;
};

constexpr Wanted kWanted[] = {
    {"scheduling.k8s.io", "podgroups", &Served::pod_groups},
    {"scheduling.k8s.io", "compositepodgroups", &Served::composite_pod_groups},
    {"scheduling.k8s.io", "workloads", &Served::workloads},
    {"resource.k8s.io", "resourceclaims", &Served::resource_claims},
    {"resource.k8s.io", "devicetaintrules", &Served::device_taint_rules},
    {"kueue.x-k8s.io", "topologies", &Served::topologies},
};

std::string_view member_text(const Value& object, std::string_view name) {
  const Value* member = object.find(name);
  return member != nullptr && member->is_string() ? member->text() : std::string_view{};
}

// Whether the list `list` of `object` has an entry whose member `name` is `text`.
bool lists(const Value& object, std::string_view list, std::string_view name,
           std::string_view text) {
  const Value* entries = object.find(list);
  if (entries == nullptr || !entries->is_array()) return false;
  return std::ranges::any_of(entries->items(),
                             [&](const Value& entry) { return member_text(entry, name) == text; });
}

// "36" of "36+", as some providers write it; 0 for what does not begin with a number.
int leading_number(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

class Discovery : public std::enable_shared_from_this<Discovery> {
 public:
  using Handler = std::function<void(Result<Served>)>;

  Discovery(ApiClient& client, Handler handler) : client_(client), handler_(std::move(handler)) {}

  void start() {
    questions_.push_back({"/version", [this](const Value& root) { return take_version(root); }});
    for (const Group& group : groups()) {
      questions_.push_back({fmt::format("/apis/{}", group.name),
                            [this, &group](const Value& root) { return take_group(group, root); },
                            true});
    }
    ask_next();
  }

 private:
  struct Question {
    std::string path;
    std::function<Status(const Value&)> take;
    bool may_be_missing = false;
  };

  void ask_next() {
    if (questions_.empty()) return handler_(std::move(served_));
    const Question question = std::move(questions_.front());
    questions_.pop_front();
    Call call;
    call.path = question.path;
    call.retries_max = kDiscoveryRetriesMax;
    client_.call(std::move(call), [self = shared_from_this(), question](const Answer& answer) {
      self->answered(question, answer);
    });
  }

  void answered(const Question& question, const Answer& answer) {
    if (answer.status == 404 && question.may_be_missing) return ask_next();
    if (!answer.ok()) {
      const auto code = answer.transient() ? Error::Code::unavailable : Error::Code::invalid;
      return handler_(Error{code, fmt::format("GET {}: {}", question.path, answer.message)});
    }
    Status status = Error{Error::Code::malformed, "the answer is empty"};
    const Status read = wire::read_json(answer.body, [&](wire::Document&& document) {
      status = question.take(document.root());
      return ok_status();
    });
    if (!read.ok()) status = read;
    if (status.ok()) return ask_next();
    handler_(
        Error{Error::Code::malformed, fmt::format("GET {}: {}: is this a Kubernetes API server?",
                                                  question.path, status.error().message)});
  }

  Status take_version(const Value& root) {
    served_.git_version = brief_line(member_text(root, "gitVersion"));
    served_.major = leading_number(member_text(root, "major"));
    served_.minor = leading_number(member_text(root, "minor"));
    if (served_.major > 0) return ok_status();
    return Error{Error::Code::malformed, "the answer names no version"};
  }

  Status take_group(const Group& group, const Value& root) {
    // In front of the next group's question, so that messages come in a sensible order.
    for (auto version = group.versions.rbegin(); version != group.versions.rend(); ++version) {
      if (!lists(root, "versions", "version", *version)) continue;
      const std::string group_version = fmt::format("{}/{}", group.name, *version);
      questions_.push_front(
          {group_path(group_version),
           [this, group_version](const Value& list) { return take_resources(group_version, list); },
           true});
    }
    return ok_status();
  }

  Status take_resources(const std::string& group_version, const Value& root) {
    for (const Wanted& wanted : kWanted) {
      std::string& version = served_.*wanted.version;
      if (!version.empty() || !group_version.starts_with(wanted.group)) continue;
      if (lists(root, "resources", "name", wanted.plural)) version = group_version;
    }
    return ok_status();
  }

  ApiClient& client_;
  Handler handler_;
  std::deque<Question> questions_;
  Served served_;
};

}  // namespace

void discover(ApiClient& client, std::function<void(Result<Served>)> handler) {
  std::make_shared<Discovery>(client, std::move(handler))->start();
}

}  // namespace tutti::kube
