#!/usr/bin/env python3
"""What waiting is put down to over a run, while verdicts change between attempts.

    pending_times.py TUTTI [NAME...]

A situation passes when `tutti capacity` gives each blocker the time it says.
"""
import json
import pathlib
import subprocess

from nexts import lasting
from objects import gang, node, pod, priority_class
from situations import later
from through import through


def gone(made, when):
    made["metadata"]["annotations"]["tutti.dev/delete-at"] = when
    return made


# Time goes no further than to the last thing that happens.
END = later("1h", priority_class("end", 1))

# name, {blocker: waited}, objects; after an hour
SITUATIONS = [
    ("the-same-all-the-time", {"capacity": "1h0m0s"},
     [node("n1"), pod("a", 4, on="n1"), pod("p", 1)]),
    ("the-only-node-is-cordoned-later", {"capacity": "10m0s", "taints": "50m0s"},
     [node("n1"), pod("a", 4, on="n1"), pod("p", 1), later("10m", node("n1", cordoned=True))]),
    ("others-take-what-was-free-in-crumbs", {"fragmentation": "20m0s", "capacity": "40m0s"},
     [node("n1"), node("n2"), pod("a", 2, on="n1"), pod("b", 2, on="n2"),
      pod("p", 4, priority=5, preemptionPolicy="Never"), later("20m", pod("c", 1))]),
    ("a-member-goes-away", {"capacity": "30m0s", "incomplete": "30m0s"},
     [node("n1"), pod("a", 4, on="n1"), *gang("g", 1, 2), gone(pod("g-9", group="g"), "30m")]),
    ("whoever-waits-goes-away", {"capacity": "15m0s"},
     [node("n1"), pod("a", 4, on="n1"), gone(pod("p", 1), "15m")]),
    ("what-runs-in-the-end", {"capacity": "25m0s"},
     [node("n1"), lasting(pod("a", 4, on="n1"), "25m"), pod("p", 1)]),
]


def problem_with(program, situation, scratch):
    """What is wrong, or None."""
    _, said, objects = situation
    path = pathlib.Path(scratch) / "cluster.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [*objects, END]}))
    done = subprocess.run([program, "capacity", "-f", str(path), "-o", "json", "--until", "1h"],
                          capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise RuntimeError(f"exit {done.returncode}: {done.stderr.strip()}")
    found = {cost["blocker"]: cost["waited"] for cost in json.loads(done.stdout)["pendingTime"]}
    return None if found == said else f"expected {said}, found {found}"


if __name__ == "__main__":
    through(SITUATIONS, problem_with, __doc__)
