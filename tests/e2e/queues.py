"""Kueue's queues on a real API server, with Kueue's own CustomResourceDefinitions and without its
manager: `tutti scheduler` decides, or leaves a tree of queues alone, and `tutti controllers` start
and stop the Jobs.

The definitions come from the published Go module, found through the Go module cache.
"""

import datetime
import json
import pathlib
import subprocess
import time

import yaml

from kubelets import Kubelets
from objects import node
from permissions import forbidden, only_tutti
from stack import Stack, free_port, wait_until
from world import ROOT, Skip, grant_objects, grant_roles, make_namespace, start_tutti

MODULE = "sigs.k8s.io/kueue@v0.19.2"
GROUP = "/apis/kueue.x-k8s.io/v1beta2"
LEASE = "c1f6bfd2.kueue.x-k8s.io"
PLURALS = {"ResourceFlavor": "resourceflavors", "ClusterQueue": "clusterqueues",
           "Cohort": "cohorts", "LocalQueue": "localqueues", "Workload": "workloads",
           "WorkloadPriorityClass": "workloadpriorityclasses",
           "AdmissionCheck": "admissionchecks"}
NAMESPACED = ("LocalQueue", "Workload")
SECONDS = 30


def tests(version):
    yield "queues/a-job-is-admitted-started-and-ends", runs
    yield "queues/a-job-gives-way-and-comes-back", gives_way
    yield "queues/a-new-scheduler-changes-nothing", restarted
    if version == "v1.37":
        yield "queues/half-a-tree-is-left-alone", half_a_tree
        yield "queues/observing-writes-nothing", observed
        yield "queues/a-check-is-ready-while-places-are-kept", checked


def definitions():
    """Kueue's CustomResourceDefinitions."""
    try:
        found = subprocess.run(["go", "mod", "download", "-json", MODULE], check=True,
                               capture_output=True, text=True, timeout=300, cwd="/")
    except (OSError, subprocess.SubprocessError) as error:
        raise Skip(f"{MODULE} cannot be had: {error}") from error
    folder = pathlib.Path(json.loads(found.stdout)["Dir"]) / "config/components/crd/bases"
    return [yaml.safe_load(path.read_text()) for path in sorted(folder.glob("*.yaml"))]


class Cluster:
    """A control plane with queues; nodes and their kubelets are objects only."""

    def __init__(self, world):
        self.program = world.program
        self.definitions = definitions()
        self.stack = Stack(world.version, audited=["tutti", "keeper"])
        self.api = self.stack.api

    def __enter__(self):
        self.stack.__enter__()
        for each in self.definitions:
            self.api.create(each)
        wait_until(self._served, what="Kueue's kinds to be served")
        self.stack.start_controllers()
        make_namespace(self.api, "ml")
        make_namespace(self.api, "kueue-system")
        grant_roles(self.api, "tutti")
        self.kubelets = Kubelets(self.api)
        self.kubelets.__enter__()
        self.make("ResourceFlavor", "std", {})
        return self

    def __exit__(self, *failure):
        self.kubelets.__exit__(*failure)
        return self.stack.__exit__(*failure)

    def _served(self):
        status, text = self.api.raw("GET", GROUP)
        names = {each["name"] for each in json.loads(text)["resources"]} if status == 200 else ()
        return all(plural in names for plural in PLURALS.values())

    # --- processes -----------------------------------------------------------------------------

    def schedule(self, mode=None):
        profile = {"schedulerName": "default-scheduler"}
        if mode:
            profile["pluginConfig"] = [{"name": "Broker", "args": {"mode": mode}}]
        self.url = start_tutti(self.stack, self.program, [profile])

    def keep_up(self):
        self.stack.add_user("keeper", "keeper")
        text = (ROOT / "deploy" / "controllers" / "controllers.yaml").read_text()
        grant_objects(self.api, yaml.safe_load_all(text), "keeper")
        self.stack.start("keeper", [
            self.program, "controllers", "--kubeconfig", self.stack.kubeconfig("keeper"),
            "--leader-elect=false", "--port", str(free_port())])
        wait_until(lambda: "queues: done here" in self.stack.log("keeper").read_text(), SECONDS,
                   what="the controllers to keep up queues")

    def kueue_at_work(self):
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        self.api.create({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
                         "metadata": {"name": LEASE, "namespace": "kueue-system"},
                         "spec": {"holderIdentity": "kueue", "leaseDurationSeconds": 15,
                                  "renewTime": now}})

    # --- objects -------------------------------------------------------------------------------

    def path(self, kind, name=None, subresource=None):
        parts = [GROUP] + (["namespaces", "ml"] if kind in NAMESPACED else [])
        return "/".join(parts + [PLURALS[kind]] + [part for part in (name, subresource) if part])

    def make(self, kind, name, spec, **fields):
        return self.api.call("POST", self.path(kind), {
            "apiVersion": "kueue.x-k8s.io/v1beta2", "kind": kind,
            "metadata": {"name": name, **fields.pop("metadata", {})}, "spec": spec, **fields})

    def get(self, kind, name):
        return self.api.call("GET", self.path(kind, name))

    def list(self, kind):
        return self.api.call("GET", self.path(kind))["items"]

    def change(self, kind, name, change, subresource=None):
        return self.api.call("PATCH", self.path(kind, name, subresource), change,
                             "application/merge-patch+json")

    def queue(self, name, cpu, cohort=None, **spec):
        """A ClusterQueue of so much cpu, and a LocalQueue of its name."""
        self.make("ClusterQueue", name, {
            "namespaceSelector": {}, **({"cohortName": cohort} if cohort else {}),
            "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [
                {"name": "std", "resources": [{"name": "cpu", "nominalQuota": str(cpu)}]}]}],
            **spec})
        self.make("LocalQueue", name, {"clusterQueue": name})

    def job(self, name, queue, pods, priority=None, suspend=True):
        labels = {"kueue.x-k8s.io/queue-name": queue}
        if priority:
            labels["kueue.x-k8s.io/priority-class"] = priority
        self.api.create({
            "apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"name": name, "namespace": "ml", "labels": labels},
            "spec": {"parallelism": pods, "completions": pods, "suspend": suspend,
                     "template": {"spec": {"restartPolicy": "Never", "containers": [
                         {"name": "c", "image": "i",
                          "resources": {"requests": {"cpu": "1"}}}]}}}})

    def workload(self, name, queue, pods):
        """As whoever watches over work would make it."""
        return self.make("Workload", name, {"queueName": queue, "podSets": [
            {"name": "main", "count": pods, "template": {"spec": {
                "restartPolicy": "Never", "containers": [
                    {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]}}}]},
            metadata={"namespace": "ml"})

    # --- questions -----------------------------------------------------------------------------

    def condition(self, workload, kind):
        conditions = self.get("Workload", workload).get("status", {}).get("conditions", [])
        return next((each for each in conditions if each["type"] == kind), {})

    def workload_of(self, job):
        return next((each["metadata"]["name"] for each in self.list("Workload")
                     if any(owner["name"] == job
                            for owner in each["metadata"].get("ownerReferences", []))), None)

    def said(self, job, kind):
        workload = self.workload_of(job)
        return self.condition(workload, kind) if workload else {}

    def running(self, job):
        return [pod for pod in self.api.list("Pod", "ml") if pod["spec"].get("nodeName")
                and pod["status"].get("phase") == "Running"
                and "deletionTimestamp" not in pod["metadata"]
                and pod["metadata"].get("labels", {}).get("job-name") == job]

    def finish(self, job):
        for pod in self.running(job):
            self.kubelets.finish("ml", pod["metadata"]["name"])

    def await_running(self, job, pods):
        wait_until(lambda: len(self.running(job)) == pods, SECONDS,
                   what=f"{pods} pods of {job} to run")

    def events(self, reason, name):
        return [event for event in self.api.list("Event") if event["reason"] == reason
                and event["involvedObject"]["name"] == name]

    def refused(self):
        return [f"the role lacks: {event['verb']} {event['requestURI']}"
                for event in self.stack.audit() if forbidden(event)]

    def writes(self, user="tutti"):
        """What the user wrote of Kueue's kinds: (time, URI)."""
        return [(event["requestReceivedTimestamp"], event["requestURI"])
                for event in self.stack.audit() if event["user"]["username"] == user
                and event["verb"] not in ("get", "list", "watch")
                and "/kueue.x-k8s.io/" in event["requestURI"]]

    def hurried(self):
        """Statuses of queues that were written twice within a second."""
        problems, last = [], {}
        for moment, uri in sorted(self.writes()):
            at = datetime.datetime.fromisoformat(moment.replace("Z", "+00:00"))
            if "workloads" not in uri and uri in last and (at - last[uri]).total_seconds() < 0.9:
                problems.append(f"{uri} was written twice within a second")
            last[uri] = at
        return problems


def quiet(cluster, seconds=2.5):
    """Nobody writes a Workload or queue for so long."""
    def state():
        return [(each["metadata"]["uid"], each["metadata"]["resourceVersion"])
                for kind in ("Workload", "ClusterQueue", "LocalQueue")
                for each in cluster.list(kind)]

    deadline, seen, since = time.monotonic() + SECONDS, state(), time.monotonic()
    while time.monotonic() - since < seconds:
        if time.monotonic() > deadline:
            raise TimeoutError("Workloads or queues are written without end")
        time.sleep(0.1)
        now = state()
        if now != seen:
            seen, since = now, time.monotonic()
    return seen


def runs(world):
    only_tutti(world)
    with Cluster(world) as cluster:
        api = cluster.api
        api.create(node("n1", cpu=4))
        cluster.queue("team", 3)
        cluster.schedule()
        cluster.keep_up()
        cluster.job("first", "team", 3)
        cluster.await_running("first", 3)
        cluster.job("second", "team", 2, suspend=False)
        wait_until(lambda: cluster.said("second", "QuotaReserved").get("reason") ==
                   "WaitingForQuota", SECONDS, what="second to wait for quota")
        wait_until(lambda: api.get("Job", "ml", "second")["spec"]["suspend"], SECONDS,
                   what="second to be suspended")
        problems = []
        quiet(cluster)
        status = cluster.get("ClusterQueue", "team")["status"]
        for field, value in (("pendingWorkloads", 1), ("reservingWorkloads", 1),
                             ("admittedWorkloads", 1)):
            if status.get(field, 0) != value:
                problems.append(f"ClusterQueue: {field} is {status.get(field)}, not {value}")
        total = status["flavorsUsage"][0]["resources"][0]["total"]
        if total != "3":
            problems.append(f"ClusterQueue: uses {total} cpu, not 3")
        workload = cluster.get("Workload", cluster.workload_of("first"))
        if workload["status"]["admission"]["podSetAssignments"][0]["flavors"] != {"cpu": "std"}:
            problems.append(f"admission: {workload['status']['admission']}")
        template = cluster.running("first")[0]["metadata"]
        if template["annotations"].get("kueue.x-k8s.io/workload") != workload["metadata"]["name"]:
            problems.append("its pods are not told whose they are")
        cluster.finish("first")
        cluster.await_running("second", 2)
        wait_until(lambda: cluster.said("first", "Finished").get("status") == "True", SECONDS,
                   what="first to be finished")
        for reason in ("QuotaReserved", "Admitted"):
            if not cluster.events(reason, cluster.workload_of("second")):
                problems.append(f"no event {reason}")
        return problems + cluster.refused() + cluster.hurried()


def gives_way(world):
    only_tutti(world)
    with Cluster(world) as cluster:
        cluster.api.create(node("n1", cpu=4))
        cluster.queue("team", 4, preemption={"withinClusterQueue": "LowerPriority"})
        cluster.api.call("POST", cluster.path("WorkloadPriorityClass"), {
            "apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "WorkloadPriorityClass",
            "metadata": {"name": "high"}, "value": 10})
        cluster.schedule()
        cluster.keep_up()
        cluster.job("low", "team", 4)
        cluster.await_running("low", 4)
        cluster.job("high", "team", 2, priority="high")
        cluster.await_running("high", 2)
        problems = []
        evicted = cluster.said("low", "Preempted")
        if (evicted.get("status"), evicted.get("reason")) != ("True", "InClusterQueue"):
            problems.append(f"low is told: {evicted}")
        if not cluster.api.get("Job", "ml", "low")["spec"]["suspend"]:
            problems.append("low is not suspended")
        cluster.finish("high")
        cluster.await_running("low", 4)
        return problems + cluster.refused() + cluster.hurried()


def restarted(world):
    """A scheduler that is killed and begun again evicts nobody and writes nothing."""
    only_tutti(world)
    with Cluster(world) as cluster:
        cluster.api.create(node("n1", cpu=8))
        cluster.queue("a", 2, cohort="org")
        cluster.queue("b", 2, cohort="org")
        cluster.schedule()
        cluster.keep_up()
        cluster.job("borrows", "a", 4)
        cluster.await_running("borrows", 4)
        cluster.job("waits", "b", 1)
        wait_until(lambda: cluster.said("waits", "QuotaReserved"), SECONDS, what="waits to wait")
        # More is given than is owned now.
        for queue in ("a", "b"):
            cluster.change("ClusterQueue", queue, {"spec": {"resourceGroups": [
                {"coveredResources": ["cpu"], "flavors": [
                    {"name": "std", "resources": [{"name": "cpu", "nominalQuota": "1"}]}]}]}})
        before, pods = quiet(cluster), cluster.running("borrows")
        cluster.stack.kill("tutti")
        cluster.schedule()
        problems = ["Workloads or queues were written"] if quiet(cluster) != before else []
        now = cluster.running("borrows")
        if [pod["metadata"]["uid"] for pod in now] != [pod["metadata"]["uid"] for pod in pods]:
            problems.append("pods were replaced")
        cluster.finish("borrows")
        cluster.await_running("waits", 1)
        return problems + cluster.refused()


def half_a_tree(world):
    """Beside Kueue's manager a tree is taken over whole or not at all."""
    only_tutti(world)
    marked = {"metadata": {"annotations": {"tutti.dev/admission": "tutti"}},
              "spec": {"stopPolicy": "Hold"}}
    with Cluster(world) as cluster:
        cluster.api.create(node("n1", cpu=8))
        cluster.kueue_at_work()
        cluster.queue("a", 2, cohort="org")
        cluster.queue("b", 2, cohort="org")
        cluster.change("ClusterQueue", "a", marked)
        cluster.workload("w", "a", 2)
        cluster.schedule()
        wait_until(lambda: cluster.events("TreeNotTaken", "b"), SECONDS, what="the warning")
        time.sleep(1)
        problems = []
        note = cluster.events("TreeNotTaken", "a")[0]["message"]
        for part in ("tutti.dev/admission: tutti is missing on ClusterQueue b",
                     "spec.stopPolicy is not Hold"):
            if part not in note:
                problems.append(f"the warning does not say '{part}': {note}")
        if cluster.writes():
            problems.append(f"written all the same: {cluster.writes()}")
        cluster.change("ClusterQueue", "b", marked)
        wait_until(lambda: cluster.condition("w", "Admitted").get("status") == "True", SECONDS,
                   what="the tree to be taken")
        queues = [uri for _, uri in cluster.writes() if "queues" in uri]
        if queues:
            problems.append(f"queues are Kueue's to write: {queues}")
        return problems + cluster.refused()


def observed(world):
    only_tutti(world)
    with Cluster(world) as cluster:
        cluster.api.create(node("n1", cpu=8))
        cluster.queue("a", 2)
        cluster.workload("w", "a", 2)
        cluster.schedule("observe")
        time.sleep(3)
        return [f"written: {uri}" for _, uri in cluster.writes()] + cluster.refused()


def checked(world):
    """Kueue gives quota and asks for places."""
    only_tutti(world)
    with Cluster(world) as cluster:
        cluster.api.create(node("n1", cpu=4))
        cluster.kueue_at_work()
        cluster.make("AdmissionCheck", "places", {"controllerName": "tutti.dev/placement"})
        cluster.queue("a", 16, admissionChecksStrategy={"admissionChecks": [{"name": "places"}]})
        cluster.schedule("check")
        wait_until(lambda: cluster.get("AdmissionCheck", "places").get("status"), SECONDS,
                   what="the check to be active")
        cluster.workload("fits", "a", 3)
        cluster.workload("late", "a", 2)
        problems = []
        for name, pods, state in (("fits", 3, "Ready"), ("late", 2, "Retry")):
            now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
            cluster.change("Workload", name, {"status": {
                "admission": {"clusterQueue": "a", "podSetAssignments": [
                    {"name": "main", "flavors": {"cpu": "std"},
                     "resourceUsage": {"cpu": str(pods)}, "count": pods}]},
                "conditions": [{"type": "QuotaReserved", "status": "True", "message": "",
                                "reason": "QuotaReserved", "lastTransitionTime": now}],
                "admissionChecks": [{"name": "places", "state": "Pending", "message": "",
                                     "lastTransitionTime": now}]}}, "status")
            wait_until(lambda name=name: check_of(cluster, name)["state"] != "Pending", SECONDS,
                       what=f"an answer about {name}")
            if check_of(cluster, name)["state"] != state:
                problems.append(f"{name}: {check_of(cluster, name)}")
        if check_of(cluster, "late").get("requeueAfterSeconds") != 60:
            problems.append(f"late is to ask again: {check_of(cluster, 'late')}")
        touched = [uri for _, uri in cluster.writes() if "queues" in uri]
        if touched:
            problems.append(f"queues are Kueue's to write: {touched}")
        return problems + cluster.refused()


def check_of(cluster, name):
    return cluster.get("Workload", name)["status"]["admissionChecks"][0]
