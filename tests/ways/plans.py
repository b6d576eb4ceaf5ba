#!/usr/bin/env python3
"""`tutti plan` in small situations: who runs, where, evicting whom, when, how many.

    plans.py TUTTI [NAME...]

A situation passes when the answers are the ones it says: by object, what it runs (now,
afterEviction, later, unknown), and of the other fields those that are given. Every way is applied,
and the work then runs.
"""
import json
import pathlib
import subprocess

from objects import (claim, composite, device_class, gang, group, job, job_set, kueue_pods, node,
                     pod, slice_of, uses, volcano_job)
from past import complete, cron, ended, of_job
from past import job as job_before
from run import applied
from through import through


def lasting(minutes, made):
    made["metadata"]["annotations"]["tutti.dev/runs-for"] = f"{minutes}m"
    return made


FULL = [node("n1"), pod("a", 4, on="n1")]
TWO = [node("n1"), node("n2")]
RACKS = [node("n1", rack="r1"), node("n2", rack="r1"), node("n3", rack="r2")]

# name, options, the cluster (None: all in one), the work, answers by object, copies
SITUATIONS = [
    ("a-pod-that-fits", [], TWO, [pod("p", 3)],
     {"Pod t/p": {"runs": "now", "in": "0s", "nodes": ["n1"]}}, None),
    ("a-gang-that-fits", [], TWO, gang("g", 2, cpu=3),
     {"PodGroup t/g": {"runs": "now", "nodes": ["n1", "n2"]}}, None),
    ("all-in-one-file", [], None, [*FULL, node("n2"), *gang("g", 2, cpu=2)],
     {"PodGroup t/g": {"runs": "now", "nodes": ["n2"]}}, None),
    ("a-domain-is-named", [], RACKS, gang("g", 2, cpu=3, key="rack"),
     {"PodGroup t/g": {"runs": "now", "domain": "rack=r1", "nodes": ["n1", "n2"]}}, None),
    ("no-room", [], FULL, [pod("p", 1)],
     {"Pod t/p": {"runs": "unknown", "blocker": "capacity", "ways": ["priority", "free"]}}, None),
    ("never", [], TWO, [pod("p", 8)],
     {"Pod t/p": {"runs": "unknown", "blocker": "badRequest", "ways": ["request"]}}, None),
    ("others-leave", [], [node("n1"), pod("a", 4, on="n1", priority=0, grace=30)],
     [pod("p", 4, priority=10)],
     {"Pod t/p": {"runs": "afterEviction", "evicts": ["t/a"], "in": "30s"}}, None),
    ("others-leave-at-once", [], FULL, [pod("p", 4, priority=10)],
     {"Pod t/p": {"runs": "afterEviction", "evicts": ["t/a"], "in": "0s"}}, None),
    ("a-gang-makes-room", [], [*TWO, pod("a", 2, on="n1", priority=1)],
     gang("g", 2, cpu=3, group_priority=5),
     {"PodGroup t/g": {"runs": "afterEviction", "evicts": ["t/a"]}}, None),
    ("work-that-ends", [], [node("n1"), lasting(7, pod("a", 4, on="n1"))], [pod("p", 2)],
     {"Pod t/p": {"runs": "later", "in": "7m0s", "estimatedFrom": [], "nodes": ["n1"]}}, None),
    ("a-pod-of-a-job-that-runs-as-long-as-those-before-it", [],
     [node("n1"), job_before("j", {}), of_job(ended(pod("j-0", 4, on="n1"), "Succeeded", 10)),
      of_job(pod("j-2", 4, on="n1"))], [pod("p", 2)],
     {"Pod t/p": {"runs": "later", "in": "10m0s",
                  "estimatedFrom": ["earlier pods of Job t/j ran 10m0s"]}}, None),
    ("a-job-that-runs-as-long-as-the-one-before-it", [],
     [node("n1"), cron(), job_before("before", complete(20), "nightly"),
      job_before("j", {}, "nightly"), of_job(pod("j-2", 4, on="n1"))], [pod("p", 2)],
     {"Pod t/p": {"runs": "later", "in": "20m0s",
                  "estimatedFrom": ["earlier Jobs of CronJob t/nightly ran 20m0s"]}}, None),
    ("only-what-rests-on-an-estimate-is-one", [],
     [node("n1"), node("n2"), job_before("j", {}),
      of_job(ended(pod("j-0", 4, on="n1"), "Succeeded", 10)), of_job(pod("j-2", 4, on="n1")),
      lasting(7, pod("a", 4, on="n2"))], [pod("p", 3), pod("q", 3)],
     {"Pod t/p": {"runs": "later", "in": "7m0s", "estimatedFrom": []},
      "Pod t/q": {"runs": "later", "in": "10m0s",
                  "estimatedFrom": ["earlier pods of Job t/j ran 10m0s"]}}, None),
    ("jobs-of-the-cluster-are-not-asked-about", [], None,
     [node("n1"), cron(), job_before("before", complete(20), "nightly"),
      job_before("j", {}, "nightly"), of_job(pod("j-2", 4, on="n1")), pod("p", 2)],
     {"Pod t/p": {"runs": "later", "in": "20m0s"}}, None),
    ("a-job-meets-its-pods-wherever-they-are", [], None,
     [node("n1"), job_before("j", {}, parallelism=2), of_job(pod("j-1", 4, on="n1")),
      of_job(pod("j-2", 4))],
     {"Job t/j": {"runs": "unknown", "nodes": []}}, None),
    ("a-deadline", [], [node("n1"), pod("a", 4, on="n1", activeDeadlineSeconds=600)],
     [pod("p", 2)], {"Pod t/p": {"runs": "later", "in": "10m0s"}}, None),
    ("later-in-the-script", ["--until", "5m"],
     [node("n1"), lasting(7, pod("a", 4, on="n1"))], [pod("p", 2)],
     {"Pod t/p": {"runs": "later", "in": "2m0s"}}, None),
    ("after-the-end-of-others", ["--until", "8m"],
     [node("n1"), lasting(7, pod("a", 4, on="n1"))], [pod("p", 2)],
     {"Pod t/p": {"runs": "now"}}, None),
    ("two-that-compete", [], [node("n1")], [pod("p", 3), pod("q", 3)],
     {"Pod t/p": {"runs": "now"}, "Pod t/q": {"runs": "unknown"}}, None),
    ("a-job-with-room-for-one-pod", [], [node("n1")], [job("j", 3, 3, indexed=False)],
     {"Job t/j": {"runs": "unknown", "nodes": ["n1"], "ways": ["request"],
                  "summary": "1 of 3 pods run; needs 3 cpu on one node; 1 node could take it and "
                             "the most that is free on one is 1 cpu"}}, None),
    ("a-group-with-room-for-one-pod", [], [node("n1")],
     [group("g"), pod("a", 3, group="g"), pod("b", 3, group="g")],
     {"PodGroup t/g": {"runs": "unknown", "nodes": ["n1"]}}, None),
    ("one-after-the-other", [], [node("n1")],
     [lasting(3, pod("p", 3)), pod("q", 3)],
     {"Pod t/p": {"runs": "now"}, "Pod t/q": {"runs": "later", "in": "3m0s"}}, None),
    ("a-job", [], TWO, [job("j", 2, 3)],
     {"Job t/j": {"runs": "now", "nodes": ["n1", "n2"]}}, None),
    ("a-job-without-room", [], [node("n1")], [job("j", 2, 3)],
     {"Job t/j": {"runs": "unknown", "ways": ["minCount", "request"]}}, None),
    ("a-job-of-volcano", [], TWO, [volcano_job("v", 2, 3)],
     {"Job t/v": {"runs": "now", "nodes": ["n1", "n2"]}}, None),
    ("a-job-of-volcano-without-room", [], [node("n1", taint=("team", "ml")), node("n2")],
     [volcano_job("v", 2, 3)],
     {"Job t/v": {"runs": "unknown", "blocker": "capacity",
                       "ways": ["tolerate", "minCount", "request"]}}, None),
    ("a-tree", [], TWO, [composite("c", 2), *gang("x", 2, cpu=2, parent="c"),
                         *gang("y", 2, cpu=2, parent="c")],
     {"CompositePodGroup t/c": {"runs": "now", "nodes": ["n1", "n2"]}}, None),
    ("claims", [], [node("n1"), device_class(), slice_of("n1", 2)],
     [claim("c", 2), pod("p", resourceClaims=uses("c"))], {"Pod t/p": {"runs": "now"}}, None),
    ("a-suspended-job", [], TWO, [job("j", 2, suspend=True)],
     {"Job t/j": {"runs": "unknown", "blocker": "gated",
                  "summary": "suspended: its pods are made when spec.suspend is false"}}, None),
    ("count-pods", ["--count"], TWO, [pod("p", 3)], {"Pod t/p": {"runs": "now"}}, 2),
    ("count-small-pods", ["--count"], TWO, [pod("p", 1)], {"Pod t/p": {"runs": "now"}}, 8),
    ("count-gangs", ["--count"], RACKS, gang("g", 2, cpu=2, key="rack"),
     {"PodGroup t/g": {"runs": "now"}}, 3),
    ("count-jobs", ["--count"], TWO, [job("j", 3)], {"Job t/j": {"runs": "now"}}, 2),
    ("count-claims", ["--count"], [node("n1"), device_class(), slice_of("n1", 5)],
     [claim("c", 2), pod("p", resourceClaims=uses("c"))], {"Pod t/p": {"runs": "now"}}, 2),
    ("count-trees", ["--count"], TWO,
     [composite("c", 2), *gang("x", 1, parent="c"), *gang("y", 2, parent="c")],
     {"CompositePodGroup t/c": {"runs": "now"}}, 2),
    ("count-job-sets", ["--count"], TWO, [job_set("s", 2, 2)],
     {"JobSet t/s": {"runs": "now"}}, 2),
    ("count-jobs-of-volcano", ["--count"], TWO, [volcano_job("v", 3)],
     {"Job t/v": {"runs": "now"}}, 2),
    ("count-gangs-of-kueue", ["--count"], TWO, kueue_pods("k", 3),
     {"PodGroup t/k": {"runs": "now"}}, 2),
    ("count-and-when", ["--count"], [node("n1"), lasting(10, pod("x", 4, on="n1"))],
     [lasting(5, pod("a", 4)), pod("b", 4)],
     {"Pod t/a": {"runs": "later", "in": "10m0s"}, "Pod t/b": {"runs": "later", "in": "15m0s"}},
     0),
    ("count-and-evictions", ["--count"], [node("n1"), pod("q", 3, on="n1", priority=0, grace=30)],
     [pod("a", 3, priority=10)],
     {"Pod t/a": {"runs": "afterEviction", "in": "30s", "evicts": ["t/q"]}}, 0),
    ("count-none", ["--count"], FULL, [pod("p", 1)], {"Pod t/p": {"runs": "unknown"}}, 0),
    ("count-evicts-nobody", ["--count"], [*FULL, node("n2")], [pod("p", 2, priority=9)],
     {"Pod t/p": {"runs": "now"}}, 2),
]


def write(scratch, name, objects):
    path = pathlib.Path(scratch) / name
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    return str(path)


def ask(program, options, cluster, work, scratch):
    arguments = ["plan", "-o", "json", *options, "-f", write(scratch, "work.json", work)]
    if cluster is not None:
        arguments += ["--cluster", write(scratch, "cluster.json", cluster)]
    done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise RuntimeError(f"exit {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def said(answer):
    return {"runs": answer["runs"], "in": answer.get("in"), "domain": answer["domain"],
            "estimatedFrom": answer["estimatedFrom"],
            "evicts": answer["evicts"], "blocker": answer["verdict"]["blocker"],
            "summary": answer["verdict"]["summary"],
            "nodes": sorted({place["node"] for place in answer["places"]}),
            "ways": [way["kind"] for way in answer["verdict"]["ways"]]}


def title(answer):
    return "{kind} {namespace}/{name}".format(**answer["object"])


def problem_with(program, situation, scratch):
    """What is wrong, or None."""
    _, options, cluster, work, expected, copies = situation
    plan = ask(program, options, cluster, work, scratch)
    answers = {title(answer): said(answer) for answer in plan["plan"]}
    if set(answers) != set(expected):
        return f"answers about {sorted(answers)}"
    for name, fields in expected.items():
        for field, value in fields.items():
            if answers[name][field] != value:
                return f"{name}: {field}: expected {value}, got {answers[name]}"
    if plan.get("copies", {}).get("fit") != copies:
        return f"expected {copies} copies, got {plan.get('copies')}"
    return problem_with_ways(program, plan, cluster, work, scratch)


def problem_with_ways(program, plan, cluster, work, scratch):
    for answer in plan["plan"]:
        for way in answer["verdict"]["ways"]:
            changed = applied((cluster or []) + work, way)
            after = ask(program, [], None, changed, scratch)
            runs = {title(each): each["runs"] for each in after["plan"]}[title(answer)]
            if runs not in ("now", "afterEviction"):
                return f"{title(answer)}: '{way['summary']}' was applied, and it runs {runs}"
    return None


if __name__ == "__main__":
    through(SITUATIONS, problem_with, __doc__)
