#!/usr/bin/env python3
"""What `tutti explain` says about evicting others: whom, at what cost, for what gain, and of
everyone else on a node why not.

    evictions.py TUTTI [NAME...]

A situation passes when the field `preemption` has the outcome, the victims, the gain and the
reasons it says, and when the page for people is short and names the same victims.
"""
import collections
import json
import pathlib
import subprocess

from objects import disruption_budget, gang, group, node, pod
from through import through

# Victims take this long to leave, so that there is a moment to ask at.
SLOWLY = 3600
YOUNG = {"tutti.dev/min-runtime": "10m"}
LINES_MAX = 40
NAMED_MAX = 100  # of those refused, for each reason


def crowd(count, **more):
    return [pod(f"c{i:02}", 1, on=f"n{i:02}", **more) for i in range(count)]


# name, asked, outcome, victims, gain, reasons of those refused, objects
SITUATIONS = [
    ("one-of-lower-priority-gives-way", "pod/p", "evicting", ["Pod t/a"],
     {"pods": "1", "nodes": "1", "cpu": "3"}, {},
     [node("n1"), pod("a", 3, on="n1", priority=0, grace=SLOWLY), pod("p", 3, priority=10)]),
    ("those-who-matter-as-much-or-more-stay", "pod/p", "nobody", [], {},
     {"Pod t/a": "equalPriority", "Pod t/b": "higherPriority"},
     [node("n1"), pod("a", 2, on="n1", priority=10), pod("b", 2, on="n1", priority=20),
      pod("p", 3, priority=10)]),
    ("the-young-are-protected", "pod/p", "protected", [], {}, {"Pod t/a": "minRuntime"},
     [node("n1"), pod("a", 4, on="n1", priority=0, annotations=YOUNG), pod("p", 4, priority=10)]),
    ("the-young-are-spared-and-others-go", "pod/p", "evicting", ["Pod t/b"],
     {"pods": "1", "nodes": "1", "cpu": "4"}, {"Pod t/a": "minRuntime"},
     [node("n1"), node("n2"), pod("a", 4, on="n1", priority=0, annotations=YOUNG),
      pod("b", 4, on="n2", priority=0, grace=SLOWLY), pod("p", 4, priority=10)]),
    ("its-policy-forbids-it", "pod/p", "notAllowed", [], {},
     {"Pod t/a": "notAllowed", "Pod t/b": "higherPriority"},
     [node("n1"), pod("a", 2, on="n1", priority=0), pod("b", 2, on="n1", priority=50),
      pod("p", 3, priority=10, preemptionPolicy="Never")]),
    ("it-would-not-help", "podgroup/g", "useless", [], {},
     {"Pod t/a": "wouldNotHelp", "Pod t/b": "higherPriority"},
     [node("n1"), node("n2"), pod("a", 4, on="n1", priority=0), pod("b", 4, on="n2", priority=50),
      *gang("g", 2, cpu=4, group_priority=10)]),
    ("nobody-leaves-who-is-not-needed", "pod/p", "evicting", ["Pod t/a"],
     {"pods": "1", "nodes": "1", "cpu": "4"}, {"Pod t/b": "notNeeded", "Pod t/c": "higherPriority"},
     [node("n1"), node("n2"), node("n3"), pod("a", 4, on="n1", priority=0, grace=SLOWLY),
      pod("b", 4, on="n2", priority=5, grace=SLOWLY), pod("c", 4, on="n3", priority=50),
      pod("p", 4, priority=10)]),
    ("a-budget-is-respected", "pod/p", "evicting", ["Pod t/b"],
     {"pods": "1", "nodes": "1", "cpu": "4"}, {"Pod t/a": "disruptionBudget"},
     [node("n1"), node("n2"), disruption_budget("keep", "web", 0),
      pod("a", 4, on="n1", priority=0, grace=SLOWLY, labels={"app": "web"}),
      pod("b", 4, on="n2", priority=0, grace=SLOWLY), pod("p", 4, priority=10)]),
    ("a-gang-falls-together-for-a-gang", "podgroup/g", "evicting", ["PodGroup t/v"],
     {"pods": "2", "nodes": "2", "cpu": "8"}, {"Pod t/a": "higherPriority"},
     [node("n1"), node("n2"), node("n3"), group("v", 2, priority=0, together=True),
      pod("v-0", 4, on="n1", group="v", priority=0, grace=SLOWLY),
      pod("v-1", 4, on="n2", group="v", priority=0, grace=SLOWLY),
      pod("a", 4, on="n3", priority=50), *gang("g", 2, cpu=4, group_priority=10)]),
    ("hundreds-are-not-listed", "pod/p", "useless", [], {},
     {**{f"Pod t/c{i:03}": "wouldNotHelp" for i in range(100)},
      **{f"Pod t/top{i}": "higherPriority" for i in range(5)}},
     [*[node(f"x{i}", 31) for i in range(5)],
      *[pod(f"top{i}", 1, on=f"x{i}", priority=50) for i in range(5)],
      *[pod(f"c{i:03}", 1, on=f"x{i // 30}", priority=0) for i in range(150)],
      pod("p", 31, priority=10)]),
    ("many-are-counted", "pod/p", "evicting", ["Pod t/a"],
     {"pods": "1", "nodes": "1", "cpu": "3"},
     {f"Pod t/c{i:02}": "equalPriority" for i in range(60)},
     [*[node(f"n{i:02}", 1) for i in range(60)], node("x"), *crowd(60, priority=10),
      pod("a", 4, on="x", priority=0, grace=SLOWLY), pod("p", 3, priority=10)]),
]


def explain(program, asked, objects, scratch, form):
    path = pathlib.Path(scratch) / "cluster.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    done = subprocess.run([program, "explain", asked, "-n", "t", "-f", str(path), "--until", "1m",
                           "-o", form], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise RuntimeError(f"exit {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def problem_with(program, situation, scratch):
    """What is wrong, or None."""
    _, asked, outcome, victims, gain, refused, objects = situation
    verdict = json.loads(explain(program, asked, objects, scratch, "json"))
    said = verdict.get("preemption", {})
    found = {"outcome": said.get("outcome"), "gain": said.get("gain"),
             "victims": [unit["name"] for unit in said.get("victims", [])],
             "refused": {unit["name"]: unit["reason"] for unit in said.get("refused", [])}}
    wanted = {"outcome": outcome, "gain": gain, "victims": victims, "refused": refused}
    if found != wanted:
        return f"expected {wanted}\n{verdict['state']} {verdict['summary']}\nfound {found}"
    named = collections.Counter(refused.values())
    counted = {entry["reason"]: entry["count"] for entry in said["refusedCounts"]}
    if {reason: min(count, NAMED_MAX) for reason, count in counted.items()} != dict(named):
        return f"of each reason {dict(named)} are named, {counted} counted"
    if any(not unit["why"] for unit in said["refused"]):
        return "someone is refused without a word"
    page = explain(program, asked, objects, scratch, "table")
    if page.count("\n") > LINES_MAX:
        return f"the page has {page.count(chr(10))} lines"
    lost = [name for name in victims if f"evict   {name} " not in page]
    return f"the page does not say that {lost} leave" if lost else None


if __name__ == "__main__":
    through(SITUATIONS, problem_with, __doc__)
