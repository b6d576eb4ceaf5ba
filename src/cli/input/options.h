// What was asked for on the command line, as plain values.
#pragma once

#include "base/std.h"
#include "base/time.h"
#include "cli/output/kind_names.h"
#include "cli/output/object_list.h"
#include "session/options.h"

namespace tutti::cli {

// Options of `tutti run`.
struct RunOptions {
  session::SessionOptions session;
  session::Format format = session::Format::table;
  KindFilter kinds;
  std::vector<std::string> expect;  // paths
  std::string junit;                // path; empty: none
  std::string timeline;             // path; empty: none
  std::string compare;              // another configuration, as session.config; empty: none
  bool pods = false;                // a line for every pod, those of workloads too
};

// A real cluster.
struct ClusterOptions {
  std::string kubeconfig{};  // path; empty: $KUBECONFIG, the pod's own, ~/.kube/config
  std::string context{};     // empty: the current one
};

// Options of `tutti capacity`.
struct CapacityOptions {
  session::SessionOptions session;
  bool live = false;  // the cluster is read through its API server, not from manifests
  ClusterOptions access;
  session::Format format = session::Format::table;
  std::vector<std::string> shapes;  // "cpu=8,nvidia.com/gpu=1"; none: those of the work
  std::vector<std::string> levels;  // topology keys beyond those found
  std::string by;                   // a node label that divides the devices; empty: none
  std::string html;                 // path; empty: none
};

// Options of `tutti plan`.
struct PlanCommandOptions {
  session::PlanOptions plan;
  bool pods = false;  // a line for every pod
  bool live = false;  // the cluster is read through its API server, not from `plan.cluster`
  ClusterOptions access;
  session::Format format = session::Format::table;
};

// Options of `tutti queues`.
struct QueuesOptions {
  session::SessionOptions session;
  bool live = false;  // the cluster is read through its API server, not from manifests
  ClusterOptions access;
  session::Format format = session::Format::table;
  std::string name;  // of a queue or cohort, "NS/NAME" of a LocalQueue; empty: all
};

// Options of `tutti policy`.
struct PolicyOptions {
  session::SessionOptions session;
  bool live = false;
  ClusterOptions access;
  session::Format format = session::Format::table;
  std::string from;  // "QUEUE[:PRIORITY]"; empty: everybody
  std::string to;
  std::vector<std::string> expect;  // paths
};

// Options of `tutti why`.
struct WhyOptions {
  session::SessionOptions session;
  bool live = false;
  ClusterOptions access;
  session::Format format = session::Format::table;
  std::string object;  // "KIND/NAME" or "NAME"
  std::string other;   // likewise; empty: no comparison
  std::string ns = "default";
};

// Options of `tutti doctor`.
struct DoctorOptions {
  session::SessionOptions session;
  bool live = false;
  ClusterOptions access;
  session::Format format = session::Format::table;
  std::string fail_on;  // a severity; empty: findings are a result, not a failure
};

// Options of `tutti explain`.
struct ExplainOptions {
  session::SessionOptions session{};
  session::Format format = session::Format::table;
  std::string object{};  // "KIND/NAME" or "NAME"
  bool all = false;      // everything that waits, whatever its namespace
  std::string ns{};      // empty: "default", or the namespace of the kubeconfig's context
  // Without manifests a running scheduler is asked: at this address, or through a cluster's API
  // server. None given: at its usual address on this machine.
  std::string server{};  // URL
  ClusterOptions cluster{};
  bool live = false;            // the cluster is read and played ahead, and no scheduler is asked
  std::string scheduler_pod{};  // "NS/NAME[:PORT]"; empty: the one that leads
};

// Options of `tutti snapshot`.
struct SnapshotOptions {
  ClusterOptions cluster;
  session::Format format = session::Format::yaml;
  bool hash_names = false;
};

// Options of the command that runs the daemon.
struct SchedulerCommandOptions {
  ClusterOptions cluster{};
  std::string config{};          // path; empty: default_config()
  std::string plugin_dir{};      // empty: the built-in plugins only
  std::string scheduler_name{};  // of the only profile; empty: as configured
  std::optional<bool> leader_elect{};
  std::string bind_address = "127.0.0.1";
  std::uint16_t port = 10259;
  bool explain_to_all = false;
  std::string group_in_memory = "auto";
  bool json_log = false;
  bool verbose = false;
};

// Options of `tutti controllers`.
struct ControllersOptions {
  ClusterOptions cluster{};
  bool leader_elect = true;
  std::string lease_namespace = "kube-system";
  std::vector<std::string> parts{};  // none: all that the cluster lacks
  std::string bind_address = "127.0.0.1";
  std::uint16_t port = 10260;
  bool json_log = false;
  bool verbose = false;
};

}  // namespace tutti::cli
