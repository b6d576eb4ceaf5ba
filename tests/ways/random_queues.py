#!/usr/bin/env python3
"""Ways out of queues in small random worlds.

    random_queues.py TUTTI [WORLDS [FIRST_SEED]]

A random world of flavors, queues, cohorts and Workloads is run, and what came of it is written
down, so that the input is the state that the ways are about. For every Workload that waits in it,
every way that is named, applied to the input, lets it be admitted.
"""
import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile

from queues import NAMESPACE, flavor, pool, quota, queue, rank, work
from run import applied, explain


def random_queue(chance, index, flavors):
    chosen = chance.sample(flavors, chance.randint(1, len(flavors)))
    cohort = chance.choice([None, "all", "all"])
    more = {}
    if chance.random() < 0.3:
        more["queueingStrategy"] = "StrictFIFO"
    if chance.random() < 0.4:
        more["preemption"] = {
            "withinClusterQueue": chance.choice(["Never", "LowerPriority"]),
            "reclaimWithinCohort": chance.choice(["Never", "LowerPriority", "Any"])}
    quotas = [quota(name, chance.choice([0, 4, 8, 12]),
                    borrow=chance.choice([None, 0, 4]) if cohort else None) for name in chosen]
    return queue(f"q{index}", *quotas, cohort=cohort, **more)


def random_world(chance):
    names = ["a", "b", "c"][:chance.randint(1, 3)]
    objects = [NAMESPACE, rank("high", 100), rank("mid", 10)]
    for name in names:
        objects.append(flavor(name, pool=name))
        objects += pool(name, chance.randint(1, 2), chance.choice([4, 8]))
    queues = chance.randint(1, 3)
    for index in range(queues):
        objects += random_queue(chance, index, names)
    for index in range(chance.randint(3, 7)):
        more = {}
        if chance.random() < 0.25:
            more["nodeSelector"] = {"pool": chance.choice(names)}
        objects.append(work(f"w{index}", chance.randint(1, 4), chance.choice([1, 2, 4]),
                            into=f"q{chance.randrange(queues)}", at=index,
                            priority=chance.choice([None, None, 10, 50]), **more))
    return objects


def settled(program, objects, scratch):
    """The world as a run leaves it."""
    path = pathlib.Path(scratch) / "world.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    done = subprocess.run([program, "run", "-f", str(path), "-o", "json", "--check"],
                          capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise RuntimeError(f"exit {done.returncode}: {done.stderr.strip()}")
    left = [made for made in json.loads(done.stdout)["items"] if made["kind"] != "Event"]
    for made in left:
        made["metadata"].get("annotations", {}).pop("tutti.dev/at", None)
    return left


def problem_of_world(program, seed, scratch, kinds):
    objects = settled(program, random_world(random.Random(seed)), scratch)
    for made in objects:
        if made["kind"] != "Workload":
            continue
        asked = "kwl/" + made["metadata"]["name"]
        verdict = explain(program, asked, objects, scratch)
        if verdict["state"] == "Running":
            continue
        kinds["waiting"] += 1
        for way in verdict["ways"]:
            kinds[way["kind"]] += 1
            after = explain(program, asked, applied(objects, way), scratch)
            if after["state"] != "Running":
                return (f"{asked}: '{way['summary']}' was applied, and it is {after['state']}: "
                        f"{after['summary']}")
    return None


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = sys.argv[1]
    worlds = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    failed = 0
    kinds = collections.Counter()
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(first, first + worlds):
            problem = problem_of_world(program, seed, scratch, kinds)
            if problem:
                failed += 1
                print(f"seed {seed}: {problem}")
    print(f"{worlds} worlds, {failed} failed; " +
          ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))
    sys.exit(1 if failed or not kinds["waiting"] else 0)


if __name__ == "__main__":
    main()
