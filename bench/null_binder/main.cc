// The ceiling of what a scheduler can reach: pods are bound to nodes in turn, with a Scheduled
// event each, by the daemon's own writer and nothing else. No watch, no decision.
//
//   tutti_null_binder --kubeconfig=FILE --scheduler-name=NAME [--late-events=yes]
//
// An event is sent as soon as its pod is bound. With late events they trickle while bindings are
// open, as the daemon's do: then it is the ceiling of bindings alone. Binds every pod that waits
// for NAME when it starts, then does nothing until it is stopped, so that its figures can be read.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "daemon/writes/cluster_writer.h"
#include "kube/access/kubeconfig.h"
#include "kube/client/api_client.h"
#include "kube/watch/reflector.h"
#include "model/node.h"
#include "model/pod.h"
#include "net/loop.h"

namespace {

using namespace tutti;

// As many under way as bindings: neither waits for the other.
constexpr std::size_t kEventsAtOnce = 64;

class NullBinder {
 public:
  NullBinder(net::Loop& loop, kube::ApiClient& client, std::string scheduler, bool late_events)
      : loop_(loop),
        scheduler_(std::move(scheduler)),
        writer_(loop, client, writer_options(late_events), handlers()),
        nodes_(reflector(client, model::Kind::node, "nodes", {})),
        pods_(reflector(client, model::Kind::pod, "pods", "spec.nodeName=")) {
    nodes_->start();
    pods_->start();
  }

 private:
  static daemon::ClusterWriter::Options writer_options(bool late_events) {
    daemon::ClusterWriter::Options options;
    options.instance = "null-binder";
    if (!late_events) options.events_beside_bindings = kEventsAtOnce;
    return options;
  }

  std::unique_ptr<kube::Reflector> reflector(kube::ApiClient& client, model::Kind kind,
                                             const char* plural, std::string selector) {
    kube::Resource resource;
    resource.kind = kind;
    resource.group_version = "v1";
    resource.plural = plural;
    resource.field_selector = std::move(selector);
    return std::make_unique<kube::Reflector>(
        loop_, client, std::move(resource),
        kube::Reflector::Handlers{[this](const kube::Change& change) { take(change.object); },
                                  [this] { loop_.post([this] { begin(); }); }, complain});
  }

  void take(const model::ObjectPtr& object) {
    if (object->kind == model::Kind::node) {
      names_.push_back(object->meta.name);
    } else if (static_cast<const model::Pod&>(*object).spec->scheduler_name == scheduler_) {
      waiting_.push_back(object);
    }
  }

  // Once both lists are complete. The watches that would follow them belong to a scheduler.
  void begin() {
    if (began_ || !nodes_->synced() || !pods_->synced()) return;
    began_ = true;
    nodes_.reset();
    pods_.reset();
    if (names_.empty()) return complain("the cluster has no nodes");
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      const model::ObjectMeta& meta = waiting_[i]->meta;
      by_uid_.emplace(meta.uid, waiting_[i]);
      writer_.bind({{meta.ns, meta.name, meta.uid}, names_[i % names_.size()], {}});
    }
  }

  daemon::ClusterWriter::Handlers handlers() {
    return {[this](const core::PodReference& pod, const Status& outcome, Millis) {
              bound(pod, outcome);
            },
            [] { return true; }, complain, [] {}, [] {}};
  }

  void bound(const core::PodReference& pod, const Status& outcome) {
    if (!outcome.ok()) return complain(outcome.error().message);
    writer_.record({by_uid_.at(pod.uid), "Normal", "Scheduled", "Binding",
                    "Successfully assigned to a node in turn", scheduler_});
  }

  static void complain(const std::string& line) {
    std::fputs(fmt::format("tutti_null_binder: {}\n", line).c_str(), stderr);
  }

  net::Loop& loop_;
  std::string scheduler_;
  daemon::ClusterWriter writer_;
  std::unique_ptr<kube::Reflector> nodes_;
  std::unique_ptr<kube::Reflector> pods_;
  std::vector<std::string> names_;
  std::vector<model::ObjectPtr> waiting_;
  std::unordered_map<std::string, model::ObjectPtr> by_uid_;
  bool began_ = false;
};

std::string_view value_of(std::string_view option, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word.starts_with(option) && word.substr(option.size()).starts_with('=')) {
      return word.substr(option.size() + 1);
    }
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const auto access =
      kube::load_kubeconfig({.path = std::string(value_of("--kubeconfig", argc, argv))});
  if (!access.ok()) {
    std::fputs(fmt::format("tutti_null_binder: {}\n", access.error().message).c_str(), stderr);
    return EXIT_FAILURE;
  }
  net::Loop loop;
  kube::ApiClient client(loop, *access, {.user_agent = "tutti-null-binder"});
  NullBinder binder(loop, client, std::string(value_of("--scheduler-name", argc, argv)),
                    !value_of("--late-events", argc, argv).empty());
  loop.on_stop_signal([&loop] { loop.stop(); });
  loop.run();
  return EXIT_SUCCESS;
}
