// Concern: what of Kubernetes a plugin's refusals are about. A plugin says it once for all it
// refuses; explain/ turns it into the word that users read, so that nobody goes by plugins' names.
// User plugins may say theirs, too (per_node_plugin.h).
#pragma once

#include "base/std.h"

namespace tutti::core {

enum class Concern : std::uint8_t {
  nodes,            // which nodes suit the pod, by a rule of the plugin's own
  resources,        // requests and allocatable
  node_name,        // spec.nodeName
  node_affinity,    // spec.nodeSelector and spec.affinity.nodeAffinity, and nothing else
  pod_affinity,     // spec.affinity.podAffinity and podAntiAffinity, and nothing else
  unschedulable,    // the node's spec.unschedulable
  taints,           // the node's taints and spec.tolerations
  topology_spread,  // spec.topologySpreadConstraints
  placement,        // the topology domains that a group may be placed in
  ports,            // host ports
  volumes,          // claims, volumes and how many a node attaches
  devices,          // resource claims
  gates,            // spec.schedulingGates
  gang,             // a group that is not there yet, or too few of its members
  preemption,       // who may be evicted for whom
};

}  // namespace tutti::core
