#!/usr/bin/env python3
"""Ways on small random clusters, against trying everything.

    random_clusters.py TUTTI [CLUSTERS [FIRST_SEED]]

A random cluster is run, and what came of it is written down with everyone on their nodes, so that
the input is the state that the ways are about. For each such state and everything in it that waits:

  * every way, applied to the input, lets the object run;
  * the minimum it names is the largest that does, and when it names none, none does;
  * the others it would end are as few as any set of others whose absence does, with as few pods on
    nodes as any set of as many, and when it names none, no set does.

In half of the clusters nobody who waits has a PodGroup: there are pods that name their gang in the
words of other schedulers, or a Job or a workload of another project.
"""
import itertools
import json
import pathlib
import random
import subprocess
import sys
import tempfile

from objects import (PLUGINS, VOLCANO, begins_with, foreign_group, foreign_pods, gang, group, job,
                     kueue_pods, node, pod, pytorch_job, volcano_job)
from run import applied, explain, key_in, parts_of

TAINTS = [("team", "ml"), ("team", "web")]


def random_nodes(chance):
    nodes = []
    for index in range(chance.randint(2, 4)):
        nodes.append(node(f"n{index}", chance.randint(2, 6), rack=f"r{chance.randint(0, 1)}",
                          zone="z0", taint=chance.choice(TAINTS) if chance.random() < 0.2 else None,
                          cordoned=chance.random() < 0.15))
    return nodes


def room_of(nodes):
    return {made["metadata"]["name"]: int(made["status"]["allocatable"]["cpu"]) for made in nodes}


def random_running(chance, nodes):
    """Pods and gangs on nodes with room for them."""
    room = room_of(nodes)
    objects = []
    for index in range(chance.randint(0, 4)):
        priority = chance.choice([0, 0, 5])
        size = chance.randint(1, 2) if chance.random() < 0.4 else 0
        names = []
        made = [group(f"v{index}", size, priority=priority)] if size else []
        for member in range(max(size, 1)):
            cpu = chance.randint(1, 3)
            free = [name for name, left in room.items() if left >= cpu]
            if not free:
                break
            where = chance.choice(free)
            room[where] -= cpu
            names.append(f"v{index}-{member}")
            made.append(pod(names[-1], cpu, on=where, group=f"v{index}" if size else None,
                            priority=priority))
        if len(names) < max(size, 1):
            continue
        objects += made
    return objects


def random_asker(chance, index):
    """A gang or a pod that may not fit."""
    name = f"a{index}"
    spec = {}
    if chance.random() < 0.2:
        spec["nodeSelector"] = {"rack": f"r{chance.randint(0, 2)}"}
    cpu = chance.randint(1, 4)
    priority = chance.choice([0, 0, 3])
    if chance.random() < 0.4:
        return f"pod/{name}", [pod(name, cpu, priority=priority, **spec)], None
    pods = chance.randint(2, 4)
    key = "rack" if chance.random() < 0.4 else None
    minimum = chance.randint(2, pods)
    return f"podgroup/{name}", gang(name, pods, minimum, key, group_priority=priority, cpu=cpu,
                                    **spec), OWN


def by_kueue(name, pods, minimum, cpu, spec):
    return kueue_pods(name, pods, cpu, minimum, **spec)


def by_volcano(name, pods, minimum, cpu, spec):
    return [foreign_group(name, minimum, VOLCANO), *foreign_pods(name, pods, cpu, **spec)]


def by_plugins(name, pods, minimum, cpu, spec):
    return [foreign_group(name, minimum, PLUGINS), *foreign_pods(name, pods, cpu, PLUGINS, **spec)]


def by_job(name, pods, minimum, cpu, spec):
    policy = {"schedulingPolicy": {"gang": {"minCount": minimum}}}
    return [job(name, pods, cpu, policy, **spec)]


def by_volcano_job(name, pods, minimum, cpu, spec):
    made = volcano_job(name, pods, cpu, **spec)
    made["spec"]["minAvailable"] = minimum
    return [made]


def by_pytorch_job(name, pods, minimum, cpu, spec):
    return [pytorch_job(name, pods, cpu, minimum, **spec)]


# How a gang is said without a PodGroup, and where its minimum is: of which kind, at which place.
WORDS = [(by_kueue, "podgroup/", "Pod",
          "/metadata/annotations/kueue.x-k8s.io~1pod-group-total-count"),
         (by_volcano, "podgroup/", "PodGroup", "/spec/minMember"),
         (by_plugins, "podgroup/", "PodGroup", "/spec/minMember"),
         (by_job, "job/", "Job", "/spec/scheduling/schedulingPolicy/gang/minCount"),
         (by_volcano_job, "podgroup/", "Job", "/spec/minAvailable"),
         (by_pytorch_job, "podgroup/", "PyTorchJob",
          "/spec/runPolicy/schedulingPolicy/minAvailable")]


def random_words(chance):
    """A gang without a PodGroup, and where its minimum is."""
    make, prefix, kind, place = chance.choice(WORDS)
    spec = {}
    if chance.random() < 0.2:
        spec["nodeSelector"] = {"rack": f"r{chance.randint(0, 2)}"}
    if chance.random() < 0.3:
        spec["initContainers"] = [begins_with(chance.randint(1, 6),
                                              stays=chance.random() < 0.3)]
    if chance.random() < 0.15:
        gates = [{"name": "example.com/x"}]
        spec["schedulingGates"] = gates
    pods = chance.randint(2, 4)
    minimum = chance.randint(2, pods)
    return prefix + "a0", make("a0", pods, minimum, chance.randint(1, 4), spec), (kind, place)


def state_after(program, objects, scratch):
    """The same objects once everything has come to rest."""
    path = pathlib.Path(scratch) / "before.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    done = subprocess.run([program, "run", "-f", str(path), "-o", "json", "--kinds", "pods"],
                          capture_output=True, text=True, timeout=60, check=True)
    where = {made["metadata"]["name"]: made["spec"].get("nodeName")
             for made in json.loads(done.stdout)["items"]}
    state = []
    for made in json.loads(json.dumps(objects)):
        if made["kind"] == "Pod":
            if made["metadata"]["name"] not in where:
                continue
            if where[made["metadata"]["name"]]:
                made["spec"]["nodeName"] = where[made["metadata"]["name"]]
        state.append(made)
    return state


def units_of(objects, asked):
    """Names of pods that end together, of everyone who runs but the one asked about."""
    units, running = {}, set()
    for made in objects:
        if made["kind"] != "Pod":
            continue
        name = made["metadata"]["name"]
        unit = made["spec"].get("schedulingGroup", {}).get("podGroupName", name)
        units.setdefault(unit, []).append(name)
        if "nodeName" in made["spec"]:
            running.add(unit)
    return [units[unit] for unit in sorted(running - {asked.split("/")[1]})]


def without(objects, names):
    return [made for made in objects if made["metadata"]["name"] not in names]


def runs(program, asked, objects, scratch):
    return explain(program, asked, objects, scratch)["state"] == "Running"


def weight_of(units, objects):
    """How many units, and how many pods of them on nodes."""
    names = set(sum(units, []))
    return len(units), sum(1 for made in objects if made["kind"] == "Pod"
                           and "nodeName" in made["spec"] and made["metadata"]["name"] in names)


def fewest(program, asked, objects, units, scratch):
    """The least weight of units that have to end, by trying; None: no set does."""
    for size in range(1, len(units) + 1):
        sets = sorted(itertools.combinations(units, size),
                      key=lambda chosen: weight_of(chosen, objects))
        for chosen in sets:
            if runs(program, asked, without(objects, set(sum(chosen, []))), scratch):
                return weight_of(chosen, objects)
    return None


OWN = ("PodGroup", "/spec/schedulingPolicy/gang/minCount")


def minimum_at(made, place):
    for part in parts_of(place):
        made = made[key_in(made, part)]
    return int(made)


def counts(made, name, kind):
    """Whether it is what the minimum of the gang is written in."""
    own = made["metadata"]["name"]
    return made["kind"] == kind and (own == name or kind == "Pod" and own.startswith(name + "-"))


def largest_minimum(program, asked, objects, where, scratch):
    name = asked.split("/")[1]
    kind, place = where
    written = [made for made in objects if counts(made, name, kind)]
    value = str if kind == "Pod" else int
    for minimum in range(minimum_at(written[0], place) - 1, 0, -1):
        way = {"changes": [{"verb": "patch", "objects": [
            {"kind": kind, "namespace": "t", "name": made["metadata"]["name"]}
            for made in written], "patch": [
                {"op": "replace", "path": place, "value": value(minimum)}]}]}
        if runs(program, asked, applied(objects, way), scratch):
            return minimum
    return None


def minimum_named(ways):
    steps = [way["changes"][0]["patch"][0] for way in ways if way["kind"] == "minCount"]
    return int(steps[0]["value"]) if steps else None


def weight_named(ways, units, objects):
    for way in ways:
        if way["kind"] != "free":
            continue
        ended = {name["name"] for name in way["changes"][0]["objects"]}
        return weight_of([unit for unit in units if set(unit) <= ended], objects)
    return None


def judge(program, asked, objects, where, scratch):
    """What is wrong with the ways of one asker, how many there are."""
    verdict = explain(program, asked, objects, scratch)
    if verdict["state"] not in ("Waiting", "Impossible", "Held"):
        return None, 0
    units = units_of(objects, asked)
    ways = verdict["ways"]
    for way in ways:
        if not runs(program, asked, applied(objects, way), scratch):
            return f"'{way['summary']}' does not help", len(ways)
    least = fewest(program, asked, objects, units, scratch)
    named = weight_named(ways, units, objects)
    if named != least:
        return f"it would end {named} units and pods, {least} do", len(ways)
    if where:
        best = largest_minimum(program, asked, objects, where, scratch)
        if minimum_named(ways) != best:
            return f"minimum {minimum_named(ways)} was named, {best} works", len(ways)
    return None, len(ways)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = sys.argv[1]
    clusters = int(sys.argv[2]) if len(sys.argv) > 2 else 120
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    askers = total = failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(first, first + clusters):
            chance = random.Random(seed)
            nodes = random_nodes(chance)
            running = random_running(chance, nodes)
            if chance.random() < 0.5:
                made = [random_words(chance)]
            else:
                made = [random_asker(chance, index) for index in range(chance.randint(1, 2))]
            objects = nodes + running + sum((asker[1] for asker in made), [])
            state = state_after(program, objects, scratch)
            for asked, _, where in made:
                problem, ways = judge(program, asked, state, where, scratch)
                askers, total = askers + (ways > 0), total + ways
                if problem:
                    failed += 1
                    print(f"seed {seed}, {asked}: {problem}")
    print(f"{clusters} clusters, {askers} askers with {total} ways, {failed} failed")
    sys.exit(1 if failed or not total else 0)


if __name__ == "__main__":
    main()
