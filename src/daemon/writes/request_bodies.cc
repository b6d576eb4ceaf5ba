#include "daemon/writes/request_bodies.h"

#include <initializer_list>
#include <utility>

#include "base/time.h"
#include "model/object.h"
#include "wire/json_writer.h"

namespace tutti::daemon {
namespace {

// Writes one JSON object after the other into a string. Values are strings, or JSON ready-made.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  Writer& open() {
    out_ += '{';
    fresh_ = true;
    return *this;
  }
  Writer& open(std::string_view key) {
    begin(key);
    return open();
  }
  Writer& close() {
    out_ += '}';
    fresh_ = false;
    return *this;
  }
  Writer& text(std::string_view key, std::string_view value) {
    begin(key);
    wire::append_json_string(out_, value);
    return *this;
  }
  Writer& raw(std::string_view key, std::string_view json) {
    begin(key);
    out_ += json;
    return *this;
  }
  Writer& texts(std::initializer_list<std::pair<std::string_view, std::string_view>> members) {
    for (const auto& [key, value] : members) text(key, value);
    return *this;
  }

 private:
  void begin(std::string_view key) {
    if (!std::exchange(fresh_, false)) out_ += ',';
    wire::append_json_string(out_, key);
    out_ += ':';
  }

  std::string& out_;
  bool fresh_ = true;
};

void write_condition(Writer& writer, const model::Condition& condition) {
  writer.open().texts({{"type", condition.type},
                       {"status", condition.status},
                       {"reason", condition.reason},
                       {"message", condition.message}});
  if (condition.last_transition) {
    writer.text("lastTransitionTime", format_rfc3339(*condition.last_transition));
  }
  if (condition.observed_generation != 0) {
    writer.raw("observedGeneration", std::to_string(condition.observed_generation));
  }
  writer.close();
}

void write_extended_claim(Writer& writer, std::string& out, const model::ExtendedClaim& claim) {
  writer.open("extendedResourceClaimStatus").text("resourceClaimName", claim.claim_name);
  writer.raw("requestMappings", "[");
  for (const model::ExtendedRequest& request : claim.requests) {
    if (&request != &claim.requests.front()) out += ',';
    writer.open().texts({{"containerName", request.container},
                         {"resourceName", request.resource},
                         {"requestName", request.request}});
    writer.close();
  }
  out += ']';
  writer.close();
}

}  // namespace

std::string binding_body(const core::BindRequest& request) {
  std::string out;
  out.reserve(200 + request.node.size() + request.pod.name.size() + request.pod.ns.size());
  Writer writer(out);
  writer.open().texts({{"apiVersion", "v1"}, {"kind", "Binding"}});
  writer.open("metadata")
      .texts({{"namespace", request.pod.ns}, {"name", request.pod.name}, {"uid", request.pod.uid}});
  writer.close();
  writer.open("target").texts({{"kind", "Node"}, {"name", request.node}}).close();
  writer.close();
  return out;
}

std::string event_body(const core::EventRecord& event, std::string_view name,
                       std::string_view instance, Instant now) {
  const model::Object& about = *event.about;
  const std::string_view ns = about.meta.ns.empty() ? "default" : std::string_view(about.meta.ns);
  std::string out;
  out.reserve(700 + event.message.size());
  Writer writer(out);
  writer.open().texts({{"apiVersion", "events.k8s.io/v1"}, {"kind", "Event"}});
  writer.open("metadata").texts({{"namespace", ns}, {"name", name}}).close();
  writer.texts({{"eventTime", format_rfc3339_micro(now)},
                {"reportingController", event.scheduler},
                {"reportingInstance", instance},
                {"action", event.action},
                {"reason", event.reason},
                {"type", event.type},
                {"note", event.message}});
  writer.open("regarding")
      .texts({{"apiVersion", about.api_version},
              {"kind", model::facts(about.kind).name},
              {"namespace", about.meta.ns},
              {"name", about.meta.name},
              {"uid", about.meta.uid}});
  writer.close().close();
  return out;
}

std::string pod_status_body(const core::PodStatusPatch& patch) {
  std::string out;
  Writer writer(out);
  writer.open();
  writer.open("metadata").text("uid", patch.pod.uid).close();
  writer.open("status");
  if (patch.nominated_node) {
    // null removes the member: an empty string would be stored as such.
    if (patch.nominated_node->empty()) {
      writer.raw("nominatedNodeName", "null");
    } else {
      writer.text("nominatedNodeName", *patch.nominated_node);
    }
  }
  if (patch.condition) {
    writer.raw("conditions", "[");
    write_condition(writer, *patch.condition);
    out += ']';
  }
  if (patch.extended_claim) write_extended_claim(writer, out, *patch.extended_claim);
  writer.close().close();
  return out;
}

std::string group_status_body(const std::vector<model::Condition>& conditions) {
  std::string out;
  Writer writer(out);
  writer.open().open("status").raw("conditions", "[");
  for (const model::Condition& condition : conditions) {
    if (&condition != &conditions.front()) out += ',';
    write_condition(writer, condition);
  }
  out += ']';
  writer.close().close();
  return out;
}

std::string delete_body(std::string_view uid) {
  std::string out;
  Writer writer(out);
  writer.open().texts({{"apiVersion", "v1"}, {"kind", "DeleteOptions"}});
  writer.open("preconditions").text("uid", uid).close().close();
  return out;
}

}  // namespace tutti::daemon
