"""Gangs without PodGroups: `tutti scheduler` groups pods in memory where the cluster does not.

One cluster of each version whose gates are off, so that it serves no PodGroups, as older ones; its
kube-controller-manager makes the pods of Jobs. JobSets have no controller here: their Jobs are made
as it would make them.
"""

import contextlib
import time

from api import ApiError
from kubelets import Kubelets
from objects import gang, node, pod
from permissions import forbidden
from refusals import Refusals
from stack import Stack, wait_until
from world import Skip, grant_roles, make_namespace, start_tutti

TUTTI = [{"schedulerName": "default-scheduler"}]
QUIET_SECONDS = 3  # long enough for a pod that may be bound to be bound


def tests(_):
    for name, test in (("a-job-starts-whole-or-not-at-all", job),
                       ("a-job-follows-its-parallelism", parallelism),
                       ("a-member-that-fails-is-replaced", replacement),
                       ("kueues-pod-groups", kueue), ("a-set-of-jobs", job_set),
                       ("half-a-gang-is-completed-after-a-crash", crash_completed),
                       ("half-a-gang-is-taken-back-after-a-crash", crash_taken_back),
                       ("an-explanation", explanation), ("told-not-to", never)):
        yield f"memory-groups/{name}", on_an_older_cluster(test)
    yield "memory-groups/without-the-right-to-read-jobs", no_rights
    yield "memory-groups/jobs-are-left-alone", left_alone


def only_tutti(world):
    if world.scheduler != "tutti" or world.kubeconfig:
        raise Skip("about Tutti itself, on clusters of its own")


class OlderCluster:
    """Without PodGroups. Kept between the tests of one version."""

    def __init__(self, world):
        self.program = world.program
        self.things = contextlib.ExitStack()
        self.stack = self.things.enter_context(
            Stack(world.version, workloads=False, audited=["tutti"]))
        self.api = self.stack.api
        self.stack.start_controllers()
        self.api.create(job_sets())
        wait_until(lambda: self.api.served("jobset.x-k8s.io"), what="JobSets to be served")
        grant_roles(self.api, "tutti")
        self.refusals = self.things.enter_context(Refusals(self.stack))
        self.kubelets = self.things.enter_context(Kubelets(self.api, end_deletions=True))
        self.number = 0

    def begin(self, *options):
        """A namespace, no nodes, and a scheduler that has just started."""
        self.number += 1
        self.place = f"m{self.number}"
        for thing in self.api.list("Node"):
            self.api.delete("Node", None, thing["metadata"]["name"])
        make_namespace(self.api, self.place)
        self.url = start_tutti(self.stack, self.program, TUTTI, options=options,
                               podInitialBackoffSeconds=1, podMaxBackoffSeconds=1)

    def end(self):
        self.refusals.clear()
        if "tutti" in self.stack.processes:
            self.stack.kill("tutti")
        self.api.delete("Namespace", None, self.place)
        wait_until(self._emptied, 60, what=f"the pods of {self.place} to go")

    def _emptied(self):
        left = self.api.list("Pod", self.place)
        for thing in left:
            with contextlib.suppress(ApiError):
                self.api.delete("Pod", self.place, thing["metadata"]["name"], grace=0)
        return not left

    def bound(self):
        """Pods on nodes that are not on their way out."""
        return sorted(thing["metadata"]["name"] for thing in self.api.list("Pod", self.place)
                      if thing["spec"].get("nodeName")
                      and "deletionTimestamp" not in thing["metadata"])

    def await_bound(self, count):
        wait_until(lambda: len(self.bound()) == count, 30, what=f"{count} pods to be bound")

    def stays(self, count, what):
        """A problem if the number of bound pods changes."""
        time.sleep(QUIET_SECONDS)
        return [] if len(self.bound()) == count else [f"{what}: {self.bound()} are bound"]

    def log(self):
        return self.stack.log("tutti").read_text()


CLUSTERS = {}


def on_an_older_cluster(test):
    def run(world):
        only_tutti(world)
        if world.version not in CLUSTERS:
            CLUSTERS[world.version] = OlderCluster(world)
        cluster = CLUSTERS[world.version]
        try:
            problems = test(cluster)
        finally:
            cluster.end()
        refused = [event["requestURI"] for event in cluster.stack.audit() if forbidden(event)]
        return problems + [f"the role lacks: {uri}" for uri in refused]
    return run


# --- what is asked for ---------------------------------------------------------------------------


def indexed_job(name, place, pods, cpu=1, owners=None, labels=None):
    return {"apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"name": name, "namespace": place, "ownerReferences": owners or [],
                         "labels": labels or {}},
            "spec": {"parallelism": pods, "completions": pods, "completionMode": "Indexed",
                     "template": {"metadata": {"labels": labels or {}}, "spec": {
                         "restartPolicy": "Never",
                         "containers": [{"name": "main", "image": "app",
                                         "resources": {"requests": {"cpu": str(cpu)}}}]}}}}


def job_sets():
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "jobsets.jobset.x-k8s.io"},
            "spec": {"group": "jobset.x-k8s.io", "scope": "Namespaced",
                     "names": {"kind": "JobSet", "plural": "jobsets"},
                     "versions": [{"name": "v1alpha2", "served": True, "storage": True,
                                   "schema": {"openAPIV3Schema": anything}}]}}


# --- the tests -----------------------------------------------------------------------------------


def job(cluster):
    """Eight pods, room for seven: none. With an eighth place: all."""
    cluster.begin()
    api = cluster.api
    api.create(node("n1", cpu=7))
    api.create(indexed_job("train", cluster.place, 8))
    wait_until(lambda: len(api.list("Pod", cluster.place)) == 8, 20, what="eight pods")
    problems = cluster.stays(0, "there is room for seven of eight")
    message = wait_until(lambda: refusal(api, cluster.place), 10, what="a word about waiting")
    if "PodGroup" not in message and "8" not in message:
        problems.append(f"the pods say: {message}")
    api.create(node("n2", cpu=1))
    cluster.await_bound(8)
    if any("schedulingGroup" in thing["spec"] for thing in api.list("Pod", cluster.place)):
        problems.append("a pod was given a schedulingGroup")
    return problems


def refusal(api, place):
    for thing in api.list("Pod", place):
        for condition in thing["status"].get("conditions", []):
            if condition["type"] == "PodScheduled" and condition["status"] == "False":
                return condition["message"]
    return None


def parallelism(cluster):
    """A Job that is made smaller starts with what it has then."""
    cluster.begin()
    api = cluster.api
    api.create(node("n1", cpu=3))
    api.create(indexed_job("train", cluster.place, 4))
    wait_until(lambda: len(api.list("Pod", cluster.place)) == 4, 20, what="four pods")
    problems = cluster.stays(0, "there is room for three of four")
    api.patch("Job", cluster.place, "train", {"spec": {"parallelism": 3, "completions": 3}})
    cluster.await_bound(3)
    return problems


def replacement(cluster):
    """A failed pod comes again while others have succeeded: it is placed alone."""
    cluster.begin()
    api = cluster.api
    api.create(node("n1", cpu=4))
    api.create(indexed_job("train", cluster.place, 4))
    cluster.await_bound(4)
    names = cluster.bound()
    running(api, cluster.place, 4)
    cluster.kubelets.finish(cluster.place, names[0])
    cluster.kubelets.finish(cluster.place, names[1])
    cluster.kubelets.finish(cluster.place, names[2], phase="Failed")
    wait_until(lambda: len(cluster.bound()) == 5, 60, what="the failed pod to be replaced")
    return []


def running(api, place, count):
    wait_until(lambda: sum(thing["status"].get("phase") == "Running"
                           for thing in api.list("Pod", place)) == count, 20, what="pods to run")


def kueue(cluster):
    """Plain pods with Kueue's words, ungated by Kueue one way or another."""
    cluster.begin()
    api = cluster.api
    api.create(node("n1", cpu=2))

    def member(name):
        made = pod(name, cluster.place, labels={"kueue.x-k8s.io/pod-group-name": "g"})
        made["metadata"]["annotations"] = {"kueue.x-k8s.io/pod-group-total-count": "3"}
        return made

    for name in ("a", "b"):
        api.create(member(name))
    problems = cluster.stays(0, "two of three are there")
    api.create(member("c"))
    problems += cluster.stays(0, "there is room for two of three")
    api.create(node("n2", cpu=1))
    cluster.await_bound(3)
    return problems


def job_set(cluster):
    """A driver of one and workers of three are one gang of four."""
    cluster.begin()
    api = cluster.api
    api.create(node("n1", cpu=3))
    api.create({"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet",
                "metadata": {"name": "set", "namespace": cluster.place},
                "spec": {"replicatedJobs": [
                    {"name": "driver", "replicas": 1,
                     "template": {"spec": {"parallelism": 1, "completions": 1}}},
                    {"name": "workers", "replicas": 1,
                     "template": {"spec": {"parallelism": 3, "completions": 3}}}]}})
    uid = api.get("JobSet", cluster.place, "set")["metadata"]["uid"]
    owners = [{"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "name": "set",
               "uid": uid, "controller": True}]
    api.create(indexed_job("set-driver-0", cluster.place, 1, owners=owners))
    problems = cluster.stays(0, "the workers are not there")
    api.create(indexed_job("set-workers-0", cluster.place, 3, owners=owners))
    wait_until(lambda: len(api.list("Pod", cluster.place)) == 4, 20, what="four pods")
    problems += cluster.stays(0, "there is room for three of four")
    api.create(node("n2", cpu=1))
    cluster.await_bound(4)
    return problems


def half_bound(cluster):
    """Of a gang of three one pod cannot be bound; the scheduler dies in the middle of it."""
    cluster.begin()
    api = cluster.api
    api.create(node("n1", cpu=3))
    api.create(pod("stopper", cluster.place, cpu=3, nodeName="n1"))
    api.create(indexed_job("train", cluster.place, 3))
    wait_until(lambda: len(api.list("Pod", cluster.place)) == 4, 20, what="the pods")
    unlucky = next(thing["metadata"]["name"] for thing in api.list("Pod", cluster.place)
                   if thing["metadata"]["name"] != "stopper")
    cluster.refusals.refuse(cluster.place, unlucky, None)
    api.delete("Pod", cluster.place, "stopper", grace=0)
    wait_until(lambda: len(cluster.bound()) == 2, 20, what="two of three to be bound")
    cluster.stack.kill("tutti")
    return unlucky


def crash_completed(cluster):
    half_bound(cluster)
    cluster.refusals.clear()
    start_tutti(cluster.stack, cluster.program, TUTTI)
    cluster.await_bound(3)
    carried = [condition for thing in cluster.api.list("Pod", cluster.place)
               for condition in thing["status"].get("conditions", [])
               if condition["type"] == "tutti.dev/Binding"]
    wait_until(lambda: not open_words(cluster), 10, what="the word about binding to end")
    return [] if len(carried) == 1 else [f"{len(carried)} pods say that they are being bound"]


def open_words(cluster):
    return [thing["metadata"]["name"] for thing in cluster.api.list("Pod", cluster.place)
            for condition in thing["status"].get("conditions", [])
            if condition["type"] == "tutti.dev/Binding" and condition["status"] == "True"]


def crash_taken_back(cluster):
    """Meanwhile another took the third place: the two that were bound make room."""
    before = {thing["metadata"]["uid"] for thing in cluster.api.list("Pod")}
    half_bound(cluster)
    cluster.refusals.clear()
    cluster.api.create(pod("squatter", cluster.place, cpu=1, nodeName="n1", scheduler="another"))
    half = {thing["metadata"]["uid"] for thing in cluster.api.list("Pod", cluster.place)
            if thing["spec"].get("nodeName") and thing["metadata"]["name"] != "squatter"} - before
    start_tutti(cluster.stack, cluster.program, TUTTI)
    wait_until(lambda: not half & {thing["metadata"]["uid"] for thing in
                                   cluster.api.list("Pod", cluster.place)
                                   if "deletionTimestamp" not in thing["metadata"]}, 60,
               what="the half gang to be taken back")
    return cluster.stays(1, "the gang does not fit beside the squatter")


def explanation(cluster):
    """`tutti explain job/NAME` speaks of the gang."""
    import json
    import subprocess
    cluster.begin()
    cluster.api.create(node("n1", cpu=4))
    cluster.api.create(pod("other", cluster.place, cpu=1, nodeName="n1", scheduler="another"))
    cluster.api.create(indexed_job("train", cluster.place, 4))
    wait_until(lambda: refusal(cluster.api, cluster.place), 20, what="a refusal")
    done = subprocess.run([str(cluster.program), "explain", "job/train", "-n", cluster.place, "-o",
                           "json", "--server", cluster.url], capture_output=True, text=True,
                          timeout=60, check=False)
    if done.returncode != 0:
        return [done.stderr]
    verdict = json.loads(done.stdout)
    expected = {"state": "Waiting", "blocker": "capacity"}
    return [f"{field}: expected {value}, but it is {verdict.get(field)}"
            for field, value in expected.items() if verdict.get(field) != value]


def never(cluster):
    """--group-in-memory=never: pods are placed one by one."""
    cluster.begin("--group-in-memory", "never")
    cluster.api.create(node("n1", cpu=3))
    cluster.api.create(indexed_job("train", cluster.place, 4))
    cluster.await_bound(3)
    return []


def no_rights(world):
    """A role of an earlier release: Jobs cannot be read. It says so, and schedules."""
    only_tutti(world)
    with Stack(world.version, workloads=False) as stack:
        grant_roles(stack.api, "tutti", without=("jobs",))
        stack.start_controllers()
        start_tutti(stack, world.program, TUTTI)
        stack.api.create(node("n1", cpu=3))
        stack.api.create(indexed_job("train", "default", 4))
        wait_until(lambda: sum(1 for thing in stack.api.list("Pod")
                               if thing["spec"].get("nodeName")) == 3, 20,
                   what="three of four pods to be bound")
        log = stack.log("tutti").read_text()
        return [] if "one by one the pods of: jobs.batch" in log else [f"it said:\n{log[-1500:]}"]


def left_alone(world):
    """Where the gates are on Jobs are the cluster's: a Job that is no gang by its rules is none."""
    only_tutti(world)
    world.clean()
    world.schedule()
    api = world.api
    log = world.stack.log("tutti").read_text()
    problems = [] if "leaves Jobs alone" in log else [f"the log says:\n{log[:1500]}"]
    api.create(node("n1", cpu=2))
    made = indexed_job("loose", "t", 3)
    made["spec"]["completionMode"] = "NonIndexed"
    api.create(made)
    wait_until(lambda: sum("nodeName" in thing["spec"] for thing in api.list("Pod", "t")) == 2, 20,
               what="two of three pods of a Job that is no gang to be bound")
    api.call("DELETE", api.path("Job", "t", "loose") + "?propagationPolicy=Background")
    wait_until(lambda: not api.list("Job", "t"), 30, what="the Job to go")
    world.clean()
    api.create(node("n1", cpu=2))
    api.create(gang(api.group_version("PodGroup"), "real", 3, "t"))
    for name in ("a", "b", "c"):
        api.create(pod(name, "t", group="real"))
    time.sleep(QUIET_SECONDS)
    bound = [thing["metadata"]["name"] for thing in api.list("Pod", "t")
             if thing["spec"].get("nodeName") and thing["metadata"]["name"] in ("a", "b", "c")]
    return problems + ([f"of a PodGroup that does not fit {bound} are bound"] if bound else [])
