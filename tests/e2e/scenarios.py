"""The scenarios of tests/scenario, unchanged, against the real API server.

Virtual time becomes a sequence of instants: what is due happens, the cluster comes to rest, the
expectations of that instant are judged, and the next instant follows at once. What is expected may
take as long as a scheduler's backoff; what is expected not to happen has until the cluster was
quiet.

Objects are created in the order of the file. Groups in a version that the server does not offer are
written in the one it does, and the group's condition is expected under that version's name.
"""

import contextlib
import copy
import datetime
import heapq
import itertools
import pathlib
import re
import signal
import time

import yaml

import expectations
import forms
from api import ApiError
from expectations import Scene, as_list, ended, key, node_of
from world import Skip

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "scenario"
QUIET_SECONDS = 0.4   # without a change of any pod, group or node
PATIENCE_SECONDS = 15  # until what is expected has come true
UNREST_SECONDS = 60  # after which a cluster that never comes to rest is a failure of its own
RACE_SECONDS = 1  # instants less apart than this are meant as real time: a race with a retry
END = float("inf")

CONDITION = {"v1.36": "PodGroupScheduled", "v1.37": "PodGroupInitiallyScheduled"}

# About the difference between versions: groups of a version that is not served are left out there,
# with their pods, instead of being rewritten.
ABOUT_VERSIONS = {"gs-27-priority-mismatch"}

# A gang is taken back when all retries of a bind have failed, after most of a minute.
REPAIRS = {"own-01-gang-taken-back", "own-02-bind-works-at-last",
           "own-15-tree-gives-back-as-a-whole", "own-19-replacements-answer-too",
           "dra-20-group-claim-of-a-failed-gang"}
REPAIR_SECONDS = 120
ALSO_IN_SHORT = {"own-01-gang-taken-back"}

# Two gangs wait for one place: the order of names decides only when no backoff does.
COMPETING = {"gs-11-all-or-nothing": 2.5}

# What comes at one instant must be seen at once, not one after the other as it is created.
AT_ONCE = {"topo-16-slices-keep-their-ranks", "topo-18-surplus-in-the-domain",
           "topo-40-basic-looks-ahead"}

# Virtual seconds to a real one, where the scheduler itself counts: these durations are shortened
# likewise, and an instant is not looked at before it is due, less what a look takes.
PACE = {"own-20-young-work-is-protected": 30, "own-22-notice-runs-out": 12}
COUNTED = {"tutti.dev/min-runtime", "tutti.dev/checkpoint-grace"}
LOOK_SECONDS = 1.5

# How long ago the first pods began, where what they have done by now decides.
BEGUN_EARLIER = {"own-23-least-work-is-lost": 3600, "own-35-cheaper-claims-give-way": 3600}

JOBS = "what the cluster's own controllers make of Jobs is compared by jobs.py"
OLD_WAY = "about v1alpha2, which this server does not offer"
NEW_WAY = "about v1beta1, which this server does not offer"
OPERATOR = "the pods of a JobSet are made by its operator, which is not there"
STAMPS = "clusters do not stamp Workloads"
BEFORE = "begins with claims allocated for pods that do not exist yet; claims.py does it by a crash"
FIXED = "minCount cannot be changed in v1alpha2"
CROWD = "256 users of one claim are as many writes of one object, more than a scenario waits for"
MINUTES = "minutes that the scheduler waits for a driver"
BROKEN = "whoever uses a broken device is deleted by kube-controller-manager, which is not there"
EVERYWHERE = {
    "gs-55-job-shape": JOBS, "gs-56-job-scheduling": JOBS, "own-28-workload-stamped": STAMPS,
    "own-40-exclusive-jobs": OPERATOR,
    "own-32-claims-of-the-unplaced": BEFORE, "dra-25-claim-with-257-users": CROWD,
    "dra-31-binding-condition-never-true": MINUTES,
    "dra-32-gang-waits-for-a-binding-condition": MINUTES,
    "dra-40-gang-loses-a-device": BROKEN, "dra-41-devices-tolerated-for-a-while": BROKEN,
    "dra-42-taint-rule-without-effect": BROKEN, "dra-43-shared-claim-on-a-broken-device": BROKEN,
}
SKIPPED = {
    "v1.36": {
        **EVERYWHERE,
        "gs-08-gated-gates-all": "v1alpha2 gates pods one by one",
        "gs-25-minimum-lowered": FIXED, "gs-26-minimum-raised": FIXED,
        "gs-38-preemption-with-topology": NEW_WAY, "own-26-domain-and-victims-together": NEW_WAY,
        "gs-43-priority-of-a-group": NEW_WAY, "gs-48-lone-pod-versus-atomic-group": NEW_WAY,
        "topo-dev-08-preemption": NEW_WAY, "topo-dev-19-preemption-in-one-island": NEW_WAY,
    },
    "v1.37": {
        **EVERYWHERE,
        "gs-37-no-preemption-with-topology": OLD_WAY, "gs-43-priority-of-a-pod-v36": OLD_WAY,
        "gs-48-lone-pod-versus-group-v36": OLD_WAY,
        "own-27-victim-does-not-strike-back": OLD_WAY,
    },
}


def seconds(text):
    """1h30m, 30s, 500ms as seconds."""
    units = {"h": 3600, "m": 60, "s": 1, "ms": 0.001}
    return sum(float(number) * units[unit]
               for number, unit in re.findall(r"([\d.]+)(ms|h|m|s)", str(text)))


class Scenario:
    def __init__(self, world, folder):
        self.world, self.api, self.folder = world, world.api, folder
        self.now = 0.0
        self.pace = PACE.get(folder.name, 1)
        elapsed = datetime.timedelta(seconds=BEGUN_EARLIER.get(folder.name, 0))
        self.beginning = datetime.datetime.now(datetime.timezone.utc) - elapsed
        self._due = []
        self._order = itertools.count()
        self._planned_ends = set()
        self._written = {}  # the document last applied, by kind and name

    # --- reading -------------------------------------------------------------------------------

    def documents(self):
        text = (self.folder / "cluster.yaml").read_text()
        documents = [document for document in yaml.safe_load_all(text) if document]
        if self.folder.name in ABOUT_VERSIONS:
            documents = self._served_only(documents)
        forms.prepare(documents, self.api, self.world.version, self.beginning)
        self._hurry(documents)
        return documents

    def _hurry(self, documents):
        """The durations that the scheduler counts, as much shorter as time runs faster here."""
        if self.pace == 1:
            return
        for document in documents:
            annotations = document["metadata"].get("annotations", {})
            for word in COUNTED & annotations.keys():
                annotations[word] = f"{1000 * seconds(annotations[word]) / self.pace:.0f}ms"

    def expectations(self):
        entries = expectations.read(self.folder / "expect.yaml")
        if self.folder.name in ABOUT_VERSIONS:
            gone = self._left_out
            entries = [entry for entry in entries
                       if not {entry.get("pod"), entry.get("podGroup")} & gone]
        return [self._in_this_version(entry) for entry in entries]

    def _served_only(self, documents):
        served = self.api.served("scheduling.k8s.io")
        groups = {key(d) for d in documents
                  if d["kind"] == "PodGroup" and d["apiVersion"] not in served}
        pods = {key(d) for d in documents if d["kind"] == "Pod" and
                d["metadata"]["namespace"] + "/" + d["spec"]["schedulingGroup"]["podGroupName"]
                in groups}
        self._left_out = groups | pods
        return [d for d in documents if key(d) not in self._left_out]

    def _in_this_version(self, entry):
        entry = copy.deepcopy(entry)
        name = CONDITION[self.world.version]
        old = {"PodGroupScheduled", "PodGroupInitiallyScheduled"}
        if "podGroup" in entry:
            for pattern in as_list(entry.get("condition", [])):
                if pattern["type"] in old:
                    pattern["type"] = name
            if "noCondition" in entry:
                entry["noCondition"] = [name if t in old else t
                                        for t in as_list(entry["noCondition"])]
        return entry

    # --- the course of time ----------------------------------------------------------------------

    def at(self, instant, action):
        heapq.heappush(self._due, (instant, next(self._order), action))

    def run(self):
        """A text for every expectation that did not come true."""
        config = self.folder / "config.yaml"
        documents, wanted = self.documents(), self.expectations()
        self.world.clean()
        self.world.kubelets.clock = self._clock
        self.world.schedule(yaml.safe_load(config.read_text())["profiles"]
                            if config.exists() else None)
        for document in documents:
            annotations = document["metadata"].get("annotations", {})
            if "tutti.dev/delete-at" in annotations:
                self.at(seconds(annotations["tutti.dev/delete-at"]),
                        lambda d=document: self._delete(d))
        for document in documents:
            annotations = document["metadata"].get("annotations", {})
            self.at(seconds(annotations.get("tutti.dev/at", "0s")),
                    lambda d=document: self._apply(d))
        looks = {}
        for entry in wanted:
            looks.setdefault(seconds(entry["at"]) if "at" in entry else END, []).append(entry)
        return self._through(looks)

    def _through(self, looks):
        failures = []
        self._started, self._slipped = time.monotonic(), False
        while self._due or looks:
            self.now = min(self._due[0][0] if self._due else END, min(looks, default=END))
            self._wait_for(self.now)
            with self._unseen():
                while self._due and self._due[0][0] <= self.now:
                    heapq.heappop(self._due)[2]()
            entries = looks.pop(self.now, [])
            gap = min(self._due[0][0] if self._due else END, min(looks, default=END)) - self.now
            if entries or gap >= RACE_SECONDS:
                failures += self._judge(entries)
            else:
                time.sleep(gap)
        if failures and self.pace != 1 and self._slipped:
            raise Skip("the machine is too slow today: an instant was over before it was looked at")
        return failures + overcommitted(Scene(self.api))

    @contextlib.contextmanager
    def _unseen(self):
        """The scheduler stands still meanwhile, where that matters."""
        if self.folder.name not in AT_ONCE:
            yield
            return
        scheduler = self.world.stack.processes[self.world.scheduler]
        scheduler.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            scheduler.send_signal(signal.SIGCONT)

    def _wait_for(self, instant):
        """Where the scheduler counts time, too."""
        if self.pace != 1 and instant != END:
            due = self._started + instant / self.pace - LOOK_SECONDS
            time.sleep(max(0, due - time.monotonic()))

    def _clock(self):
        """When a pod that is run now began, to those who look at its status."""
        real = datetime.datetime.now(datetime.timezone.utc)
        if self.now == END:
            return real
        return min(real, self.beginning + datetime.timedelta(seconds=self.now))

    def _judge(self, entries):
        """Waits until the cluster is at rest and the entries hold, or patience ends."""
        repairs = self.folder.name in REPAIRS
        deadline = time.monotonic() + (REPAIR_SECONDS if repairs else PATIENCE_SECONDS)
        scene = self._at_rest()
        if entries:
            self._slipped |= time.monotonic() > self._started + self.now / self.pace
        while True:
            failures = [problem for entry in entries
                        for problem in expectations.problems(entry, scene)]
            if not failures or time.monotonic() > deadline:
                self._plan_what_follows(scene)
                return failures
            if self.now == END:  # all grace periods are over
                for name, pod in scene.pods.items():
                    if "deletionTimestamp" in pod["metadata"]:
                        self._end_deletion(name)
            scene = self._at_rest()

    def _at_rest(self):
        scene = Scene(self.api)
        since = began = time.monotonic()
        quiet = COMPETING.get(self.folder.name, QUIET_SECONDS)
        while time.monotonic() < since + quiet:
            time.sleep(0.05)
            later = Scene(self.api)
            if later.fingerprint() != scene.fingerprint():
                if time.monotonic() > began + UNREST_SECONDS:
                    raise RuntimeError(f"no rest within {UNREST_SECONDS} s; the last changes:\n" +
                                       "\n".join(scene.changes(later)))
                scene, since = later, time.monotonic()
        return scene

    def _plan_what_follows(self, scene):
        """Ends of pods that run now, and of deletions that wait for their kubelet."""
        if self.now == END:
            return
        for name, pod in scene.pods.items():
            uid, annotations = pod["metadata"]["uid"], pod["metadata"].get("annotations", {})
            if "deletionTimestamp" in pod["metadata"]:
                grace = pod["metadata"].get("deletionGracePeriodSeconds", 30)
                self._once(uid, "gone", grace, lambda n=name: self._end_deletion(n))
            elif node_of(pod) and not ended(pod):
                for word, phase in (("fails-after", "Failed"), ("runs-for", "Succeeded")):
                    if f"tutti.dev/{word}" in annotations:
                        self._once(uid, phase, seconds(annotations[f"tutti.dev/{word}"]),
                                   lambda n=name, p=phase: self._finish(n, p))

    def _once(self, uid, what, delay, action):
        if (uid, what) not in self._planned_ends:
            self._planned_ends.add((uid, what))
            self.at(self.now + delay, action)

    # --- what happens ----------------------------------------------------------------------------

    def _apply(self, document):
        identity = document["kind"], key(document)
        before = self._written.get(identity)
        self._written[identity] = document
        if before is not None and self._change(before, document):
            return
        annotations = document["metadata"].get("annotations", {})
        if "tutti.dev/bind-fails-always" in annotations:
            self.world.refusals.refuse(*key(document).split("/"), None)
        elif "tutti.dev/bind-fails" in annotations:
            self.world.refusals.refuse(*key(document).split("/"),
                                       int(annotations["tutti.dev/bind-fails"]))
        self.api.create(document)

    def _change(self, before, after):
        """A later document of the same object; False if the object is gone by now."""
        kind, metadata = after["kind"], after["metadata"]
        place, name = metadata.get("namespace"), metadata["name"]
        live = self.api.get(kind, place, name)
        if live is None:
            return False
        changed = {"metadata": {"labels": metadata.get("labels"),
                                "annotations": metadata.get("annotations")}}
        if "spec" in before or "spec" in after:
            old, new = before.get("spec", {}), after.get("spec", {})
            changed["spec"] = {field: new.get(field) for field in {**old, **new}
                               if old.get(field) != new.get(field)}
        self.api.patch(kind, place, name, changed)
        if kind == "Node" and "status" in after:
            self.api.patch(kind, place, name, {"status": after["status"]}, "status")
        return True

    def _delete(self, document):
        self.api.delete(document["kind"], document["metadata"].get("namespace"),
                        document["metadata"]["name"])

    def _end_deletion(self, name):
        self.world.kubelets.end(*name.split("/"))

    def _finish(self, name, phase):
        try:
            self.world.kubelets.finish(*name.split("/"), phase)
        except ApiError as error:
            if error.status != 404:
                raise


def overcommitted(scene):
    """Nodes that were given more pods or cpu than they have. Cpu in whole numbers or milli."""
    milli = lambda text: int(float(text[:-1])) if text.endswith("m") else int(float(text) * 1000)
    problems = []
    for name, node in scene.nodes.items():
        pods = [pod for pod in scene.pods.values() if node_of(pod) == name and not ended(pod)]
        offer = node["status"]["allocatable"]
        used = sum(milli(str(container.get("resources", {}).get("requests", {}).get("cpu", "0")))
                   for pod in pods for container in pod["spec"]["containers"])
        if used > milli(str(offer.get("cpu", "0"))) or len(pods) > int(offer.get("pods", 110)):
            problems.append(f"node {name} is over-committed: {used}m cpu, {len(pods)} pods")
    return problems


# The others are about what `tutti run` does by itself: its controllers, its uids, its words.
ABOUT_SCHEDULING = ("gs-", "dra-", "topo-", "pack-", "own-")


def tests(version):
    for folder in sorted(path.parent for path in FOLDER.glob("*/cluster.yaml")):
        if not folder.name.startswith(ABOUT_SCHEDULING):
            continue
        yield f"scenario/{folder.name}", lambda world, folder=folder: run(world, folder)


def run(world, folder):
    reason = SKIPPED[world.version].get(folder.name)
    if reason is None and folder.name in REPAIRS - ALSO_IN_SHORT and not world.long:
        reason = "takes a minute; --long runs it"
    if reason:
        raise Skip(reason)
    return Scenario(world, folder).run()
