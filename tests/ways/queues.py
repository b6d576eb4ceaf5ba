#!/usr/bin/env python3
"""Ways out of queues: every one that is named is applied, and the request is then admitted.

    queues.py TUTTI [NAME...]

Each situation is as in situations.py. Work is a Workload of Kueue that nobody makes pods for: what
is asked about is whether it gets its quota and places.
"""
from objects import node
from run import problem_with
from through import through

KUEUE = "kueue.x-k8s.io/v1beta2"
NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "t"}}


def of_kueue(kind, name, spec, **meta):
    return {"apiVersion": KUEUE, "kind": kind, "metadata": {"name": name, **meta}, "spec": spec}


def flavor(name, taint=None, topology=None, **labels):
    spec = {"nodeLabels": labels}
    if taint:
        spec["nodeTaints"] = [{"key": taint, "value": "yes", "effect": "NoSchedule"}]
    if topology:
        spec["topologyName"] = topology
    return of_kueue("ResourceFlavor", name, spec)


def quota(name, nominal, borrow=None, lend=None, resource="cpu"):
    """Of one flavor."""
    amount = {"name": resource, "nominalQuota": str(nominal)}
    if borrow is not None:
        amount["borrowingLimit"] = str(borrow)
    if lend is not None:
        amount["lendingLimit"] = str(lend)
    return {"name": name, "resources": [amount]}


def queue(name, *flavors, cohort=None, local=True, **spec):
    """A ClusterQueue and the LocalQueue of its name."""
    covered = flavors[0]["resources"][0]["name"]
    made = {"namespaceSelector": {},
            "resourceGroups": [{"coveredResources": [covered], "flavors": list(flavors)}], **spec}
    if cohort:
        made["cohortName"] = cohort
    objects = [of_kueue("ClusterQueue", name, made)]
    if local:
        objects.append(of_kueue("LocalQueue", name, {"clusterQueue": name}, namespace="t"))
    return objects


def work(name, pods, cpu, into="ml", at=0, minimum=None, priority=None, annotations=None, **spec):
    """A Workload with one set of pods."""
    main = {"name": "main", "count": pods, "template": {"spec": {"containers": [
        {"name": "c", "image": "i", "resources": {"requests": {"cpu": str(cpu)}}}], **spec}}}
    if minimum:
        main["minCount"] = minimum
    made = of_kueue("Workload", name, {"queueName": into, "podSets": [main]}, namespace="t",
                    annotations={"tutti.dev/at": f"{at}s", **(annotations or {})})
    if priority is not None:
        made["spec"]["priority"] = priority
    return made


def job(name, pods, cpu, into="ml", at=0, **spec):
    """Of which a Workload is made."""
    template = {"restartPolicy": "Never", "containers": [
        {"name": "c", "image": "i", "resources": {"requests": {"cpu": str(cpu)}}}], **spec}
    return {"apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"name": name, "namespace": "t",
                         "annotations": {"tutti.dev/at": f"{at}s"},
                         "labels": {"kueue.x-k8s.io/queue-name": into}},
            "spec": {"suspend": True, "parallelism": pods, "completions": pods,
                     "template": {"spec": template}}}


def rank(name, value):
    made = of_kueue("WorkloadPriorityClass", name, {})
    del made["spec"]
    return {**made, "value": value}


PREEMPTS = {"preemption": {"withinClusterQueue": "LowerPriority"}}
A, B = flavor("a", pool="a"), flavor("b", pool="b")


def pool(name, nodes, cpu):
    return [node(f"{name}{index}", cpu, labels={"pool": name}) for index in range(nodes)]


BASE = [NAMESPACE, A, B, *pool("a", 2, 8), *pool("b", 2, 8)]
TAINTED = [NAMESPACE, A, flavor("b", taint="batch", pool="b"), *pool("a", 2, 8),
           *[node(f"b{index}", 8, labels={"pool": "b"}, taint=("batch", "yes"))
             for index in range(2)]]

SITUATIONS = [
    ("quota-in-use", "workload/w",
     ("Waiting", "quota", {"cpu (a)": "4/2"}), ["shrink", "raiseQuota", "free"],
     [*BASE, *queue("ml", quota("a", 6)), work("v", 4, 1), work("w", 4, 1, at=1)]),
    ("quota-in-use-and-one-pod", "workload/w",
     ("Waiting", "quota", {"cpu (a)": "4/2"}), ["raiseQuota", "free"],
     [*BASE, *queue("ml", quota("a", 6)), work("v", 4, 1), work("w", 1, 4, at=1)]),
    ("more-than-the-queue-may-have", "workload/w",
     ("Impossible", "quota", {"cpu (a)": "8/6"}), ["shrink", "raiseQuota"],
     [*BASE, *queue("ml", quota("a", 6)), work("w", 4, 2)]),
    ("another-queue-has-some", "workload/w",
     ("Waiting", "quota", {"cpu (a)": "4/0"}), ["otherQueue", "raiseQuota", "free"],
     [*BASE, *queue("ml", quota("a", 4)), *queue("web", quota("b", 8)), work("v", 4, 1),
      work("w", 1, 4, at=1)]),
    ("a-limit-of-borrowing", "workload/w",
     ("Waiting", "quota", {"cpu (a)": "4/2"}), ["shrink", "borrow", "raiseQuota", "free"],
     [*BASE, *queue("ml", quota("a", 6, borrow=0), cohort="all"),
      *queue("web", quota("a", 6), cohort="all", local=False), work("v", 4, 1),
      work("w", 4, 1, at=1)]),
    ("another-flavor-by-its-taint", "workload/w",
     ("Waiting", "quota", {"cpu (a)": "4/0"}), ["otherFlavor", "raiseQuota", "free"],
     [*TAINTED, *queue("ml", quota("a", 4), quota("b", 4)), work("v", 1, 4),
      work("w", 1, 4, at=1)]),
    ("another-flavor-by-its-label", "workload/w",
     ("Waiting", "quota", {"cpu (a)": "4/0"}), ["otherFlavor", "raiseQuota", "free"],
     [*BASE, *queue("ml", quota("a", 4), quota("b", 4)), work("v", 1, 4),
      work("w", 1, 4, at=1, nodeSelector={"pool": "a"})]),
    ("another-flavor-by-affinity", "workload/w",
     ("Waiting", "quota", {"cpu (a)": "4/0"}), ["otherFlavor", "raiseQuota", "free"],
     [*BASE, *queue("ml", quota("a", 4), quota("b", 4)), work("v", 1, 4),
      work("w", 1, 4, at=1, affinity={"nodeAffinity": {
          "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
              {"matchExpressions": [{"key": "pool", "operator": "In", "values": ["a"]}]}]}}})]),
    ("a-class-that-evicts", "workload/w",
     ("Waiting", "quota", {"cpu (a)": "4/0"}), ["priority: that evicts Workload t/v",
                                                  "raiseQuota", "free"],
     [*BASE, rank("low", 10), rank("high", 100), *queue("ml", quota("a", 4), **PREEMPTS),
      work("v", 1, 4, priority=50), work("w", 1, 4, at=1)]),
    ("a-class-that-passes-the-first", "workload/w",
     ("Waiting", "quota", {}), ["priority", "raiseQuota"],
     [*BASE, rank("high", 100), *queue("ml", quota("a", 4), queueingStrategy="StrictFIFO"),
      work("v", 1, 8), work("w", 1, 4, at=1)]),
    ("quota-and-no-place", "workload/w",
     ("Waiting", "fragmentation", {"members": "4/3", "cpu": "12/12"}), ["shrink", "free"],
     [NAMESPACE, A, *pool("a", 2, 8), *queue("ml", quota("a", 16)), work("v", 1, 4),
      work("w", 4, 3, at=1)]),
    ("quota-of-two-flavors-and-no-place", "workload/w",
     ("Impossible", "badRequest", {"members": "3/1", "cpu": "9/6"}), ["shrink"],
     [NAMESPACE, A, B, *pool("a", 1, 4), *pool("b", 1, 2),
      *queue("ml", quota("a", 16), quota("b", 16)), work("w", 3, 3, minimum=2)]),
    ("no-flavor-for-it", "workload/w",
     ("Impossible", "quota", {}), ["otherFlavor"],
     [*TAINTED, *queue("ml", quota("b", 8)), work("w", 1, 4)]),
    ("no-such-queue", "workload/w",
     ("Held", "gated", {}), ["otherQueue"],
     [*BASE, *queue("ml", quota("a", 8)), work("w", 1, 4, into="mll")]),
    ("a-stopped-queue", "workload/w",
     ("Held", "gated", {}), ["otherQueue"],
     [*BASE, *queue("ml", quota("a", 8), stopPolicy="Hold"), *queue("web", quota("b", 8)),
      work("w", 1, 4)]),
    ("a-job-smaller", "job/w",
     ("Waiting", "quota", {"cpu (a)": "4/2"}),
     ["shrink", "raiseQuota", "free: end Job t/v, which frees 4 cpu of flavor a"],
     [*BASE, *queue("ml", quota("a", 6)), job("v", 4, 1), job("w", 4, 1, at=1)]),
    ("a-job-elsewhere", "job/w",
     ("Waiting", "quota", {"cpu (a)": "4/0"}), ["otherQueue", "raiseQuota", "free"],
     [*BASE, *queue("ml", quota("a", 4)), *queue("web", quota("b", 8)), job("v", 4, 1),
      job("w", 1, 4, at=1)]),
    ("a-job-on-another-flavor", "job/w",
     ("Waiting", "quota", {"cpu (a)": "4/0"}), ["otherFlavor", "raiseQuota", "free"],
     [*TAINTED, *queue("ml", quota("a", 4), quota("b", 4)), job("v", 1, 4), job("w", 1, 4, at=1)]),
    ("a-job-of-a-class", "job/w",
     ("Waiting", "quota", {"cpu (a)": "4/0"}), ["priority: that evicts Job t/v", "raiseQuota",
                                                  "free"],
     [*BASE, rank("high", 100), *queue("ml", quota("a", 4), **PREEMPTS), job("v", 1, 4),
      job("w", 1, 4, at=1)]),
    ("a-job-without-a-place", "job/w",
     ("Waiting", "capacity", {"members": "1/0", "cpu": "6/4"}), ["free"],
     [NAMESPACE, A, *pool("a", 1, 8), *queue("ml", quota("a", 16)), job("v", 1, 4),
      job("w", 1, 6, at=1)]),
    ("several-must-end", "workload/w",
     ("Waiting", "quota", {"cpu (a)": "6/0"}), ["raiseQuota", "free"],
     [*BASE, *queue("ml", quota("a", 6)), *(work(f"v{i}", 1, 2) for i in range(3)),
      work("w", 1, 6, at=1)]),
    ("others-would-take-what-is-raised", "workload/w",
     ("Waiting", "quota", {"cpu (a)": "4/0"}), ["raiseQuota"],
     [*BASE, *queue("ml", quota("a", 4)), work("v", 1, 4), work("u", 1, 4, at=1, priority=5),
      work("w", 1, 4, at=2)]),
    ("room-that-the-first-of-a-strict-queue-will-take", "workload/w",
     ("Waiting", "quota", {}),
     ["raiseQuota: raise the quota of queue ml to 14 cpu of flavor a (now 10)", "free"],
     [*BASE, *queue("ml", quota("a", 10), queueingStrategy="StrictFIFO"), work("v", 1, 6),
      work("u", 1, 6, at=1), work("w", 1, 2, at=2)]),
]

if __name__ == "__main__":
    through(SITUATIONS, problem_with, __doc__)
