"""A full cluster in which one important gang after the other makes room for itself.

Every node is full of small pods of low priority, and whoever is evicted is replaced, as a
controller would. A gang needs whole nodes; it comes when all small pods run, and ends when it has
run. So the small pods come back only if the room of the gang before is given to them again.
"""

import collections
import time

import objects
from gang_load import GangLoad

CLASSES = {"faults-low": 10, "faults-high": 1000}
NODES, CPU, SMALL_CPU = 6, 8, 2
ENDING_SECONDS = 0.3, 2.0  # that evicted pods take to stop


class EvictionLoad(GangLoad):
    def __init__(self, api, history, namespace, random, gangs, scheduler):
        super().__init__(api, history, namespace, random, gangs, scheduler, NODES, CPU)
        for name in self.gangs:
            self.sizes[name] = self.gangs[name] = random.randint(2, NODES - 1)
            self.milli_cpu[name] = CPU * 1000
        self.withdrawn = set()  # gangs that went before they ran
        self._small = set()

    def start(self):
        for name, value in CLASSES.items():
            self._ask(self.api.create, {
                "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                "metadata": {"name": name}, "value": value})
        super().start()
        for _ in range(NODES * CPU // SMALL_CPU):
            self._after(0, self._create_small)

    def done(self):
        return super().done() and self._all_small_run()

    def evicting(self):
        """How many small pods are on their way out now."""
        return sum(1 for pod in self._small_pods() if pod.deleting)

    def withdraw(self):
        """Whoever waits for room does not want it any more."""
        for name in self._waiting():
            self.withdrawn.add(name)
            self._ending.add(name)
            self._end(name)

    def evicted_for_nothing(self, changes):
        """Sentences about nodes that were emptied for a gang that did not use them."""
        emptied, used, gang = collections.defaultdict(set), collections.defaultdict(set), None
        for change in changes:
            pod = change.pod
            if pod is None:
                continue
            if pod.group in self.gangs:
                gang = pod.group
                if pod.node:
                    used[gang].add(pod.node)
            elif pod.deleting and pod.disruption == "PreemptionByScheduler":
                emptied[gang].add(pod.node)
        return [f"{gang} made room on {sorted(emptied[gang] - used[gang])} and did not use it"
                for gang in emptied if gang not in self.withdrawn and emptied[gang] - used[gang]]

    # --- what happens in the cluster -------------------------------------------------------------

    def _waiting(self):
        return [name for name in self.gangs
                if name not in self.over and name not in self._to_come and name not in self._ending]

    def _small_pods(self):
        return [pod for name, pod in list(self.history.pods.items()) if name in self._small]

    def _all_small_run(self):
        pods = self._small_pods()
        return len(pods) == NODES * CPU // SMALL_CPU and all(pod.counts for pod in pods)

    def _create_next(self):
        if not self._to_come:
            return
        if self._all_small_run() and not self._waiting():
            self._create(self._to_come.pop())
        self._after(0.1, self._create_next)

    def _create(self, name):
        version = self.api.group_version("PodGroup")
        self._ask(self.api.create, objects.gang(version, name, self.gangs[name], self.namespace,
                                                priorityClassName="faults-high"))
        for _ in range(self.sizes[name]):
            self._replace(name)

    def _replace(self, group):
        if group not in self._ending:
            self._create_pod(f"{group}-{next(self._serial)}", CPU, "faults-high", group)

    def _create_small(self):
        name = f"small-{next(self._serial)}"
        self._small.add(f"{self.namespace}/{name}")
        self._create_pod(name, SMALL_CPU, "faults-low")

    def _create_pod(self, name, cpu, priority, group=None):
        self._ask(self.api.create, objects.pod(
            name, self.namespace, cpu, self.scheduler, group,
            labels={"gang": group} if group else None, grace=10, priorityClassName=priority))

    def _follow(self, change):
        if change.name not in self._small:
            return super()._follow(change)
        if change.pod is None:
            self._small.discard(change.name)
            self._after(0.05, self._create_small)
        elif change.pod.deleting and change.pod.node is not None:
            self._after(self.random.uniform(*ENDING_SECONDS),
                        lambda: self._end_deletion(change.pod))
        return None

    def wait_for_eviction(self, seconds):
        """True as soon as somebody is being evicted."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.evicting():
                return True
            time.sleep(0.01)
        return False
