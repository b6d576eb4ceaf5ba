#!/usr/bin/env python3
"""Gangs of dozens of members of which no two are the same object: none may end at a number.

    many_kinds.py TUTTI [NAME...]

Members of real clusters differ in tokens, index labels, images and in the hosts that somebody
pinned them to. Each case says what `tutti explain` must answer for the gang: its state and blocker,
and words of the summary or of the group's condition.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

RACK = "kueue.x-k8s.io/podset-preferred-topology"
REQUIRED = "kueue.x-k8s.io/podset-required-topology"
GPU = "nvidia.com/gpu"
HOST = "kubernetes.io/hostname"


def node(name, rack="r0", gpus=8):
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": {"rack": rack, HOST: name}},
            "status": {"allocatable": {"cpu": "64", GPU: str(gpus), "pods": "110"}}}


def racks(count, nodes, gpus=8):
    return [node(f"r{r}-n{n:02d}", f"r{r}", gpus) for r in range(count) for n in range(nodes)]


def pod(name, gpus=8, annotations=None, group="g", **spec):
    """As an API server delivers it: with a token volume whose name no other pod's has."""
    token = f"kube-api-access-{name}"
    container = {"name": "c", "image": "i", "resources": {"requests": {GPU: str(gpus)},
                                                          "limits": {GPU: str(gpus)}},
                 "volumeMounts": [{"name": token, "mountPath": "/var/run/secrets"}]}
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": "t", "annotations": annotations or {},
                         "labels": {"job": "train", "index": name}},
            "spec": {"containers": [container], "schedulingGroup": {"podGroupName": group},
                     "volumes": [{"name": token, "projected": {"sources": []}}], **spec}}


def gang(members):
    return [{"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup",
             "metadata": {"name": "g", "namespace": "t"},
             "spec": {"schedulingPolicy": {"gang": {"minCount": len(members)}}}}, *members]


def workers(count, **more):
    return gang([pod(f"w-{i:03d}", **more) for i in range(count)])


def pinned(hosts, **more):
    return gang([pod(f"w-{i:03d}", nodeSelector={HOST: host}, **more)
                 for i, host in enumerate(hosts)])


def among(hosts, count, **more):
    """Members that may use these hosts; each says so in its own words."""
    def affinity(i):
        values = hosts[i % len(hosts):] + hosts[:i % len(hosts)]
        return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchExpressions": [
                {"key": HOST, "operator": "In", "values": values}]}]}}}
    return gang([pod(f"w-{i:03d}", affinity=affinity(i), **more) for i in range(count)])


def pairs(count, gpus):
    """Two by two on one host; each knows its other one."""
    def member(name, own, other):
        made = pod(name, gpus, affinity={"podAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"labelSelector": {"matchLabels": {"pair": other}}, "topologyKey": HOST}]}})
        made["metadata"]["labels"]["pair"] = own
        return made
    return gang([each for i in range(count)
                 for each in (member(f"a-{i:03d}", f"a{i}", f"b{i}"),
                              member(f"b-{i:03d}", f"b{i}", f"a{i}"))])


def service(ns, selector):
    return {"apiVersion": "v1", "kind": "Service",
            "metadata": {"name": f"s-{len(selector)}", "namespace": ns},
            "spec": {"selector": selector}}


def indexed_job(count, cpu):
    template = {"spec": {"restartPolicy": "Never", "containers": [
        {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}]}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "big", "namespace": "t"},
            "spec": {"completionMode": "Indexed", "completions": count, "parallelism": count,
                     "template": template}}


def taken(hosts):
    return [dict(pod(f"there-{host}", group="none"), spec={
        "nodeName": host, "containers": [{"name": "c", "image": "i", "resources": {
            "requests": {GPU: "8"}}}]}) for host in hosts]


def different_images(members):
    for number, member in enumerate(each for each in members if each["kind"] == "Pod"):
        member["spec"]["containers"][0]["image"] = f"image-{number}"
    return members


HOSTS = [f"r{r}-n{n:02d}" for r in range(10) for n in range(10)]
JOB = "job/big"
INDEX = "batch.kubernetes.io/job-completion-index"

# name, objects, asked, state, blocker, words
CASES = [
    ("64 members and 60 nodes", racks(6, 10) + workers(64), "podgroup/g",
     "Impossible", "badRequest", ["512"]),
    ("a Service elsewhere and 49 of one Job on one node",
     [node("n1", gpus=0), service("other", {"app": "web"}), indexed_job(49, "2")], JOB,
     "Impossible", "badRequest", ["98 cpu"]),
    ("a Service of one index and 60 of one Job",
     [node("n1", gpus=0), service("t", {INDEX: "0"}), indexed_job(60, "1")], JOB,
     "Running", "", []),
    ("49 prefer a rack", racks(10, 10) + workers(49, annotations={RACK: "rack"}), "podgroup/g",
     "Running", "", []),
    ("100 prefer a rack", racks(10, 10) + workers(100, annotations={RACK: "rack"}), "podgroup/g",
     "Running", "", []),
    ("60 require a rack of 64",
     racks(2, 64) + workers(60, annotations={REQUIRED: "rack"}), "podgroup/g", "Running", "", []),
    ("60 require a rack of 50",
     racks(2, 50) + workers(60, annotations={REQUIRED: "rack"}), "podgroup/g",
     "Impossible", "topology", ["60", "50"]),
    ("100 images prefer a rack",
     racks(10, 10) + different_images(workers(100, annotations={RACK: "rack"})), "podgroup/g",
     "Running", "", []),
    ("100 pinned to hosts that are free", racks(10, 10) + pinned(HOSTS), "podgroup/g",
     "Running", "", []),
    ("100 pinned to hosts, preferring a rack",
     racks(10, 10) + pinned(HOSTS, annotations={RACK: "rack"}), "podgroup/g", "Running", "", []),
    ("100 pinned to hosts of which ten are taken",
     racks(10, 10) + taken(HOSTS[:10]) + pinned(HOSTS), "podgroup/g",
     "Waiting", None, []),
    ("100 pinned to hosts of which ten are taken, preferring a rack",
     racks(10, 10) + taken(HOSTS[:10]) + pinned(HOSTS, annotations={RACK: "rack"}), "podgroup/g",
     "Waiting", None, []),
    ("60 compete for 50 hosts",
     racks(10, 10) + among(HOSTS[:50], 60), "podgroup/g", None, None,
     ["60", "50"]),
    ("60 compete for 50 hosts, preferring a rack",
     racks(10, 10) + among(HOSTS[:50], 60, annotations={RACK: "rack"}), "podgroup/g", None, None,
     []),
    ("25 pairs that are too large for a node", racks(3, 10) + pairs(25, 5), "podgroup/g",
     "Impossible", "affinity", ["10 nvidia.com/gpu", "the largest of 30 has 8"]),
]


def verdict(program, objects, asked):
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "cluster.json"
        path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
        done = subprocess.run([program, "explain", asked, "-n", "t", "-f", str(path), "-o", "json"],
                              capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise RuntimeError(f"exit {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout)


def problems_of(found, state, blocker, words):
    if state is not None and found["state"] != state:
        yield f"state {found['state']}, expected {state}"
    if blocker is not None and found["blocker"] != blocker:
        yield f"blocker {found['blocker']}, expected {blocker}"
    if found["blocker"] == "budget":
        yield "the search ended with its budget"
    yield from (f"the summary does not say {word}" for word in words
                if word not in found["summary"])


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program, names = sys.argv[1], sys.argv[2:]
    failed = 0
    cases = [case for case in CASES if not names or any(name in case[0] for name in names)]
    for name, objects, asked, *expected in cases:
        found = verdict(program, objects, asked)
        problems = list(problems_of(found, *expected))
        failed += bool(problems)
        for problem in problems:
            print(f"{name}: {problem}: {found['summary']}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    sys.exit(1 if failed or not cases else 0)


if __name__ == "__main__":
    main()
