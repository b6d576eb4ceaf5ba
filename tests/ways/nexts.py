#!/usr/bin/env python3
"""When something that waits will run, and what for.

    nexts.py TUTTI [NAME...]

A situation passes when `next` is what it says.
"""
from objects import (claim, cron_job, device_class, gang, group, job_set, leader_worker_set, node,
                     pod, running_for, slice_of, uses)
from past import complete, cron, ended, job, of_job
from run import explain
from situations import later
from through import through


def lasting(made, duration):
    made["metadata"]["annotations"]["tutti.dev/runs-for"] = duration
    return made


# name, asked, next, objects; asked at five seconds
SITUATIONS = [
    ("work-that-ends", "pod/p", "in 9m55s, at 10m0s, when Pod t/a ends",
     [node("n1"), lasting(pod("a", 4, on="n1"), "10m"), pod("p", 1)]),
    ("a-claim-waits-for-what-its-pod-waits-for", "resourceclaim/c",
     "in 9m55s, at 10m0s, when Pod t/a ends",
     [node("n1"), device_class(), slice_of("n1", 2), claim("c", 2), claim("d", 1),
      lasting(pod("a", 0, resourceClaims=uses("d")), "10m"),
      later("1s", pod("p", resourceClaims=uses("c")))]),
    ("a-member-that-is-to-come", "podgroup/g", "in 8m55s, at 9m0s, when Pod t/g-9 is created",
     [node("n1"), *gang("g", 1, 2), later("9m", pod("g-9", group="g"))]),
    ("a-gate-that-is-to-open", "pod/a",
     "in 3m55s, at 4m0s, when Pod t/a has no scheduling gate left",
     [node("n1"), pod("a", gates=["example.com/x"]), later("4m", pod("a"))]),
    ("others-that-come-are-no-cause", "podgroup/g", "in 8m55s, at 9m0s, when PodGroup t/v ends",
     [node("n1"), group("v", 1), lasting(pod("v-0", 4, on="n1", group="v"), "9m"),
      *gang("g", 1, cpu=2), later("9m", pod("x", 1))]),
    ("a-pod-of-a-job-that-runs-as-long-as-those-before-it", "pod/p",
     "in 10m0s, at 10m0s, when Pod t/j-2 ends; an estimate: earlier pods of Job t/j ran 10m0s",
     [node("n1"), job("j", {}), of_job(ended(pod("j-0", 4, on="n1"), "Succeeded", 10)),
      of_job(pod("j-2", 4, on="n1")), pod("p", 1)]),
    ("a-pod-that-failed-is-no-example", "pod/p",
     "unknown: nothing that runs or is planned is known to let it run",
     [node("n1"), job("j", {}), of_job(ended(pod("j-0", 4, on="n1"), "Failed", 10)),
      of_job(pod("j-2", 4, on="n1")), pod("p", 1)]),
    ("a-deadline-ends-a-pod-before-its-time", "pod/p", "in 4m55s, at 5m0s, when Pod t/j-2 ends",
     [node("n1"), job("j", {}), of_job(ended(pod("j-0", 4, on="n1"), "Succeeded", 10)),
      of_job(pod("j-2", 4, on="n1", activeDeadlineSeconds=300)), pod("p", 1)]),
    ("a-job-set-that-ends", "pod/p", "in 9m55s, at 10m0s, when JobSet t/s (s-w-0) ends",
     [node("n1"), running_for("10m", job_set("s", 1, 2, 2)), later("1s", pod("p"))]),
    ("replicas-that-end", "pod/p", "in 9m55s, at 10m0s, when LeaderWorkerSet t/l (l-0) ends",
     [node("n1"), leader_worker_set("l", 1, 2, 2, runs_for="10m"), later("1s", pod("p"))]),
    ("a-cron-job-between-its-times", "cronjob/c", "its next Job in 9m55s, at 10m0s",
     [node("n1"), cron_job("c", "*/10 * * * *", 1)]),
    ("a-cron-job-that-is-suspended", "cronjob/c", "",
     [node("n1"), cron_job("c", "*/10 * * * *", 1, suspend=True)]),
    ("a-job-that-runs-as-long-as-the-one-before-it", "pod/p",
     "in 20m0s, at 20m0s, when Pod t/j-2 ends; an estimate: earlier Jobs of CronJob t/nightly ran "
     "20m0s",
     [node("n1"), cron(), job("j", {}, "nightly"),
      job("before", complete(20), "nightly"),
      of_job(pod("j-2", 4, on="n1")), pod("p", 1)]),
]


def problem_with(program, situation, scratch):
    """What is wrong, or None."""
    _, asked, said, objects = situation
    found = explain(program, asked, objects, scratch, "--until", "5s")["next"]
    return None if found == said else f"expected '{said}', found '{found}'"


if __name__ == "__main__":
    through(SITUATIONS, problem_with, __doc__)
