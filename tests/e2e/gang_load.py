"""Gangs that come, run and go, in a cluster with room for some of them at a time.

    load = GangLoad(api, history, "f1", random.Random(seed), gangs=40)
    load.start()                     # nodes, then gangs one after the other, on its own thread
    load.done()                      # every gang has had its minimum and is over
    load.squeeze() / load.release()  # others take all room that is left / give it back

It stands in for those that a test cluster lacks: the controller that replaces an evicted member,
the kubelet that ends a deletion, and the work itself, which ends a while after its gang is
complete.
All of it is decided by the history, so it goes on while the API server is away.
"""

import heapq
import itertools
import threading
import time

import objects
from api import ApiError
from invariants import Membership

FOREIGN = "another-scheduler"


class GangLoad:
    def __init__(self, api, history, namespace, random, gangs, scheduler, nodes=8, cpu=8,
                 between_gangs=0.02, outstanding_max=10**9):
        self.api, self.history, self.namespace, self.random = api, history, namespace, random
        self.scheduler = scheduler
        self.capacity = {f"{namespace}-n{i}": cpu * 1000 for i in range(nodes)}
        self.sizes = {f"g{i}": random.randint(2, 6) for i in range(gangs)}
        self.gangs = {name: max(2, size - random.choice((0, 0, 1)))
                      for name, size in self.sizes.items()}
        self.milli_cpu = {name: random.choice((500, 1000, 1000, 2000)) for name in self.gangs}
        self.membership = Membership(self.gangs)
        self.over = set()       # gangs whose work is done
        self.taken_back = set()  # members that were evicted as of an incomplete gang
        self.between_gangs, self.outstanding_max = between_gangs, outstanding_max
        self._to_come = list(reversed(self.gangs))
        self._ending = set()
        self._holding = False   # squeezed: nothing ends, so no room appears
        self._waiting_to_end = []
        self._foreign = []
        self._serial = itertools.count()
        self._work = []         # heap of (when, serial, function)
        self._changed = threading.Condition()
        self._closed = False
        self.failure = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    # --- what the test calls ---------------------------------------------------------------------

    def start(self):
        self.api.create(objects.namespace(self.namespace))
        self.api.many(self.api.create, [objects.node(name, cpu=milli_cpu // 1000)
                                        for name, milli_cpu in self.capacity.items()])
        self.history.listeners.append(self._follow)
        self._after(0, self._create_next)
        self._thread.start()

    def stop(self):
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join(30)
        self.history.listeners.remove(self._follow)

    def clear(self):
        """Leaves an empty cluster behind; the history keeps what was."""
        self.api.delete_all("Pod", self.namespace)
        for group in self.api.list("PodGroup", self.namespace):
            self._delete_group(group["metadata"]["name"])
        for node in self.capacity:
            self.api.delete("Node", None, node)

    def done(self):
        if self.failure:
            raise self.failure
        return not self.unfinished()

    def unfinished(self):
        return sorted(set(self.gangs) - self.over)

    def no_more(self):
        """Gangs that have not come by now never will."""
        to_come, self._to_come = self._to_come, []
        for name in to_come:
            del self.gangs[name]

    def half(self):
        with self._changed:
            return self.membership.half()

    def squeeze(self):
        """Others take all that is left of every node, and no gang ends until release(). Only while
        no scheduler works: one that just bound there would not be to blame."""
        self._holding = True
        for node, room in self._room().items():
            if room > 0:
                name = f"foreign-{next(self._serial)}"
                self._foreign.append(name)
                self.api.create(objects.pod(name, self.namespace, cpu=f"{room}m", scheduler=FOREIGN,
                                            grace=0, nodeName=node))

    def release(self):
        for name in self._foreign:
            self.api.delete("Pod", self.namespace, name, 0)
        self._foreign = []
        self._holding = False
        waiting, self._waiting_to_end = self._waiting_to_end, []
        for name in waiting:
            self._after(0, lambda name=name: self._end(name))

    @property
    def squeezed(self):
        return self._holding

    def _room(self):
        room = dict(self.capacity)
        for pod in list(self.history.pods.values()):
            if pod.occupies and pod.node in room:
                room[pod.node] -= pod.milli_cpu
        return room

    # --- what happens in the cluster -------------------------------------------------------------

    def _follow(self, change):
        if not change.name.startswith(self.namespace + "/"):
            return
        with self._changed:
            group = self.membership.follow(change)
        if group is None:
            return
        pod = change.pod
        if pod is None:
            if group not in self._ending:
                self._after(0.05, lambda: self._replace(group))
        elif pod.deleting and pod.node is not None:
            if pod.disruption:
                self.taken_back.add(pod.name)
            self._after(self.random.uniform(0.02, 0.2), lambda: self._end_deletion(pod))
        elif group in self.membership.complete and group not in self._ending:
            self._ending.add(group)
            self._after(self.random.uniform(0.1, 1.0), lambda: self._end(group))

    def _create_next(self):
        if not self._to_come:
            return
        if len(self.gangs) - len(self._to_come) - len(self.over) < self.outstanding_max:
            self._create(self._to_come.pop())
        self._after(self.between_gangs, self._create_next)

    def _create(self, name):
        version = self.api.group_version("PodGroup")
        self._ask(self.api.create, objects.gang(version, name, self.gangs[name], self.namespace))
        for _ in range(self.sizes[name]):
            self._replace(name)

    def _replace(self, group):
        """A new member, as a Job would make it."""
        if group in self._ending:
            return
        cpu = f"{self.milli_cpu[group]}m"
        self._ask(self.api.create, objects.pod(
            f"{group}-{next(self._serial)}", self.namespace, cpu=cpu, group=group,
            scheduler=self.scheduler, labels={"gang": group}, grace=1))

    def _end_deletion(self, pod):
        self._ask(self.api.delete, "Pod", self.namespace, pod.name, 0, pod.uid)

    def _end(self, group):
        if self._holding:
            self._waiting_to_end.append(group)
            return
        if self.random.random() < 0.5:
            self._succeed(group)
        self._ask(self.api.delete_all, "Pod", self.namespace, 0, f"?labelSelector=gang={group}")
        self._ask(self._delete_group, group)
        self.over.add(group)

    def _succeed(self, group):
        for name in sorted(self.membership.members[group]):
            self._ask(self.api.patch, "Pod", self.namespace, name.split("/")[1],
                      {"status": {"phase": "Succeeded"}}, "status")

    def _delete_group(self, name):
        """Nobody else takes the finalizer away: the controllers do not run here."""
        self.api.delete("PodGroup", self.namespace, name)
        try:
            self.api.patch("PodGroup", self.namespace, name, {"metadata": {"finalizers": None}})
        except ApiError as error:
            if error.status != 404:
                raise

    # --- one thread that writes ------------------------------------------------------------------

    def _after(self, seconds, work):
        with self._changed:
            heapq.heappush(self._work, (time.monotonic() + seconds, next(self._serial), work))
            self._changed.notify()

    def _run(self):
        while True:
            with self._changed:
                while not self._closed and not self._due():
                    self._changed.wait(
                        max(0.0, self._work[0][0] - time.monotonic()) if self._work else None)
                if self._closed:
                    return
                work = heapq.heappop(self._work)[2]
            try:
                work()
            except Exception as error:  # whatever it is: the run must not pass
                self.failure = error
                raise

    def _due(self):
        return self._work and self._work[0][0] <= time.monotonic()

    def _ask(self, call, *arguments):
        """As often as it takes while the API server is away; what is already so is fine."""
        while not self._closed:
            try:
                return call(*arguments)
            except ApiError as error:
                if error.status in (404, 409):
                    return None
                if error.status not in (0, 429, 500, 503, 504) and not (
                        error.status == 403 and "not yet ready" in error.message):
                    raise
                time.sleep(0.1)
        return None
