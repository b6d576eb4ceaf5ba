"""What `tutti explain` of a running scheduler says of work that other operators hold or make.

Their kinds are served, and their objects made as they make them; no operator runs here.
"""

import json
import subprocess

from api import ApiError
from memory_groups import indexed_job, on_an_older_cluster
from objects import node, pod
from stack import wait_until

KUEUE = "kueue.x-k8s.io/v1beta1"
SETS = "leaderworkerset.x-k8s.io/v1"


def tests(_):
    yield "operators/a-job-that-kueue-holds", on_an_older_cluster(held_by_kueue)
    yield "operators/a-replica-of-a-set", on_an_older_cluster(replica)


def serve(api, group, kind, plural, version):
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    made = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{group}"},
            "spec": {"group": group, "scope": "Namespaced",
                     "names": {"kind": kind, "plural": plural},
                     "versions": [{"name": version, "served": True, "storage": True,
                                   "schema": {"openAPIV3Schema": anything}}]}}
    try:
        api.create(made)
    except ApiError as error:
        if error.status != 409:
            raise
    wait_until(lambda: api.served(group), what=f"{kind} to be served")


def explain(cluster, *subject):
    done = subprocess.run([str(cluster.program), "explain", *subject, "-n", cluster.place, "-o",
                           "json", "--server", cluster.url], capture_output=True, text=True,
                          timeout=60, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else {"summary": done.stderr}


def unlike(verdict, state, blocker, *words):
    found = (verdict.get("state"), verdict.get("blocker"))
    problems = [] if found == (state, blocker) else [f"{found}: {verdict['summary']}"]
    return problems + [f"no {word} in: {verdict['summary']}" for word in words
                       if word not in verdict["summary"]]


def held_by_kueue(cluster):
    """The Job is suspended and has no pods; Kueue's Workload says what it waits for."""
    api = cluster.api
    serve(api, "kueue.x-k8s.io", "Workload", "workloads", "v1beta1")
    cluster.begin()
    api.create(node("n1", cpu=4))
    held = indexed_job("train", cluster.place, 2, labels={"kueue.x-k8s.io/queue-name": "team-a"})
    held["spec"]["suspend"] = True
    api.create(held)
    uid = api.get("Job", cluster.place, "train")["metadata"]["uid"]
    api.create({"apiVersion": KUEUE, "kind": "Workload",
                "metadata": {"name": "job-train-1", "namespace": cluster.place,
                             "labels": {"kueue.x-k8s.io/job-uid": uid},
                             "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job",
                                                  "name": "train", "uid": uid,
                                                  "controller": True}]},
                "spec": {"queueName": "team-a"},
                "status": {"conditions": [
                    {"type": "QuotaReserved", "status": "False", "reason": "Pending",
                     "lastTransitionTime": "2026-01-01T00:00:00Z",
                     "message": "insufficient unused quota for cpu in flavor a"}]}})
    said = ["queue team-a", "insufficient unused quota for cpu in flavor a"]
    return (unlike(explain(cluster, "job/train"), "Held", "quota", *said) +
            unlike(explain(cluster, "job", "train"), "Held", "quota", *said))


def replica(cluster):
    """Of two replicas of two one runs; of the other one pod would fit."""
    api = cluster.api
    serve(api, "leaderworkerset.x-k8s.io", "LeaderWorkerSet", "leaderworkersets", "v1")
    cluster.begin()
    api.create(node("n1", cpu=3))
    api.create({"apiVersion": SETS, "kind": "LeaderWorkerSet",
                "metadata": {"name": "llm", "namespace": cluster.place},
                "spec": {"replicas": 2, "leaderWorkerTemplate": {
                    "size": 2, "workerTemplate": {"spec": {"containers": [
                        {"name": "main", "image": "app"}]}}}}})
    for group in range(2):
        for name in (f"llm-{group}", f"llm-{group}-1"):
            api.create(pod(name, cluster.place, cpu=1, labels={
                "leaderworkerset.sigs.k8s.io/name": "llm",
                "leaderworkerset.sigs.k8s.io/group-index": str(group),
                "leaderworkerset.sigs.k8s.io/worker-index": name[len(f"llm-{group}-"):] or "0"}))
    cluster.await_bound(2)
    problems = cluster.stays(2, "there is room for one of the second replica")
    waiting = next(f"llm-{group}" for group in range(2) if f"llm-{group}" not in cluster.bound())
    words = ["needs 2 pods of 1 cpu at once", "1 fits now"]
    verdict = explain(cluster, "lws", "llm")
    problems += unlike(verdict, "Waiting", "capacity", *words)
    if verdict.get("object", {}).get("kind") != "LeaderWorkerSet":
        problems.append(f"it is about {verdict.get('object')}")
    return problems + unlike(explain(cluster, f"pod/{waiting}"), "Waiting", "capacity", *words)
