"""Small random clusters and workloads for the differential test, each from one seed.

A case is a list of nodes and a sequence of items: a plain pod, or a gang of identical pods. The same case
can be made several times in one cluster ("sides"): each side has its own namespace and its own nodes,
and its pods select only those, so that sides and cases do not see each other: spread constraints and
affinities count pods of one namespace on selected nodes.
"""

import copy
import random

from objects import gang, node, pod

SIDE = "e2e.tutti.dev/side"
PIN = "e2e.tutti.dev/pin-"
PRIORITIES = {"diff-low": 10, "diff-high": 1000}
ZONES = ("z0", "z1", "z2")


def priority_classes():
    return [{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
             "metadata": {"name": name}, "value": value, "preemptionPolicy": "Never"}
            for name, value in PRIORITIES.items()]


class Case:
    """nodes: (name, arguments of objects.node); items: dictionaries with name, pods (names), spec,
    labels, cpu and, for a gang, minimum."""

    def __init__(self, seed):
        self.seed = seed
        self._random = random.Random(seed)
        self.nodes = [self._node(index) for index in range(self._random.randint(2, 6))]
        self.apps = []
        self.items = [self._item(index) for index in range(self._random.randint(3, 7))]

    # --- drawing ---------------------------------------------------------------------------------

    def _chance(self, share):
        return self._random.random() < share

    def _node(self, index):
        labels = {"disk": self._random.choice(("ssd", "hdd")), "size": str(self._random.randint(1, 9))}
        if not self._chance(0.1):
            labels["zone"] = self._random.choice(ZONES)
        taints = []
        if self._chance(0.25):
            taints.append({"key": "dedicated", "value": "ml",
                           "effect": self._random.choice(("NoSchedule", "PreferNoSchedule"))})
        return f"n{index}", {"cpu": self._random.randint(2, 8), "pods": self._random.choice((3, 5, 110)),
                             "labels": labels, "taints": taints}

    def _item(self, index):
        app = f"app{self._random.randint(0, 2)}"
        item = {"name": f"i{index}", "cpu": self._random.choice((1, 1, 1, 2, 2, 3)),
                "labels": {"app": app}, "spec": {}}
        if self._chance(0.4):
            size = self._random.randint(2, 4)
            item["minimum"] = size if self._chance(0.7) else self._random.randint(1, size)
            item["pods"] = [f"i{index}-{member}" for member in range(size)]
        else:
            item["pods"] = [f"i{index}"]
        for share, draw in ((0.3, self._tolerate), (0.25, self._node_affinity), (0.25, self._spread),
                            (0.2, self._anti_affinity), (0.15, self._affinity), (0.12, self._port),
                            (0.2, self._priority), (0.15, self._preferences)):
            if self._chance(share):
                draw(item["spec"], app)
        self.apps.append(app)
        return item

    def _tolerate(self, spec, _):
        spec["tolerations"] = [self._random.choice((
            {"key": "dedicated", "operator": "Exists"},
            {"key": "dedicated", "operator": "Equal", "value": "ml", "effect": "NoSchedule"},
            {"key": "dedicated", "operator": "Equal", "value": "other"},
            {"operator": "Exists"}))]

    def _node_affinity(self, spec, _):
        terms = [{"matchExpressions": [self._random.choice((
            {"key": "disk", "operator": "In", "values": ["ssd"]},
            {"key": "disk", "operator": "NotIn", "values": ["ssd"]},
            {"key": "zone", "operator": "Exists"},
            {"key": "zone", "operator": "DoesNotExist"},
            {"key": "zone", "operator": "In", "values": ["z0", "z1"]},
            {"key": "size", "operator": "Gt", "values": ["4"]},
            {"key": "size", "operator": "Lt", "values": ["7"]}))]}
            for _ in range(self._random.randint(1, 2))]
        spec.setdefault("affinity", {})["nodeAffinity"] = {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}

    def _spread(self, spec, app):
        spec["topologySpreadConstraints"] = [{
            "maxSkew": self._random.randint(1, 2),
            "topologyKey": self._random.choice(("zone", "kubernetes.io/hostname")),
            "whenUnsatisfiable": self._random.choice(("DoNotSchedule", "DoNotSchedule",
                                                      "ScheduleAnyway")),
            "labelSelector": {"matchLabels": {"app": app}}}]
        if self._chance(0.3):
            spec["topologySpreadConstraints"][0]["nodeTaintsPolicy"] = "Honor"

    def _term(self, app):
        return {"topologyKey": self._random.choice(("zone", "kubernetes.io/hostname")),
                "labelSelector": {"matchLabels": {"app": app}}}

    def _anti_affinity(self, spec, app):
        # Of itself or of somebody who came before: later ones would make it a matter of timing.
        target = self._random.choice([app, *self.apps])
        spec.setdefault("affinity", {})["podAntiAffinity"] = {
            "requiredDuringSchedulingIgnoredDuringExecution": [self._term(target)]}

    def _affinity(self, spec, app):
        target = self._random.choice([app, *self.apps])
        spec.setdefault("affinity", {})["podAffinity"] = {
            "requiredDuringSchedulingIgnoredDuringExecution": [self._term(target)]}

    def _port(self, spec, _):
        spec["hostPort"] = self._random.choice((8080, 8080, 9090))

    def _priority(self, spec, _):
        spec["priorityClassName"] = self._random.choice(sorted(PRIORITIES))

    def _preferences(self, spec, app):
        affinity = spec.setdefault("affinity", {})
        kind = self._random.choice(("podAffinity", "podAntiAffinity"))
        affinity.setdefault(kind, {})["preferredDuringSchedulingIgnoredDuringExecution"] = [
            {"weight": self._random.randint(1, 100), "podAffinityTerm": self._term(app)}]

    # --- objects of one side -----------------------------------------------------------------------

    def place(self, side):
        """The namespace of a side, and the prefix of its nodes."""
        return f"s{self.seed}-{side}"

    def node_objects(self, side, pins=None):
        """`pins` (pod to node, in this case's names) lets those pods go to those nodes only."""
        for name, arguments in self.nodes:
            arguments = copy.deepcopy(arguments)
            arguments["labels"][SIDE] = self.place(side)
            arguments["resources"] = {PIN + pinned: "1" for pinned, target in (pins or {}).items()
                                      if target == name}
            yield node(f"{self.place(side)}-{name}", **arguments)

    def own_name(self, side, full):
        return full[len(self.place(side)) + 1:] if full else None

    def group_object(self, side, item, version, policy):
        spec = {"priorityClassName": item["spec"]["priorityClassName"]} \
            if "priorityClassName" in item["spec"] else {}
        if policy and spec:
            spec["preemptionPolicy"] = "Never"
        return gang(version, item["name"], item["minimum"], self.place(side), **spec)

    def pod_object(self, side, item, name, scheduler, pinned=False, grouped=True):
        spec = copy.deepcopy(item["spec"])
        port = spec.pop("hostPort", None)
        group = item["name"] if grouped and "minimum" in item else None
        thing = pod(name, self.place(side), item["cpu"], scheduler, group, item["labels"],
                    nodeSelector={SIDE: self.place(side)}, **spec)
        container = thing["spec"]["containers"][0]
        if port:
            container["ports"] = [{"containerPort": 80, "hostPort": port}]
        if pinned:
            container["resources"]["limits"] = {PIN + name: "1"}
            container["resources"]["requests"][PIN + name] = "1"
        return thing
