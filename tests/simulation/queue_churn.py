#!/usr/bin/env python3
"""Jobs, JobSets, pods and groups of pods that come to queues at random, of random priority, some
resized or deleted, with queues that lend, take back, and are stopped and opened again; nobody may
run beyond quota, and nothing may be left that belongs to no one.

    queue_churn.py TUTTI [--work N] [--seeds N]

For every seed the scene is run to several instants of four hours, and to its end. At each of them
must hold:

* the pods of a cohort that have started and not ended, terminating ones among them, ask for no more
  of a flavor than its queues have together, and run on its nodes;
* work that waits, or was evicted, is suspended, and only terminating pods are left of it; work that
  is admitted is not;
* every piece of work in a queue has one Workload, every Workload work that exists, and Workloads of
  Jobs that have ended say so.

`tutti run --check` watches the scheduler's own books at the same time. A failure prints the command
that repeats it.
"""

import argparse
import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile

KUEUE = "kueue.x-k8s.io/v1beta2"
QUEUE = "kueue.x-k8s.io/queue-name"
PRIORITY = "kueue.x-k8s.io/priority-class"
GATE = "kueue.x-k8s.io/admission"
REQUEST = "kueue.x-k8s.io/workload"
FLAVORS = ("a", "b")
MINUTE = 60


def thing(kind, name, version=KUEUE, namespace=None, **more):
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return {"apiVersion": version, "kind": kind, "metadata": metadata} | more


def node(name, chance):
    pool = chance.choice(FLAVORS)
    made = thing("Node", name, "v1")
    made["metadata"]["labels"] = {"kubernetes.io/hostname": name, "pool": pool}
    made["status"] = {"allocatable": {"cpu": str(chance.choice([4, 8, 16])), "memory": "64Gi",
                                      "pods": "110"}}
    return made


def queue(name, cohort, quotas, chance):
    spec = {
        "namespaceSelector": {},
        "queueingStrategy": chance.choice(["StrictFIFO", "BestEffortFIFO", "BestEffortFIFO"]),
        "preemption": {
            "withinClusterQueue": chance.choice(["Never", "LowerPriority",
                                                 "LowerOrNewerEqualPriority"]),
            "reclaimWithinCohort": chance.choice(["Never", "LowerPriority", "Any"])},
        "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [
            {"name": flavor, "resources": [{"name": "cpu", "nominalQuota": quota}]}
            for flavor, quota in quotas.items()]}]}
    if cohort:
        spec["cohortName"] = cohort
    documents = [thing("ClusterQueue", name, spec=spec)]
    if chance.random() < 0.3:
        stop = chance.randrange(2, 20) * MINUTE
        for at, policy in ((stop, chance.choice(["Hold", "HoldAndDrain"])), (stop + 300, "None")):
            later = thing("ClusterQueue", name, spec=spec | {"stopPolicy": policy})
            later["metadata"]["annotations"] = {"tutti.dev/at": f"{at}s"}
            documents.append(later)
    return documents + [thing("LocalQueue", name, namespace="t", spec={"clusterQueue": name})]


def template(chance):
    annotations = {}
    if chance.random() < 0.8:
        annotations["tutti.dev/runs-for"] = f"{chance.randrange(10, 900)}s"
    if chance.random() < 0.1:
        annotations["tutti.dev/fails-after"] = f"{chance.randrange(5, 600)}s"
    return {"metadata": {"annotations": annotations}, "spec": {
        "restartPolicy": "Never", "terminationGracePeriodSeconds": chance.choice([0, 5, 30]),
        "containers": [{"name": "c", "image": "i", "resources": {
            "requests": {"cpu": str(chance.randrange(1, 4))}}}]}}


def job(name, chance):
    size = chance.randrange(1, 6)
    spec = {"parallelism": size, "completions": size, "backoffLimit": chance.randrange(0, 3),
            "template": template(chance)}
    annotations = {}
    if chance.random() < 0.5:
        spec["completionMode"] = "Indexed"
    else:
        spec["completions"] += chance.randrange(0, 4)
        if size > 1 and chance.random() < 0.3:
            annotations["kueue.x-k8s.io/job-min-parallelism"] = "1"
    made = thing("Job", name, "batch/v1", "t", spec=spec)
    made["metadata"]["annotations"] = annotations
    if "completionMode" in spec or annotations or chance.random() < 0.7:
        return [made]
    resized = thing("Job", name, "batch/v1", "t",
                    spec=spec | {"parallelism": chance.randrange(1, spec["completions"] + 1)})
    resized["metadata"]["annotations"] = {}
    return [made, resized]


def job_set(name, chance):
    parts = [{"name": part, "replicas": chance.randrange(1, 3), "template": {"spec": {
        "parallelism": count, "completions": count, "completionMode": "Indexed",
        "template": template(chance)}}}
        for part, count in (("driver", 1), ("worker", chance.randrange(1, 4)))]
    made = thing("JobSet", name, "jobset.x-k8s.io/v1alpha2", "t", spec={"replicatedJobs": parts})
    made["metadata"]["annotations"] = {}
    return [made]


def pods(name, chance):
    size = chance.choice([1, 1, 2, 3])
    form = template(chance)
    documents = []
    for i in range(size):
        made = thing("Pod", f"{name}-{i}", "v1", "t", spec=form["spec"])
        made["metadata"]["annotations"] = dict(form["metadata"]["annotations"])
        made["metadata"]["labels"] = {}
        if size > 1:
            made["metadata"]["labels"]["kueue.x-k8s.io/pod-group-name"] = name
            made["metadata"]["annotations"]["kueue.x-k8s.io/pod-group-total-count"] = str(size)
        documents.append(made)
    return documents


def work(name, queues, chance):
    documents = chance.choice([job, job, job, job_set, pods])(name, chance)
    at = chance.randrange(0, 30 * MINUTE)
    labels = {QUEUE: chance.choice(queues)}
    if chance.random() < 0.6:
        labels[PRIORITY] = chance.choice(["low", "high"])
    if chance.random() < 0.1:
        labels["kueue.x-k8s.io/max-exec-time-seconds"] = str(chance.randrange(30, 600))
    delete = at + chance.randrange(30, 20 * MINUTE) if chance.random() < 0.2 else None
    known = set()
    for document in documents:
        metadata = document["metadata"]
        metadata.setdefault("labels", {}).update(labels)
        # A second document of the same object changes it.
        later = chance.randrange(1, 5 * MINUTE) if metadata["name"] in known else 0
        known.add(metadata["name"])
        if delete and at + later >= delete:
            continue
        metadata["annotations"]["tutti.dev/at"] = f"{at + later}s"
        if delete:
            metadata["annotations"]["tutti.dev/delete-at"] = f"{delete}s"
    return [each for each in documents if "tutti.dev/at" in each["metadata"]["annotations"]]


def scene(count, seed):
    chance = random.Random(seed)
    documents = [node(f"n{i}", chance) for i in range(chance.randrange(2, 6))]
    for flavor in FLAVORS:
        documents.append(thing("ResourceFlavor", flavor, spec={"nodeLabels": {"pool": flavor}}))
    for name, value in (("low", 1), ("high", 100)):
        documents.append(thing("WorkloadPriorityClass", name, value=value))
    queues = [f"q{i}" for i in range(chance.randrange(1, 4))]
    quota = collections.defaultdict(dict)  # by cohort, or queue without one, and flavor
    root_of = {}
    for name in queues:
        cohort = chance.choice(["org", ""])
        flavors = chance.choice([FLAVORS, FLAVORS[:1], FLAVORS[1:]])
        quotas = {flavor: chance.randrange(2, 10) for flavor in flavors}
        root_of[name] = cohort or name
        for flavor, amount in quotas.items():
            of_root = quota[root_of[name]]
            of_root[flavor] = of_root.get(flavor, 0) + amount
        documents += queue(name, cohort, quotas, chance)
    for i in range(count):
        documents += work(f"w{i}", queues, chance)
    return documents, quota, root_of


def run(program, path, until):
    command = [program, "run", "--check", "-f", str(path), "-o", "json", "--kinds",
               "jobs,pods,kwl,jobsets"] + (["--until", f"{until}s"] if until else [])
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 0:
        return [], [f"exit code {done.returncode}: {done.stderr.strip()}"]
    return json.loads(done.stdout)["items"], []


def is_true(a_thing, condition):
    return any(each["type"] == condition and each["status"] == "True"
               for each in a_thing.get("status", {}).get("conditions", []))


def terminating(a_thing):
    return "deletionTimestamp" in a_thing["metadata"]


def has_ended(pod):
    return pod["status"]["phase"] in ("Succeeded", "Failed")


def cpus(pod):
    return sum(int(each["resources"]["requests"]["cpu"]) for each in pod["spec"]["containers"])


def request_of(pod):
    return pod["metadata"].get("annotations", {}).get(REQUEST)


def problems_of(things, quota, root_of):
    requests = {each["metadata"]["name"]: each for each in things if each["kind"] == "Workload"}
    uids = {each["metadata"]["uid"] for each in things}
    started = [each for each in things if each["kind"] == "Pod" and request_of(each)]
    used = collections.Counter()
    for pod in started:
        name, selector = pod["metadata"]["name"], pod["spec"].get("nodeSelector", {})
        if GATE in [gate["name"] for gate in pod["spec"].get("schedulingGates", [])]:
            yield f"pod {name} has started and has its gate"
        request = requests.get(request_of(pod))
        if "pool" not in selector:
            yield f"pod {name} is of no flavor"
        if has_ended(pod):
            continue
        local = pod["metadata"]["labels"].get(QUEUE) or (
            request["spec"]["queueName"] if request else None)
        if local:
            used[root_of[local], selector["pool"]] += cpus(pod)
        runs = request and is_true(request, "Admitted") and not is_true(request, "Evicted")
        if not runs and not terminating(pod):
            yield f"pod {name} lives, and its Workload does not let it"
    for (root, flavor), amount in used.items():
        if amount > quota[root].get(flavor, 0):
            yield f"{root} uses {amount} of {flavor}, and has {quota[root].get(flavor, 0)}"
    for name, request in requests.items():
        owners = [owner["uid"] for owner in request["metadata"].get("ownerReferences", [])]
        if not any(uid in uids for uid in owners):
            yield f"Workload {name} has outlived its work"
    for each in things:
        if each["kind"] in ("Job", "JobSet") and QUEUE in each["metadata"].get("labels", {}):
            yield from problems_of_work(each, requests)


def problems_of_work(a_work, requests):
    name = f"{a_work['kind']} {a_work['metadata']['name']}"
    own = [request for request in requests.values() if a_work["metadata"]["uid"] in [
        owner["uid"] for owner in request["metadata"].get("ownerReferences", [])]]
    if len(own) != 1:
        yield f"{name} has {len(own)} Workloads"
        return
    over = is_true(a_work, "Complete") or is_true(a_work, "Failed")
    if over != is_true(own[0], "Finished") and a_work["kind"] == "Job":
        yield f"{name} {'has' if over else 'has not'} ended, and its Workload says otherwise"
    if over or is_true(own[0], "Finished"):
        return
    runs = is_true(own[0], "Admitted") and not is_true(own[0], "Evicted")
    if runs == a_work["spec"].get("suspend", False):
        yield f"{name} is {'suspended' if runs else 'started'}, and its Workload says otherwise"


def check(program, count, seed):
    documents, quota, root_of = scene(count, seed)
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "scene.json"
        path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": documents}))
        for until in (5 * MINUTE, 10 * MINUTE, 17 * MINUTE, 25 * MINUTE, 40 * MINUTE, 240 * MINUTE,
                      None):
            things, failures = run(program, path, until)
            failures += problems_of(things, quota, root_of)
            if failures:
                return [f"at {until or 'the end'}: {failure}" for failure in failures[:10]]
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--work", type=int, default=30)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=1)
    options = parser.parse_args()
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        failures = check(options.program, options.work, seed)
        if failures:
            print("\n".join(failures))
            sys.exit(f"repeat with: {sys.argv[0]} {options.program} --work {options.work} "
                     f"--seeds 1 --first-seed {seed}")
    print(f"{options.seeds} times {options.work} pieces of work: nobody beyond quota")


if __name__ == "__main__":
    main()
