#include "cli/input/cluster_reading.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cli/input/cluster_access.h"
#include "cli/input/version.h"
#include "daemon/watch/watched_resources.h"
#include "kube/client/discovery.h"
#include "snapshot/cluster_lists.h"

namespace tutti::cli {
namespace {

using snapshot::ClusterLists;

kube::Resource resource(model::Kind kind, std::string group_version) {
  kube::Resource made;
  made.kind = kind;
  made.group_version = std::move(group_version);
  made.plural = model::facts(kind).plural;
  return made;
}

// What the scheduler reads; what admission reads when the manifests are loaded again; and Jobs and
// pods that have succeeded, by which others are expected to end. Not everybody who may look at pods
// may look at Jobs, and the present is decided without them.
std::vector<ClusterLists::List> lists(const kube::Served& served) {
  std::vector<ClusterLists::List> all;
  all.push_back({resource(model::Kind::priority_class, "scheduling.k8s.io/v1")});
  for (kube::Resource& watched : daemon::watched_resources(served)) {
    all.push_back({std::move(watched)});
  }
  all.push_back({resource(model::Kind::pod, "v1")});
  all.back().resource.field_selector = "status.phase=Succeeded";
  all.push_back({resource(model::Kind::job, "batch/v1"), true});
  return all;
}

// One read of one cluster, on a loop of its own.
class Reading {
 public:
  Reading(kube::Access access, std::uint64_t seed, std::ostream& progress)
      : client_(loop_, std::move(access), {"tutti/" + version(), seed}), progress_(progress) {}

  Result<session::LiveCluster> run() {
    session::LiveCluster cluster{.pages = {},
                                 .taken_at = std::chrono::floor<std::chrono::seconds>(loop_.now())};
    loop_.on_stop_signal([this] { end(Error{Error::Code::unavailable, "interrupted"}); });
    kube::discover(client_, [this](Result<kube::Served> served) {
      if (!served.ok()) return end(std::move(served).error());
      lists_.emplace(client_, lists(*served),
                     ClusterLists::Handlers{
                         [this](std::string_view plural, std::size_t objects) {
                           if (objects > 0) progress_ << fmt::format("{} {}\n", objects, plural);
                         },
                         [this](std::string_view plural, const std::string& why) {
                           progress_ << fmt::format("note: goes on without {}: {}\n", plural, why);
                         },
                         [this](Result<ClusterLists::Pages> pages) { end(std::move(pages)); }});
      lists_->start();
    });
    loop_.run();
    TUTTI_ASSIGN(cluster.pages, *std::move(outcome_));
    return cluster;
  }

 private:
  void end(Result<ClusterLists::Pages> outcome) {
    if (!outcome_) outcome_ = std::move(outcome);
    loop_.stop();
  }

  net::Loop loop_;
  kube::ApiClient client_;
  std::ostream& progress_;
  std::optional<ClusterLists> lists_;
  std::optional<Result<ClusterLists::Pages>> outcome_;
};

}  // namespace

Result<session::LiveCluster> read_cluster(const ClusterOptions& options,
                                          const terminal::ProcessEnvironment& surroundings,
                                          std::ostream& progress) {
  TUTTI_ASSIGN(kube::Access access, find_access(options, {}, surroundings));
  return Reading(std::move(access), surroundings.entropy, progress).run();
}

Status add_cluster(const ClusterOptions& options, const terminal::ProcessEnvironment& surroundings,
                   std::ostream& progress, session::ManifestPaths& into) {
  TUTTI_ASSIGN(session::LiveCluster cluster, read_cluster(options, surroundings, progress));
  into.cluster = std::make_shared<const session::LiveCluster>(std::move(cluster));
  return ok_status();
}

}  // namespace tutti::cli
