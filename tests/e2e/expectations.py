"""Judges an expectation file (docs/guides/expect.md) on the objects of a live cluster.

What only `tutti explain` knows cannot be seen from outside: `blocker` is not judged, and `state`
only as far as objects show it (has it nodes, has it ended, did anybody speak of it).
"""

import json
import re

import yaml

# Attributes whose values mean nothing beyond one node.
INSIDE_NODES = ("numaNode", "numaNodeID", "pciBusID", "pcieRoot", "socketID")


def read(path):
    with open(path, encoding="utf-8") as file:
        return [entry for document in yaml.safe_load_all(file) if document
                for entry in document]


class Scene:
    """What the cluster holds at one moment."""

    def __init__(self, api):
        self.pods = {key(pod): pod for pod in api.list("Pod")}
        offered = api.group_version("PodGroup")
        self.groups = {key(group): group for group in api.list("PodGroup")} if offered else {}
        composites = api.list("CompositePodGroup") if api.group_version("CompositePodGroup") else []
        self.composites = {key(group): group for group in composites}
        self.claims = {key(claim): claim for claim in api.list("ResourceClaim")}
        self.nodes = {node["metadata"]["name"]: node for node in api.list("Node")}
        self.api = api

    def fingerprint(self):
        """Changes when a pod, group, claim or node does."""
        return sorted(thing["metadata"]["uid"] + thing["metadata"]["resourceVersion"]
                      for thing in self._things())

    def changes(self, later):
        """What is different in a later scene: each such thing as it is then, as JSON."""
        before = {thing["metadata"]["uid"]: thing for thing in self._things()}
        return [json.dumps(thing) for thing in later._things()
                if before.get(thing["metadata"]["uid"]) != thing]

    def _things(self):
        return [thing for things in (self.pods, self.groups, self.composites, self.claims,
                                     self.nodes)
                for thing in things.values()]

    def slices(self):
        return self.api.list("ResourceSlice")

    def events(self):
        return self.api.list("Event")

    def members(self, name):
        """Pods of the group that have not ended."""
        return [pod for pod in self.everyone(name) if not ended(pod)]

    def everyone(self, name):
        """Pods of the group, or of all groups below a composite."""
        namespace, group = name.split("/")
        if name not in self.groups and name in self.composites:
            below = [key(child) for child in [*self.groups.values(), *self.composites.values()]
                     if child["metadata"]["namespace"] == namespace and
                     child["spec"].get("parentCompositePodGroupName") == group]
            return [pod for child in below for pod in self.everyone(child)]
        return [pod for pod in self.pods.values() if pod["metadata"]["namespace"] == namespace and
                pod["spec"].get("schedulingGroup", {}).get("podGroupName") == group]


def key(thing):
    return f"{thing['metadata'].get('namespace', '')}/{thing['metadata']['name']}"


def full_name(text):
    return text if "/" in text else f"default/{text}"


def ended(pod):
    return pod.get("status", {}).get("phase") in ("Succeeded", "Failed")


def node_of(pod):
    return pod["spec"].get("nodeName") or None


def nominated(pod):
    return bool(pod.get("status", {}).get("nominatedNodeName"))


def count_matches(wanted, actual):
    found = re.fullmatch(r"(>=|<=)?\s*(\d+)", str(wanted))
    relation, value = found.group(1), int(found.group(2))
    return actual >= value if relation == ">=" else actual <= value if relation == "<=" else \
        actual == value


def as_list(value):
    return value if isinstance(value, list) else [value]


def conditions(thing, type_name):
    return [c for c in thing.get("status", {}).get("conditions", []) if c["type"] == type_name]


def condition_matches(pattern, condition):
    return (str(pattern.get("status", condition["status"])) == condition["status"] and
            pattern.get("reason", condition.get("reason")) == condition.get("reason") and
            pattern.get("message", "") in condition.get("message", ""))


def condition_problems(entry, thing):
    for pattern in as_list(entry.get("condition", [])):
        found = conditions(thing, pattern["type"])
        if not any(condition_matches(pattern, condition) for condition in found):
            seen = [f"{c['status']}/{c.get('reason')}" for c in found] or "none"
            yield f"expected condition {pattern}, but it is {seen}"
    for type_name in as_list(entry.get("noCondition", [])):
        if conditions(thing, type_name):
            yield f"expected no condition {type_name}, but it is there"


def problems(entry, scene):
    """Every difference between one entry and the cluster."""
    for subject, judge in JUDGES.items():
        if subject in entry:
            return [f"{subject} {entry[subject]}: {problem}" for problem in judge(entry, scene)]
    raise ValueError(f"no subject in {entry}")


def _pod(entry, scene):
    pod = scene.pods.get(full_name(entry["pod"]))
    if (pod is not None) != entry.get("exists", True):
        yield "exists" if pod else "does not exist"
    if pod is None:
        return
    if "bound" in entry and bool(node_of(pod)) != entry["bound"]:
        yield f"expected bound {entry['bound']}, but its node is {node_of(pod)}"
    if "node" in entry and node_of(pod) != entry["node"]:
        yield f"expected node {entry['node']}, but it is {node_of(pod)}"
    phase = pod["status"].get("phase")
    if "phase" in entry and phase != entry["phase"]:
        yield f"expected phase {entry['phase']}, but it is {phase}"
    if "state" in entry and not _pod_state_fits(entry["state"], pod):
        yield f"expected state {entry['state']}, but node {node_of(pod)}, phase {phase}"
    yield from condition_problems(entry, pod)


def _pod_state_fits(state, pod):
    if state in ("Succeeded", "Failed"):
        return pod["status"].get("phase") == state
    leaving = "deletionTimestamp" in pod["metadata"]
    if state == "Terminating":
        return leaving and bool(node_of(pod))
    if state == "Running":
        return bool(node_of(pod)) and not ended(pod) and not leaving
    if state == "Preempting":
        return not node_of(pod) and nominated(pod)
    if state == "Held":
        spoken = {c.get("reason") for c in conditions(pod, "PodScheduled")} - {"SchedulingGated"}
        return not node_of(pod) and not spoken
    return not node_of(pod)


def _group(entry, scene):
    kind = "podGroup" if "podGroup" in entry else "compositePodGroup"
    name = full_name(entry[kind])
    group = (scene.groups if kind == "podGroup" else scene.composites).get(name)
    if (group is not None) != entry.get("exists", True):
        yield "exists" if group else "does not exist"
    if group is None:
        return
    members = scene.members(name)
    bound = [pod for pod in members if node_of(pod)]
    if "members" in entry and not count_matches(entry["members"], len(members)):
        yield f"expected {entry['members']} members, but there are {len(members)}"
    if "bound" in entry and not count_matches(entry["bound"], len(bound)):
        yield f"expected bound {entry['bound']}, but {len(bound)} of {len(members)} have a node"
    if "domain" in entry:
        yield from _domain(entry["domain"], bound, scene)
    if "state" in entry and not _group_state_fits(entry["state"], scene.everyone(name), bound):
        yield f"expected state {entry['state']}, but {len(bound)} of {len(members)} have a node"
    yield from condition_problems(entry, group)


def _group_state_fits(state, everyone, bound):
    if state == "Finished":
        return bool(everyone) and all(ended(pod) for pod in everyone)
    if state == "Preempting":
        return not bound and any(nominated(pod) for pod in everyone)
    if state == "Invalid":
        return True  # members that had a node before keep it
    return bool(bound) == (state == "Running")


def _domain(wanted, bound, scene):
    key_, _, value = wanted.partition("=")
    possible = [_domains_of(pod, key_, scene) for pod in bound]
    common = set.intersection(*possible) if possible else {value}
    if not common or (value and value not in common):
        yield f"expected domain {wanted}, but they are in {[sorted(values) for values in possible]}"


def _domains_of(pod, key_, scene):
    """By the label of the pod's node; where it has none, by the values that devices have of such an
    attribute: those that the pod was given, or all that its node can use."""
    node = scene.nodes.get(node_of(pod))
    if node is None:
        return set()
    label = node["metadata"].get("labels", {}).get(key_)
    if label is not None or "/" not in key_:
        return {label} if label is not None else set()
    on_node = {(part["spec"]["driver"], part["spec"]["pool"]["name"], device["name"]):
               _value(part, device, key_)
               for part in scene.slices() for device in part["spec"].get("devices", [])
               if _reaches(part["spec"], node) or _reaches(device, node)}
    given = {on_node.get((result["driver"], result["pool"], result["device"]))
             for result in _devices_of(pod, scene)} - {None}
    values = given or set(on_node.values()) - {None}
    if key_.split("/")[1] in INSIDE_NODES:
        values = {f"{node['metadata']['name']}/{value}" for value in values}
    return values


def _value(part, device, key_):
    domain, attribute = key_.split("/")
    return next((str(next(iter(value.values())))
                 for written, value in device.get("attributes", {}).items()
                 if written == key_ or
                 (written == attribute and part["spec"]["driver"] == domain)), None)


def _reaches(place, node):
    """Whether a slice, or a device with a selection of its own, is for the node. Of selectors only
    what scenarios use."""
    if place.get("allNodes") or place.get("nodeName") == node["metadata"]["name"]:
        return True
    labels = node["metadata"].get("labels", {})
    return any(all(labels.get(wish["key"]) in wish["values"] and wish["operator"] == "In"
                   for wish in term.get("matchExpressions", []))
               for term in place.get("nodeSelector", {}).get("nodeSelectorTerms", []))


def _devices_of(pod, scene):
    made = {status["name"]: status.get("resourceClaimName")
            for status in pod["status"].get("resourceClaimStatuses", [])}
    names = {entry.get("resourceClaimName") or made.get(entry["name"])
             for entry in pod["spec"].get("resourceClaims", [])}
    for name in names - {None}:
        claim = scene.claims.get(f"{pod['metadata']['namespace']}/{name}", {})
        allocation = claim.get("status", {}).get("allocation", {})
        yield from allocation.get("devices", {}).get("results", [])


def _pods(entry, scene):
    chosen = [pod for pod in scene.pods.values()
              if entry["pods"].get("namespace") in (None, pod["metadata"]["namespace"]) and
              selects(entry["pods"].get("selector", ""), pod["metadata"].get("labels", {}))]
    bound = sum(1 for pod in chosen if node_of(pod))
    if "count" in entry and not count_matches(entry["count"], len(chosen)):
        yield f"expected {entry['count']}, but there are {len(chosen)}"
    if "count" not in entry and not chosen:
        yield "there is none"
    if "bound" in entry and not count_matches(entry["bound"], bound):
        yield f"expected bound {entry['bound']}, but {bound} have a node"
    for pod in chosen:
        if "phase" in entry and pod["status"].get("phase") != entry["phase"]:
            yield f"{key(pod)} is {pod['status'].get('phase')}"
        yield from condition_problems(entry, pod)


def _claims(entry, scene):
    pattern = entry["claims"]
    chosen = [claim for claim in scene.claims.values()
              if pattern.get("namespace") in (None, claim["metadata"]["namespace"]) and
              pattern.get("name") in (None, claim["metadata"]["name"]) and
              pattern.get("owner") in (None, _owner(claim))]
    if "count" in entry and not count_matches(entry["count"], len(chosen)):
        yield f"expected {entry['count']}, but there are {len(chosen)}"
    if "count" not in entry and not chosen:
        yield "there is none"
    for claim in chosen:
        yield from _claim(entry, claim)


def _owner(claim):
    owners = claim["metadata"].get("ownerReferences", [])
    return f"{owners[0]['kind']}/{owners[0]['name']}" if owners else None


def _claim(entry, claim):
    status = claim.get("status", {})
    results = status.get("allocation", {}).get("devices", {}).get("results", [])
    found = {"allocated": "allocation" in status,
             "reservedFor": sorted(f"{user['resource']}/{user['name']}"
                                   for user in status.get("reservedFor", [])),
             "devices": sorted(f"{result['pool']}/{result['device']}" for result in results)}
    for word, actual in found.items():
        wanted = sorted(entry[word]) if isinstance(entry.get(word), list) else entry.get(word)
        if word in entry and wanted != actual:
            yield f"{key(claim)}: expected {word} {wanted}, but it is {actual}"


def selects(selector, labels):
    """The text form of a label selector: a=b, a!=b, a, !a."""
    for term in filter(None, (term.strip() for term in selector.split(","))):
        if "!=" in term:
            name, value = term.split("!=")
            holds = labels.get(name.strip()) != value.strip()
        elif "=" in term:
            name, value = re.split("==?", term)
            holds = labels.get(name.strip()) == value.strip()
        else:
            holds = (term in labels) if not term.startswith("!") else (term[1:] not in labels)
        if not holds:
            return False
    return True


def _nodes_of(names, scene):
    return [node_of(scene.pods[name]) if name in scene.pods else None
            for name in map(full_name, names)]


def _same_node(entry, scene):
    nodes = _nodes_of(entry["sameNode"], scene)
    if None in nodes or len(set(nodes)) != 1:
        yield f"their nodes are {nodes}"


def _distinct_nodes(entry, scene):
    nodes = _nodes_of(entry["distinctNodes"], scene)
    if None in nodes or len(set(nodes)) != len(nodes):
        yield f"their nodes are {nodes}"


def _events(entry, scene):
    pattern = entry["events"]
    found = [event for event in scene.events() if _event_matches(pattern, event)]
    number = sum(max(1, event.get("count") or 0, (event.get("series") or {}).get("count", 0))
                 for event in found)
    if not count_matches(pattern.get("count", ">=1"), number):
        yield f"there are {number}"


def _event_matches(pattern, event):
    about = event["involvedObject"]
    return ((pattern.get("about") is None or
             full_name(pattern["about"]) == f"{about.get('namespace', '')}/{about['name']}") and
            pattern.get("reason", event.get("reason")) == event.get("reason") and
            pattern.get("type", event.get("type")) == event.get("type") and
            pattern.get("message", "") in (event.get("message") or ""))


JUDGES = {"podGroup": _group, "compositePodGroup": _group, "pods": _pods, "pod": _pod,
          "claims": _claims, "sameNode": _same_node, "distinctNodes": _distinct_nodes,
          "events": _events}
