// PodSpec from its document, with the defaults an API server would have written into it.
#include <algorithm>

#include "wire/decode/decode_parts.h"

namespace tutti::wire {

static void read(const Field& at, model::ContainerPort& out) {
  static constexpr EnumTable<model::Protocol, 3> kProtocols = {{
      {"TCP", model::Protocol::tcp},
      {"UDP", model::Protocol::udp},
      {"SCTP", model::Protocol::sctp},
  }};
  at("containerPort", out.container_port);
  at("hostPort", out.host_port);
  at("hostIP", out.host_ip);
  at("protocol", out.protocol, kProtocols);
}

static void read_resources(const Field& at, model::ResourceList& requests,
                           model::ResourceList& limits) {
  at("requests", requests);
  at("limits", limits);
}

static void read(const Field& at, model::ContainerClaim& out) {
  at("name", out.name);
  at("request", out.request);
}

static void add(model::ResourceList& list, const std::string& name, const Quantity& amount) {
  const auto at = std::ranges::lower_bound(list, name, {}, &model::ResourceList::value_type::first);
  list.insert(at, {name, amount});
}

static void read(const Field& at, model::Container& out) {
  at("name", out.name);
  at("image", out.image);
  at.member("resources", [&](const Field& resources) {
    read_resources(resources, out.requests, out.limits);
    resources("claims", out.claims);
  });
  at("ports", out.ports);
  std::string restart_policy;
  at("restartPolicy", restart_policy);
  out.restart_always = restart_policy == "Always";

  for (const auto& [name, limit] : out.limits) {
    if (model::find(out.requests, name) == nullptr) add(out.requests, name, limit);
  }
}

void read(const Field& at, model::Toleration& out) {
  using Operator = model::Toleration::Operator;
  static constexpr EnumTable<Operator, 4> kOperators = {{
      {"Equal", Operator::equal},
      {"Exists", Operator::exists},
      {"Lt", Operator::lt},
      {"Gt", Operator::gt},
  }};
  at("key", out.key);
  at("operator", out.op, kOperators);
  at("value", out.value);
  at("effect", out.effect);
  at("tolerationSeconds", out.toleration_seconds);
}

static void read(const Field& at, model::PreferredNodeTerm& out) {
  at("weight", out.weight);
  at("preference", out.term);
}

static void read(const Field& at, model::NodeAffinity& out) {
  at.member("requiredDuringSchedulingIgnoredDuringExecution",
            [&](const Field& required) { required("nodeSelectorTerms", out.required.emplace()); });
  at("preferredDuringSchedulingIgnoredDuringExecution", out.preferred);
}

static void read(const Field& at, model::PodAffinityTerm& out) {
  at("labelSelector", out.selector);
  at("namespaces", out.namespaces);
  at("namespaceSelector", out.namespace_selector);
  at("topologyKey", out.topology_key);
  at("matchLabelKeys", out.match_label_keys);
  at("mismatchLabelKeys", out.mismatch_label_keys);
}

static void read(const Field& at, model::WeightedPodAffinityTerm& out) {
  at("weight", out.weight);
  at("podAffinityTerm", out.term);
}

static void read(const Field& at, model::PodAffinity& out) {
  at("requiredDuringSchedulingIgnoredDuringExecution", out.required);
  at("preferredDuringSchedulingIgnoredDuringExecution", out.preferred);
}

static void read(const Field& at, model::TopologySpreadConstraint& out) {
  static constexpr EnumTable<bool, 2> kUnsatisfiable = {{
      {"DoNotSchedule", true},
      {"ScheduleAnyway", false},
  }};
  static constexpr EnumTable<bool, 2> kInclusion = {{{"Honor", true}, {"Ignore", false}}};
  at("maxSkew", out.max_skew);
  at("topologyKey", out.topology_key);
  at.required("whenUnsatisfiable", out.hard, kUnsatisfiable);
  at("labelSelector", out.selector);
  at("minDomains", out.min_domains);
  at("nodeAffinityPolicy", out.honor_node_affinity, kInclusion);
  at("nodeTaintsPolicy", out.honor_node_taints, kInclusion);
  at("matchLabelKeys", out.match_label_keys);
}

namespace {

// One row per volume source that a scheduling decision looks into: its member name, the member that
// identifies the volume, and how the source is called in the model.
struct VolumeSource {
  std::string_view member;
  std::string_view id;
  model::Volume::Source source;
};
constexpr VolumeSource kVolumeSources[] = {
    {"persistentVolumeClaim", "claimName", model::Volume::Source::claim},
    {"ephemeral", "", model::Volume::Source::ephemeral},
    {"gcePersistentDisk", "pdName", model::Volume::Source::gce_disk},
    {"awsElasticBlockStore", "volumeID", model::Volume::Source::aws_disk},
    {"iscsi", "iqn", model::Volume::Source::iscsi},
    {"rbd", "image", model::Volume::Source::rbd},
    {"csi", "", model::Volume::Source::csi},
    {"image", "reference", model::Volume::Source::image},
};

void read_source(const Field& at, const VolumeSource& source, model::Volume& out) {
  out.source = source.source;
  if (!source.id.empty()) at(source.id, out.id);
  at("readOnly", out.read_only);
  if (source.source == model::Volume::Source::csi) at("driver", out.driver);
  if (source.source == model::Volume::Source::rbd) {
    out.pool = "rbd";
    at("pool", out.pool);
    at("monitors", out.monitors);
  }
}

}  // namespace

static void read(const Field& at, model::Volume& out) {
  at("name", out.name);
  for (const VolumeSource& source : kVolumeSources) {
    at.member(source.member, [&](const Field& field) { read_source(field, source, out); });
  }
}

namespace {

bool any_requests(const std::vector<model::Container>& containers, std::string_view resource) {
  return std::ranges::any_of(containers, [&](const model::Container& container) {
    return model::find(container.requests, resource) != nullptr;
  });
}

// A pod-level limit becomes the pod-level request unless someone in the pod says what is requested.
void default_pod_requests(const model::ResourceList& limits, model::PodSpec& out) {
  for (const auto& [name, limit] : limits) {
    if (model::find(out.pod_requests, name) == nullptr && !any_requests(out.containers, name) &&
        !any_requests(out.init_containers, name)) {
      add(out.pod_requests, name, limit);
    }
  }
}

void publish_ports(std::vector<model::Container>& containers) {
  for (model::Container& container : containers) {
    for (model::ContainerPort& port : container.ports) {
      if (port.host_port == 0) port.host_port = port.container_port;
    }
  }
}

void read_placement(const Field& at, model::PodSpec& out) {
  at("nodeSelector", out.node_selector);
  at.member("affinity", [&](const Field& affinity) {
    affinity("nodeAffinity", out.node_affinity);
    affinity("podAffinity", out.affinity);
    affinity("podAntiAffinity", out.anti_affinity);
  });
  at("tolerations", out.tolerations);
  at("topologySpreadConstraints", out.spread);
  at.list("schedulingGates",
          [&](const Field& gate) { gate("name", out.scheduling_gates.emplace_back()); });
  at("schedulerName", out.scheduler_name);
  at("priorityClassName", out.priority_class_name);
  at.member("schedulingGroup",
            [&](const Field& group) { group("podGroupName", out.scheduling_group); });
}

}  // namespace

void read(const Field& at, model::PodSpec& out) {
  model::ResourceList pod_limits;
  at("containers", out.containers);
  at("initContainers", out.init_containers);
  at("overhead", out.overhead);
  at.member("resources", [&](const Field& resources) {
    read_resources(resources, out.pod_requests, pod_limits);
    resources.member("claims", [](const Field& claims) {
      claims.fail("is not allowed for a whole pod: each container says which claims it uses");
    });
  });
  read_placement(at, out);
  at("volumes", out.volumes);
  at("resourceClaims", out.resource_claims);
  at("restartPolicy", out.restart_policy);
  at("activeDeadlineSeconds", out.active_deadline_seconds);
  at("terminationGracePeriodSeconds", out.termination_grace_seconds);
  at("hostNetwork", out.host_network);

  default_pod_requests(pod_limits, out);
  if (out.host_network) {
    publish_ports(out.containers);
    publish_ports(out.init_containers);
  }
}

}  // namespace tutti::wire
