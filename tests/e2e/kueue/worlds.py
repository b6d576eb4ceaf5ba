"""Random worlds of quota, as objects of Kueue: what a differential test gives to both sides.

    world = World(17)
    world.standing()     # flavors, cohorts, queues: what is there from the beginning
    world.turns          # then one thing after another happens: Arrive, Leave or Change
    world.fair           # whether it is played under fair sharing

A seed makes the same world everywhere. Names carry the world's, so that many worlds stand beside
each other in one cluster and none meets another. Places do not matter: a node has room for all that
a flavor could ever hold.
"""

import copy
import dataclasses
import random

KUEUE = "kueue.x-k8s.io/v1beta2"
FAIR_SHARING = {
    "preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]}
PRIORITIES = range(0, 100, 10)
RESOURCES = ("cpu", "example.com/gpu")
UNITS = (1, 2, 3, 4, 6)


@dataclasses.dataclass
class Arrive:
    """A suspended Job comes."""
    job: dict


@dataclasses.dataclass
class Leave:
    """A Job is deleted, running or not."""
    name: str


@dataclasses.dataclass
class Change:
    """A queue or cohort gets another spec."""
    thing: dict


def of_kueue(kind, name, spec, namespace=None):
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": KUEUE, "kind": kind, "metadata": metadata, "spec": spec}


def priority_classes():
    """Those of all worlds."""
    return [{"apiVersion": KUEUE, "kind": "WorkloadPriorityClass",
             "metadata": {"name": f"p{value}"}, "value": value} for value in PRIORITIES]


def job(name, namespace, queue, requests, pods=1):
    """A suspended Job whose pods ask for `requests` each."""
    limits = {name: amount for name, amount in requests.items() if name != "cpu"}
    spec = {"restartPolicy": "Never", "terminationGracePeriodSeconds": 0,
            "containers": [{"name": "c", "image": "i",
                            "resources": {"requests": requests, "limits": limits}}]}
    return {"apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"name": name, "namespace": namespace,
                         "labels": {"kueue.x-k8s.io/queue-name": queue}},
            "spec": {"suspend": True, "parallelism": pods, "completions": pods,
                     "template": {"spec": spec}}}


def roomy_queue(name, namespace):
    """A queue for any Job of the namespace, whose quota is its cohort's."""
    def group(nominal):
        quota = {"name": "cpu", "nominalQuota": nominal}
        return {"coveredResources": ["cpu"], "flavors": [{"name": name, "resources": [quota]}]}
    return [of_kueue("ResourceFlavor", name, {"nodeLabels": {"flavor": name}}),
            of_kueue("Cohort", name, {"resourceGroups": [group("100")]}),
            of_kueue("ClusterQueue", name, {"namespaceSelector": {}, "cohortName": name,
                                            "resourceGroups": [group("0")]}),
            of_kueue("LocalQueue", name, {"clusterQueue": name}, namespace)]


def nodes_of(flavors):
    """One node for each flavor, on which there is always room."""
    room = {"cpu": "100k", "memory": "100Ti", "pods": "100k", "example.com/gpu": "100k"}
    return [{"apiVersion": "v1", "kind": "Node",
             "metadata": {"name": f"node-{flavor['metadata']['name']}",
                          "labels": flavor["spec"]["nodeLabels"]},
             "status": {"capacity": room, "allocatable": room,
                        "conditions": [{"type": "Ready", "status": "True"}]}} for flavor in flavors]


class World:
    def __init__(self, seed):
        self.seed, self.place = seed, f"w{seed}"
        self.chance = random.Random(seed)
        self.fair = seed % 3 == 2
        self.resources = RESOURCES[:1 if self.chance.random() < 0.7 else 2]
        self.flavors = [self._flavor(letter)
                        for letter in "abc"[:self.chance.choice((1, 1, 1, 2, 2, 3))]]
        self.cohorts = self._tree()
        self.queues = [self._queue(index) for index in range(self.chance.randint(2, 5))]
        self.turns = self._turns()

    def standing(self):
        """All but nodes and classes of priority, in an order in which they can be made."""
        local = [of_kueue("LocalQueue", queue["metadata"]["name"],
                          {"clusterQueue": queue["metadata"]["name"]}, self.place)
                 for queue in self.queues]
        return copy.deepcopy([*self.flavors, *self.cohorts, *self.queues, *local])

    def jobs(self):
        return [turn.job for turn in self.turns if isinstance(turn, Arrive)]

    def _named(self, name):
        return f"{self.place}-{name}"

    # --- what stands -----------------------------------------------------------------------------

    def _flavor(self, letter):
        return of_kueue("ResourceFlavor", self._named(letter),
                        {"nodeLabels": {"flavor": self._named(letter)}})

    def _tree(self):
        """Up to two trees of cohorts, of up to three levels."""
        cohorts = []
        for index in range(self.chance.choice((0, 1, 1, 2, 3, 4))):
            parents = [cohort for cohort in cohorts if self._depth(cohort, cohorts) < 3]
            has_parent = self.chance.random() < 0.9
            parent = self.chance.choice(parents or [None]) if has_parent else None
            spec = {}
            if parent:
                spec["parentName"] = parent["metadata"]["name"]
            if self.chance.random() < 0.4:
                spec["resourceGroups"] = self._groups(self.flavors, bool(parent), own=False)
            self._weigh(spec)
            cohorts.append(of_kueue("Cohort", self._named(f"c{index}"), spec))
        return cohorts

    @staticmethod
    def _depth(cohort, cohorts):
        by_name = {each["metadata"]["name"]: each for each in cohorts}
        depth = 1
        while cohort := by_name.get(cohort["spec"].get("parentName")):
            depth += 1
        return depth

    def _queue(self, index):
        chance = self.chance
        names = [cohort["metadata"]["name"] for cohort in self.cohorts]
        # A cohort of which no object exists is a tree of one level.
        in_cohort = chance.random() < 0.95
        cohort = chance.choice(names or [self._named("implicit")]) if in_cohort else None
        count = chance.choice((len(self.flavors), chance.randint(1, len(self.flavors))))
        flavors = chance.sample(self.flavors, count)
        spec = {"namespaceSelector": {},
                "resourceGroups": self._groups(flavors, bool(cohort), own=True),
                "preemption": self._preemption()}
        if cohort:
            spec["cohortName"] = cohort
        if chance.random() < 0.3:
            spec["queueingStrategy"] = "StrictFIFO"
        if chance.random() < 0.5:
            spec["flavorFungibility"] = {
                "whenCanBorrow": chance.choice(("MayStopSearch", "TryNextFlavor", "TryNextFlavor")),
                "whenCanPreempt": chance.choice(("MayStopSearch", "TryNextFlavor"))}
            if set(spec["flavorFungibility"].values()) == {"TryNextFlavor"}:
                spec["flavorFungibility"]["preference"] = chance.choice(
                    ("BorrowingOverPreemption", "PreemptionOverBorrowing"))
        self._weigh(spec)
        return of_kueue("ClusterQueue", self._named(f"q{index}"), spec)

    def _preemption(self):
        chance = self.chance
        policy = {"withinClusterQueue": chance.choice(
                      ("Never", "LowerPriority", "LowerPriority", "LowerOrNewerEqualPriority")),
                  "reclaimWithinCohort": chance.choice(
                      ("Never", "LowerPriority", "LowerPriority", "Any", "Any"))}
        if policy["reclaimWithinCohort"] != "Never" and chance.random() < 0.4:
            policy["borrowWithinCohort"] = {"policy": "LowerPriority"}
            if chance.random() < 0.5:
                policy["borrowWithinCohort"]["maxPriorityThreshold"] = chance.choice((20, 50))
        return policy

    def _weigh(self, spec):
        if self.fair and self.chance.random() < 0.5:
            spec["fairSharing"] = {"weight": self.chance.choice(("0", "500m", "1", "2", "3"))}

    def _groups(self, flavors, limited, own):
        """One group for each resource or one of all, with the flavors among them divided."""
        if len(self.resources) > 1 and len(flavors) > 1 and own and self.chance.random() < 0.3:
            cut = self.chance.randint(1, len(flavors) - 1)
            parts = [(self.resources[:1], flavors[:cut]), (self.resources[1:], flavors[cut:])]
        else:
            parts = [(self.resources, flavors)]
        return [{"coveredResources": list(resources),
                 "flavors": [{"name": flavor["metadata"]["name"],
                              "resources": [self._quota(name, limited) for name in resources]}
                             for flavor in part]} for resources, part in parts]

    def _quota(self, resource, limited):
        nominal = self.chance.choice((0, 2, 3, 4, 6))
        quota = {"name": resource, "nominalQuota": str(nominal)}
        if limited and self.chance.random() < 0.2:
            quota["borrowingLimit"] = str(self.chance.choice((0, 2, 4, 8)))
        if limited and self.chance.random() < 0.2:
            quota["lendingLimit"] = str(self.chance.randint(0, nominal))
        return quota

    # --- what happens ----------------------------------------------------------------------------

    def _turns(self):
        turns, there = [], []
        busy = self.chance.choice(self.queues)
        for index in range(self.chance.randint(12, 16)):
            if self.chance.random() < 0.2:
                busy = self.chance.choice(self.queues)
            dice = self.chance.random()
            if there and dice < 0.12:
                gone = there.pop(self.chance.randrange(len(there)))
                turns.append(Leave(gone["metadata"]["name"]))
            elif there and dice < 0.2:
                turns.append(Change(self._changed_queue()))
            else:
                there.append(self._job(index, busy))
                turns.append(Arrive(there[-1]))
        return turns

    def _changed_queue(self):
        queue = copy.deepcopy(self.chance.choice(self.queues))
        if self.chance.random() < 0.2:
            queue["spec"]["stopPolicy"] = self.chance.choice(("Hold", "HoldAndDrain"))
        else:
            group = self.chance.choice(queue["spec"]["resourceGroups"])
            flavor = self.chance.choice(group["flavors"])
            quota = self.chance.choice(flavor["resources"])
            least = int(quota.get("lendingLimit", 0))
            quota["nominalQuota"] = str(max(least, self.chance.choice((1, 2, 4, 8, 12))))
        return queue

    def _job(self, index, busy):
        """Half of them for one queue, which thus borrows what others then want."""
        chance = self.chance
        queue = busy if chance.random() < 0.5 else chance.choice(self.queues)
        pods = chance.choice((1, 1, 2, 3, 4))
        requests = {name: str(chance.choice(UNITS[:2 if pods > 2 else 3 if pods > 1 else 5]))
                    for name in self.resources}
        if len(requests) > 1 and chance.random() < 0.3:
            del requests["example.com/gpu"]
        made = job(f"j{index:02}", self.place, queue["metadata"]["name"], requests, pods)
        made["metadata"]["labels"]["kueue.x-k8s.io/priority-class"] = \
            f"p{chance.choice(PRIORITIES)}"
        if pods > 1 and chance.random() < 0.15:
            made["metadata"]["annotations"] = {
                "kueue.x-k8s.io/job-min-parallelism": str(chance.randint(1, pods - 1))}
        if chance.random() < 0.15:
            wanted = chance.choice(self.flavors)
            made["spec"]["template"]["spec"]["nodeSelector"] = dict(wanted["spec"]["nodeLabels"])
        return made
