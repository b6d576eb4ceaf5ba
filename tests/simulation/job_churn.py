#!/usr/bin/env python3
"""Jobs created, suspended, resumed, resized and deleted at random, on nodes that come and go, with
pods that fail and binds that fail; nothing may be left that belongs to no one.

    job_churn.py TUTTI [--jobs N] [--seeds N]

For every seed the scene is run to several instants and to its end. At each of them must hold:

* every pod, Workload and PodGroup that names a controller has one that exists, or is terminating;
* no Job has more live pods than it asks for, no index is held twice, a suspended or ended Job has
  none that is not terminating;
* the group of a Job that has not ended has its Job's size, and its pods name it; no Job has two;
* a pod that its Job has counted is not held by the Job's finalizer, and nothing is left of a Job an
  hour after it was deleted.

`tutti run --check` watches gangs and nodes at the same time. A failure prints the command that
repeats it.
"""

import argparse
import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile

HOUR = 3600
TRACKING = "batch.kubernetes.io/job-tracking"
INDEX = "batch.kubernetes.io/job-completion-index"


def node(name, chance):
    annotations = {}
    if chance.random() < 0.3:
        down = chance.randrange(60, 2 * HOUR)
        annotations = {"tutti.dev/down-at": f"{down}s",
                       "tutti.dev/up-at": f"{down + chance.randrange(30, HOUR)}s"}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {
                "name": name, "labels": {"kubernetes.io/hostname": name},
                "annotations": annotations},
            "status": {"allocatable": {"cpu": "16", "memory": "64Gi", "pods": "110"}}}


def template(chance):
    annotations = {}
    if chance.random() < 0.8:
        annotations["tutti.dev/runs-for"] = f"{chance.randrange(10, 1800)}s"
    if chance.random() < 0.15:
        annotations["tutti.dev/fails-after"] = f"{chance.randrange(5, 900)}s"
    if chance.random() < 0.1:
        annotations["tutti.dev/bind-fails"] = str(chance.randrange(1, 3))
    cpu = chance.choice(["250m", "1", "2"])
    return {"metadata": {"annotations": annotations}, "spec": {
        "restartPolicy": "Never", "terminationGracePeriodSeconds": chance.choice([0, 5, 30]),
        "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}]}}


def shape(chance):
    size = chance.randrange(1, 9)
    spec = {"parallelism": size, "backoffLimit": chance.randrange(0, 4)}
    kind = chance.randrange(4)
    if kind == 0:
        spec.update(completions=size, completionMode="Indexed")
    elif kind == 1:
        spec.update(completions=size + chance.randrange(0, 5))
    elif kind == 2:
        policy = chance.choice([{}, {"schedulingPolicy": {"gang": {}}},
                                {"schedulingPolicy": {"gang": {"minCount": max(1, size // 2)}}}])
        spec.update(completions=size, completionMode="Indexed", scheduling=policy)
    if chance.random() < 0.2:
        spec["activeDeadlineSeconds"] = chance.randrange(30, HOUR)
    if chance.random() < 0.3:
        spec["ttlSecondsAfterFinished"] = chance.randrange(0, 900)
    return spec


def job(name, chance):
    """Documents of one Job: its creation, and changes of it."""
    spec = {**shape(chance), "suspend": chance.random() < 0.3, "template": template(chance)}
    when = chance.randrange(0, 2 * HOUR)
    delete_at = when + chance.randrange(60, 2 * HOUR) if chance.random() < 0.4 else None
    documents = []
    for _ in range(chance.randrange(1, 5)):
        if delete_at and when >= delete_at:
            break
        annotations = {"tutti.dev/at": f"{when}s"}
        if delete_at:
            annotations["tutti.dev/delete-at"] = f"{delete_at}s"
        documents.append({"apiVersion": "batch/v1", "kind": "Job", "metadata": {
            "name": name, "namespace": "t", "annotations": annotations}, "spec": dict(spec)})
        when += chance.randrange(1, 1200)
        spec["suspend"] = not spec["suspend"]
        gang = spec.get("scheduling", {}).get("schedulingPolicy", {}).get("gang")
        if gang == {} and chance.random() < 0.5:
            spec["parallelism"] = spec["completions"] = chance.randrange(1, 9)
    return documents


def scene(jobs, seed):
    chance = random.Random(seed)
    documents = [node(f"n{i}", chance) for i in range(max(4, jobs // 25))]
    for i in range(jobs):
        documents += job(f"j{i}", chance)
    return documents


def run(program, path, until):
    command = [program, "run", "--check", "-f", str(path), "-o", "json", "--kinds",
               "jobs,workloads,podgroups,pods"] + (["--until", f"{until}s"] if until else [])
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 0:
        return [], [f"exit code {done.returncode}: {done.stderr.strip()}"]
    return json.loads(done.stdout)["items"], []


def controller(thing):
    owners = thing["metadata"].get("ownerReferences", [])
    return next((owner for owner in owners if owner.get("controller")), None)


def terminating(thing):
    return "deletionTimestamp" in thing["metadata"]


def live(pod):
    return pod["status"]["phase"] in ("Pending", "Running") and not terminating(pod)


def ended(a_job):
    return any(condition["type"] in ("Complete", "Failed") and condition["status"] == "True"
               for condition in a_job.get("status", {}).get("conditions", []))


def problems_of(things):
    jobs = {thing["metadata"]["uid"]: thing for thing in things if thing["kind"] == "Job"}
    owned = collections.defaultdict(lambda: collections.defaultdict(list))
    for thing in things:
        if thing["kind"] == "Job":
            continue
        owner = controller(thing)
        name = f"{thing['kind']} {thing['metadata']['name']}"
        if owner is None:
            # A group loses its Job before its Workload.
            if not terminating(thing):
                yield f"{name} has no owner"
        elif owner["uid"] in jobs:
            owned[owner["uid"]][thing["kind"]].append(thing)
        elif not terminating(thing):
            yield f"{name} has outlived Job {owner['name']}"
        elif TRACKING in thing["metadata"].get("finalizers", []):
            yield f"{name} is held for Job {owner['name']}, which is gone"
    for uid, a_job in jobs.items():
        for problem in problems_of_job(a_job, owned[uid]):
            yield f"Job {a_job['metadata']['name']}: {problem}"


def problems_of_job(a_job, things):
    spec, status = a_job["spec"], a_job.get("status", {})
    pods = [pod for pod in things["Pod"] if live(pod)]
    if len(pods) > spec["parallelism"]:
        yield f"{len(pods)} live pods, parallelism {spec['parallelism']}"
    if len(pods) != status.get("active", 0):
        yield f"{len(pods)} live pods, status says {status.get('active', 0)}"
    if pods and (spec.get("suspend") or ended(a_job)):
        yield "live pods although it is suspended or has ended"
    indexes = [pod["metadata"]["annotations"][INDEX] for pod in pods
               if spec.get("completionMode") == "Indexed"]
    if len(set(indexes)) != len(indexes):
        yield f"indexes are held twice: {sorted(indexes)}"
    for pod in things["Pod"]:
        over = pod["status"]["phase"] in ("Succeeded", "Failed")
        if over and TRACKING in pod["metadata"].get("finalizers", []):
            yield f"pod {pod['metadata']['name']} has ended and is not counted"
    yield from problems_of_groups(a_job, things, pods)


def problems_of_groups(a_job, things, pods):
    spec, groups = a_job["spec"], things["PodGroup"]
    if len(groups) > 1 or len(things["Workload"]) != len(groups):
        yield f"{len(groups)} groups, {len(things['Workload'])} Workloads"
        return
    by_shape = (spec.get("completionMode") == "Indexed" and spec["parallelism"] > 1 and
                "scheduling" not in spec)
    if bool(groups) != (by_shape or "scheduling" in spec):
        yield "a group where none should be" if groups else "no group"
    if not groups or ended(a_job):  # nobody follows what is changed after the end
        return
    policy = spec.get("scheduling", {}).get("schedulingPolicy", {} if "scheduling" in spec else
                                            {"gang": {}})
    minimum = policy.get("gang", {}).get("minCount", spec["parallelism"])
    actual = groups[0]["spec"]["schedulingPolicy"]
    expected = {"gang": {"minCount": minimum}} if "gang" in policy else {"basic": {}}
    if actual != expected:
        yield f"policy {actual}, expected {expected}"
    name = groups[0]["metadata"]["name"]
    for pod in pods:
        if pod["spec"].get("schedulingGroup", {}).get("podGroupName") != name:
            yield f"pod {pod['metadata']['name']} does not name its group"


def check(program, jobs, seed):
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "scene.json"
        path.write_text(json.dumps({"apiVersion": "v1", "kind": "List",
                                    "items": scene(jobs, seed)}))
        for until in (HOUR // 3, HOUR, 2 * HOUR, 3 * HOUR, None):
            things, failures = run(program, path, until)
            failures += problems_of(things)
            if failures:
                return [f"at {until or 'the end'}: {failure}" for failure in failures[:10]]
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--jobs", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first-seed", type=int, default=1)
    options = parser.parse_args()
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        failures = check(options.program, options.jobs, seed)
        if failures:
            print("\n".join(failures))
            sys.exit(f"repeat with: {sys.argv[0]} {options.program} --jobs {options.jobs} "
                     f"--first-seed {seed}")
    print(f"{options.seeds} times {options.jobs} Jobs: nothing left over")


if __name__ == "__main__":
    main()
