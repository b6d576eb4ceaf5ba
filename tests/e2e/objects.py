"""Plain objects for tests: dictionaries as the API server takes them."""


def node(name, cpu="32", memory="64Gi", pods="110", labels=None, taints=None, resources=None):
    """A node that is Ready."""
    offers = {"cpu": str(cpu), "memory": memory, "pods": str(pods), **(resources or {})}
    return {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}},
        "spec": {"taints": taints} if taints else {},
        "status": {"capacity": offers, "allocatable": offers,
                   "conditions": [{"type": "Ready", "status": "True", "reason": "Test"}]},
    }


def pod(name, namespace="default", cpu="1", scheduler=None, group=None, labels=None, grace=None,
        **spec):
    """A pod of one container; further fields of its spec by name."""
    body = {"containers": [{"name": "main", "image": "app",
                            "resources": {"requests": {"cpu": str(cpu)}}}], **spec}
    if scheduler:
        body["schedulerName"] = scheduler
    if group:
        body["schedulingGroup"] = {"podGroupName": group}
    if grace is not None:
        body["terminationGracePeriodSeconds"] = grace
    metadata = {"name": name, "namespace": namespace}
    if labels:
        metadata["labels"] = labels
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": body}


def gang(api_version, name, minimum, namespace="default", **spec):
    """A PodGroup. `api_version` is api.group_version("PodGroup")."""
    return {"apiVersion": api_version, "kind": "PodGroup",
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"schedulingPolicy": {"gang": {"minCount": minimum}}, **spec}}


def namespace(name):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def topologies():
    """Kueue's Topology as a cluster knows it, as far as it matters here."""
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "topologies.kueue.x-k8s.io"},
            "spec": {"group": "kueue.x-k8s.io", "scope": "Cluster",
                     "names": {"kind": "Topology", "plural": "topologies"},
                     "versions": [{"name": "v1beta1", "served": True, "storage": True,
                                   "schema": {"openAPIV3Schema": anything}}]}}
