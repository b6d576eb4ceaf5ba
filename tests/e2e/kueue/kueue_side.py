"""Worlds played by the real Kueue, side by side in one cluster, turn by turn.

A turn is over when nothing has happened to the Workloads of a world for REST_SECONDS (Kueue tries
parked work again once a second), and a Job that came after that, into a queue of its own, was
admitted meanwhile: so nothing lies before it in any line of a busy manager. A world in which things
happen for longer than LIMIT_SECONDS is left as it is.
"""

import collections
import threading
import time

from kueue import worlds
from api import ApiError
from objects import namespace
from kueue.outcome import (FINISHED, RUNNING, WAITING, Admitted, Evicted, Outcome, job_of,
                           queue_state, state_of)
from stack import wait_until

REST_SECONDS = 1.4
LIMIT_SECONDS = 90
PROBE = "probe"
CLUSTER_WIDE = ("ClusterQueue", "Cohort", "ResourceFlavor", "WorkloadPriorityClass")
PATHS = "/apis/kueue.x-k8s.io/v1beta2"


def path_of(thing, named=False):
    kind, metadata = thing["kind"], thing["metadata"]
    plural = "workloadpriorityclasses" if kind == "WorkloadPriorityClass" else f"{kind.lower()}s"
    place = "" if kind in CLUSTER_WIDE else f"/namespaces/{metadata['namespace']}"
    return f"{PATHS}{place}/{plural}" + (f"/{metadata['name']}" if named else "")


class Watched:
    """What has been seen of the Workloads of all worlds."""

    def __init__(self, api):
        self.api = api
        self.workloads = collections.defaultdict(dict)  # by place, name
        self.decisions = collections.defaultdict(list)
        self.uids = collections.defaultdict(dict)  # by place, Job
        self.changed = collections.defaultdict(float)
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._loop, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._closed.set()
        self._thread.join(10)

    def _loop(self):
        version = self.api.call("GET", f"{PATHS}/workloads")["metadata"]["resourceVersion"]
        while not self._closed.is_set():
            try:
                for kind, thing in self.api.watch_path(f"{PATHS}/workloads", version,
                                                        closed=self._closed):
                    if kind == "ERROR":
                        raise RuntimeError(f"the watch of Workloads: {thing}")
                    version = thing["metadata"]["resourceVersion"]
                    if kind != "BOOKMARK":
                        self._note(kind, thing)
            except ApiError:
                time.sleep(0.1)

    def _note(self, kind, thing):
        place, name = thing["metadata"]["namespace"], thing["metadata"]["name"]
        with self._lock:
            before = self.workloads[place].get(name)
            self.changed[place] = time.monotonic()
            if kind == "DELETED":
                self.workloads[place].pop(name, None)
                return
            self.workloads[place][name] = thing
            self.uids[place][job_of(thing)] = thing["metadata"]["uid"]
            self.decisions[place] += decisions_between(before or {}, thing)

    def jobs(self, place):
        with self._lock:
            states = {job_of(thing): state_of(thing) for thing in self.workloads[place].values()}
            return {name: state for name, state in states.items() if state != FINISHED}

    def take_decisions(self, place):
        """Those since the last call."""
        with self._lock:
            return self.decisions.pop(place, [])

    def touch(self, place):
        self.changed[place] = time.monotonic()


def decisions_between(before, after):
    """What was decided about a Workload from one of its states to the next."""
    job, was, now = job_of(after), state_of(before), state_of(after)
    why = eviction(after)
    if why and why != eviction(before):
        yield Evicted(job, why[0])
    if now != was and now[0] == RUNNING:
        yield Admitted(job, now[2])


def eviction(workload):
    """(why, since when) of one that is evicted, else None."""
    conditions = {each["type"]: each for each in workload.get("status", {}).get("conditions", [])}
    evicted = conditions.get("Evicted", {})
    if evicted.get("status") != "True":
        return None
    preempted = conditions.get("Preempted", {})
    why = preempted["reason"] if evicted["reason"] == "Preempted" and preempted \
        else evicted["reason"]
    return why, evicted["lastTransitionTime"]


class KueueSide:
    def __init__(self, api, watched):
        self.api, self.watched = api, watched
        self._probes = 0
        if api.get("Namespace", None, PROBE) is None:
            api.create(namespace(PROBE))

    def play(self, played):
        """Outcomes of every turn by seed; of restless worlds those of the turns before."""
        # Cohorts first: a tree whose queues were seen before its cohorts may lack some of them.
        self.api.many(lambda world: self._build(world, queues=False), played)
        self._rest(played)
        self.api.many(lambda world: self._build(world, queues=True), played)
        self._rest(played)
        outcomes = {world.seed: [] for world in played}
        for index in range(max(len(world.turns) for world in played)):
            going = [world for world in played
                     if index < len(world.turns) and len(outcomes[world.seed]) == index]
            self.api.many(lambda world, index=index: self._turn(world, world.turns[index]), going,
                          threads=12)
            for world in self._rest(going):
                outcomes[world.seed].append(self._outcome(world))
        self.api.many(self._remove, played)
        return outcomes

    def _build(self, world, queues):
        if not queues:
            self.api.create(namespace(world.place))
        for thing in world.standing():
            if thing["kind"].endswith("Queue") == queues:
                self.api.call("POST", path_of(thing), thing)

    def _turn(self, world, turn):
        self.watched.touch(world.place)
        if isinstance(turn, worlds.Arrive):
            self.api.create(turn.job)
        elif isinstance(turn, worlds.Leave):
            self._delete_job(world.place, turn.name)
        else:
            self._replace(turn.thing)
        self.watched.touch(world.place)

    def _delete_job(self, place, name):
        """Nobody collects garbage here."""
        self.api.call("DELETE", self.api.path("Job", place, name),
                      {"propagationPolicy": "Background"})
        for thing in list(self.watched.workloads[place].values()):
            if job_of(thing) == name:
                self.api.call("DELETE", path_of({**thing, "kind": "Workload"}, True))

    def _replace(self, thing):
        while True:
            there = self.api.call("GET", path_of(thing, True))
            there["spec"] = thing["spec"]
            try:
                return self.api.call("PUT", path_of(thing, True), there)
            except ApiError as error:
                if error.status != 409:
                    raise

    def _rest(self, played):
        """Waits until they have come to rest, and returns those that have."""
        deadline = time.monotonic() + LIMIT_SECONDS
        while True:
            busy = self._busy(played, time.monotonic() - REST_SECONDS)
            late = time.monotonic() > deadline
            if busy and not late:
                time.sleep(0.05)
                continue
            asked = time.monotonic()
            self._probe()
            if late or not self._busy(played, asked):
                return [world for world in played if world not in busy]

    def _busy(self, played, since):
        return [world for world in played if self.watched.changed[world.place] > since]

    def _probe(self):
        """A Job comes, into a queue that has just come and has its quota from a cohort that has,
        too. When it is admitted, all that came before has been seen to."""
        self._probes += 1
        name = f"probe-{self._probes}"
        standing = worlds.roomy_queue(name, PROBE)
        for thing in standing:
            self.api.call("POST", path_of(thing), thing)
        self.api.create(worlds.job(name, PROBE, name, {"cpu": "1"}))
        wait_until(lambda: self.watched.jobs(PROBE).get(name, WAITING) != WAITING, 120,
                   what="Kueue to admit a Job for which there is room")
        self._clear(PROBE, standing)

    def _outcome(self, world):
        queues = {queue["metadata"]["name"]: queue_state(self.api.call("GET", path_of(queue, True)))
                  for queue in world.queues}
        return Outcome(self.watched.jobs(world.place), self.watched.take_decisions(world.place),
                       queues)

    def _remove(self, world):
        self._clear(world.place, world.standing())

    def _clear(self, place, standing):
        """Jobs and what waits; the rest goes when it is empty."""
        self.api.call("DELETE", self.api.path("Job", place), {"propagationPolicy": "Background"})
        self.api.call("DELETE", f"{PATHS}/namespaces/{place}/workloads")
        for thing in reversed(standing):
            self.api.call("DELETE", path_of(thing, True))
