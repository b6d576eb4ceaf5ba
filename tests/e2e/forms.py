"""Documents of a scenario in the form that the API server at hand accepts.

Groups are written in a version that it serves, with that version's members. What an API server
demands and a simulated cluster fills in by itself is filled in. Times in a document count from
2026-01-01; here they count from the scenario's own beginning.
"""

import datetime

from world import Skip

GROUP_KINDS = ("PodGroup", "CompositePodGroup", "Workload")
EPOCH = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
NATIVE = ("cpu", "memory", "pods", "ephemeral-storage")
MODES = {"PodGroup": {"all": {}}, "Pod": {"single": {}}}  # v1alpha2's, and the ones after it
CHECKPOINT = "tutti.dev/checkpointed-at"


def prepare(documents, api, version, beginning):
    """Changes the documents. `beginning` is the real time of a scenario's first instant."""
    never = {document["metadata"]["name"] for document in documents
             if document["kind"] == "PriorityClass" and
             document.get("preemptionPolicy") == "Never"}
    for document in documents:
        document.setdefault("metadata", {})
        if document["kind"] in GROUP_KINDS:
            _group(document, api, version, never)
        elif document["kind"] == "Node":
            _node(document)
        elif document["kind"] == "Pod":
            _pod(document, beginning)
        elif document["kind"] == "PersistentVolumeClaim":
            # Volume and claim name each other; the cluster's controller completes the binding.
            document["metadata"].get("annotations", {}).pop("pv.kubernetes.io/bind-completed", None)


def _group(document, api, version, never):
    served = api.group_version(document["kind"])
    if served is None:
        raise Skip(f"no {document['kind']} in Kubernetes {version}")
    if document["apiVersion"] not in api.served("scheduling.k8s.io"):
        document["apiVersion"] = served
    spec = document.get("spec", {})
    if "disruptionMode" in spec:
        spec["disruptionMode"] = _mode(spec["disruptionMode"], document["apiVersion"])
    # The server sets PreemptLowerPriority first and then finds that the class says otherwise.
    if version != "v1.36" and document["kind"] != "Workload" and \
            spec.get("priorityClassName") in never:
        spec.setdefault("preemptionPolicy", "Never")


def _mode(mode, api_version):
    if api_version.endswith("v1alpha2"):
        return next((old for old, new in MODES.items() if new == mode), mode)
    return MODES.get(mode, mode) if isinstance(mode, str) else mode


def _node(document):
    status = document.setdefault("status", {})
    status.setdefault("conditions", [{"type": "Ready", "status": "True"}])
    status.setdefault("capacity", status.get("allocatable", {}))


def _pod(document, beginning):
    metadata = document["metadata"]
    metadata.setdefault("namespace", "default")
    for container in document["spec"]["containers"]:
        resources = container.get("resources", {})
        extended = {name: amount for name, amount in resources.get("requests", {}).items()
                    if name not in NATIVE}
        if extended:  # of these there is no more and no less than the request
            resources.setdefault("limits", {}).update(extended)
    annotations = metadata.get("annotations", {})
    if CHECKPOINT in annotations:
        saved = datetime.datetime.fromisoformat(annotations[CHECKPOINT].replace("Z", "+00:00"))
        annotations[CHECKPOINT] = timestamp(beginning + (saved - EPOCH))


def timestamp(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
