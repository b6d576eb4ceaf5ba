#!/usr/bin/env python3
"""Clusters that were copied while Jobs ran, as `tutti snapshot` writes them.

    copied_jobs.py TUTTI [NAME...]

A situation passes when `tutti run` ends with the pods it says, and no others; and when `next` of
the pod p and the answer of `tutti plan` about it are what it says, and the same time.
"""
import json
import pathlib
import re
import subprocess

from objects import group, node, pod, priority_class
from past import complete, ended, job, of_job
from through import through

TAKEN_AT = "2026-01-31T12:00:00Z"
UNKNOWN = "unknown: nothing that runs or is planned is known to let it run"


def tracked(made, began="11:54"):
    """A pod of the Job j that the Job has not counted yet."""
    made = of_job(made) if "ownerReferences" not in made["metadata"] else made
    made["metadata"]["finalizers"] = ["batch.kubernetes.io/job-tracking"]
    if made["spec"].get("nodeName"):
        made["status"] = {"phase": "Running", "startTime": f"2026-01-31T{began}:00Z"}
    return made


def runs(**more):
    return {"startTime": "2026-01-31T10:00:00Z", "active": 1, **more}


def urgent(made):
    """Pods of its template go before others, without evicting them."""
    made["spec"]["template"]["spec"].update(priorityClassName="urgent", preemptionPolicy="Never")
    return made


INDEX = "batch.kubernetes.io/job-completion-index"
URGENT = {**priority_class("urgent", 10), "preemptionPolicy": "Never"}
WORKLOAD = {"workload": {"workloadName": "not-copied", "podGroupTemplateName": "x"}}


def group_of_job(name, minimum):
    made = of_job(group(name, minimum, version="scheduling.k8s.io/v1alpha2"))
    made["metadata"]["creationTimestamp"] = "2026-01-31T10:00:00Z"
    made["spec"]["podGroupTemplateRef"] = WORKLOAD
    return made


# name, objects, pods after a run and their nodes, next of p; names that are made up end with *
SITUATIONS = [
    ("an-earlier-job-of-the-same-owner",
     [node("n1"), job("before", complete(10), "nightly"), job("j", runs(), "nightly"),
      tracked(pod("j-0", 4, on="n1")), pod("p", 2)],
     {"j-0": "n1", "p": ""},
     "in 4m0s, at 4m0s, when Pod t/j-0 ends; an estimate: earlier Jobs of CronJob t/nightly ran "
     "10m0s"),
    ("a-job-goes-on-with-its-next-pod",
     [node("n1"), URGENT, urgent(job("j", runs(succeeded=1), completions=3)),
      of_job(ended(pod("j-0", 4, on="n1"), "Succeeded", 10)), tracked(pod("j-1", 4, on="n1")),
      pod("p", 2)],
     {"j-0": "n1", "j-1": "n1", "p": ""},
     "in 14m0s, at 14m0s, when Pod t/j-* ends; an estimate: earlier pods of Job t/j ran 10m0s"),
    ("what-a-quota-withheld-is-not-made",
     [node("n1", cpu=16), job("j", runs(), parallelism=3, completions=9),
      tracked(pod("j-0", 4, on="n1")), pod("p", 16)],
     {"j-0": "n1", "p": ""}, UNKNOWN),
    ("a-job-in-the-wait-after-a-failure",
     [node("n1"), job("j", {"startTime": "2026-01-31T10:00:00Z", "failed": 1}), pod("p", 2)],
     {"j-*": "", "p": "n1"}, ""),
    ("a-job-of-very-many-pods-is-not-played-to-its-end",
     [node("n1"), URGENT, urgent(job("j", runs(succeeded=1), completions=1000000)),
      of_job(ended(pod("j-0", 4, on="n1"), "Succeeded", 10)), tracked(pod("j-1", 4, on="n1")),
      pod("p", 2)],
     {"j-0": "n1", "j-1": "n1", "p": ""}, UNKNOWN),
    ("a-pod-that-waits-is-not-made-again",
     [node("n1"), job("j", runs(active=2), parallelism=2), tracked(pod("j-0", 4, on="n1")),
      tracked(pod("j-1", 4)), pod("p", 2)],
     {"j-0": "n1", "j-1": "", "p": ""}, UNKNOWN),
    ("a-pod-leaves-without-its-job",
     [node("n1"), tracked(pod("j-0", 4, on="n1", grace=30)), pod("p", 4, priority=10)],
     {"p": "n1"}, "in 30s, at 30s, when Pod t/j-0 has left"),
    ("a-group-without-its-workload",
     [node("n1"), group_of_job("g", 2),
      job("j", runs(active=2), parallelism=2, completionMode="Indexed"),
      *(tracked(pod(f"j-{i}", 2, on="n1", group="g", annotations={INDEX: str(i)}))
        for i in range(2)), pod("p", 2)],
     {"j-0": "n1", "j-1": "n1", "p": ""}, UNKNOWN),
]


def ask(program, words, path):
    done = subprocess.run([program, *words, "-f", path, "-o", "json"], capture_output=True,
                          text=True, timeout=60)
    if done.returncode != 0:
        raise RuntimeError(f"exit {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def matches(found, said):
    return re.fullmatch(re.escape(said).replace(r"\*", "[a-z0-9]+"), found) is not None


def are(found, said):
    """Both by name."""
    return len(found) == len(said) and all(
        matches(ours, theirs) and found[ours] == said[theirs]
        for ours, theirs in zip(sorted(found), sorted(said)))


def pods_after(program, path):
    pods = ask(program, ["run", "--kinds", "pods"], path)["items"]
    return {made["metadata"]["name"]: made["spec"].get("nodeName", "") for made in pods}


def problem_with(program, situation, scratch):
    """What is wrong, or None."""
    _, objects, pods, said = situation
    path = str(pathlib.Path(scratch) / "snapshot.json")
    pathlib.Path(path).write_text(json.dumps(
        {"apiVersion": "v1", "kind": "List", "items": objects,
         "metadata": {"annotations": {"tutti.dev/taken-at": TAKEN_AT}}}))
    found = pods_after(program, path)
    if not are(found, pods):
        return f"expected pods {pods}, found {found}"
    verdict = ask(program, ["explain", "pod/p", "-n", "t"], path)
    if not matches(verdict["next"], said):
        return f"expected '{said}', found '{verdict['next']}'"
    return problem_with_plan(program, path, verdict["next"])


def problem_with_plan(program, path, said):
    answers = {answer["object"]["name"]: answer for answer in ask(program, ["plan"], path)["plan"]}
    answer = answers["p"]
    if answer["runs"] == "now" and not said:
        return None
    if ("in" in answer) != (said != UNKNOWN):
        return f"next is '{said}', the plan says {answer}"
    if "in" in answer and not said.startswith(f"in {answer['in']}, "):
        return f"next is '{said}', the plan says {answer['in']}"
    missing = [basis for basis in answer["estimatedFrom"] if basis not in said]
    if missing or ("an estimate" in said) != bool(answer["estimatedFrom"]):
        return f"next is '{said}', the plan rests on {answer['estimatedFrom']}"
    return None


if __name__ == "__main__":
    through(SITUATIONS, problem_with, __doc__)
