#!/usr/bin/env python3
"""Verdicts of small situations; every way that they name is applied, and the object then runs.

    run.py TUTTI [NAME...]

A situation (situations.py) passes when the verdict has the state, the blocker and the numbers it
says, when the ways have the kinds it says, in that order, and when the cluster with any one of them
applied to its manifests ends with the object running.
"""
import copy
import json
import pathlib
import subprocess

from situations import SITUATIONS
from through import through


def explain(program, asked, objects, scratch):
    path = pathlib.Path(scratch) / "cluster.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    done = subprocess.run([program, "explain", asked, "-n", "t", "-f", str(path), "-o", "json"],
                          capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise RuntimeError(f"exit {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def parts_of(path):
    return [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]


def key_in(container, part):
    return int(part) if isinstance(container, list) else part


def apply_step(document, step):
    """What admission fills in may be missing in the input, and with it the places above."""
    *above, last = parts_of(step["path"])
    place = document
    for part, below in zip(above, above[1:] + [last]):
        if isinstance(place, dict):
            place = place.setdefault(part, [] if below == "-" else {})
        else:
            place = place[int(part)]
    if step["op"] == "remove":
        del place[key_in(place, last)]
    elif isinstance(place, list) and last == "-":
        place.append(step["value"])
    else:
        place[key_in(place, last)] = step["value"]


def is_named(document, name):
    meta = document["metadata"]
    return (document["kind"] == name["kind"] and meta["name"] == name["name"]
            and meta.get("namespace", "") == name.get("namespace", ""))


def apply_change(objects, change):
    if change["verb"] == "create":
        objects.append(change["manifest"])
        return
    for name in change["objects"]:
        found = [document for document in objects if is_named(document, name)]
        if len(found) != 1:
            raise RuntimeError(f"{name} is not in the input")
        apply_to(objects, found[0], change)


def apply_to(objects, document, change):
    if change["verb"] == "delete":
        objects.remove(document)
    elif change["verb"] == "copy":
        for number in range(change["copies"]):
            twin = copy.deepcopy(document)
            twin["metadata"]["name"] += f"-copy-{number}"
            objects.append(twin)
    else:
        for step in change["patch"]:
            apply_step(document, step)


def applied(objects, way):
    changed = json.loads(json.dumps(objects))  # no part is shared
    for change in way["changes"]:
        apply_change(changed, change)
    return changed


def verdict_of(verdict):
    """In the form of situations.py."""
    need, have = verdict["need"], verdict["have"]
    return (verdict["state"], verdict["blocker"],
            {what: f"{need[what]}/{have[what]}" for what in need})


def problem_with(program, situation, scratch):
    """What is wrong, or None."""
    _, asked, said, kinds, objects = situation
    verdict = explain(program, asked, objects, scratch)
    if verdict_of(verdict) != said:
        return f"expected {said}\n  found {verdict_of(verdict)}\n{verdict['summary']}"
    found = [way["kind"] for way in verdict["ways"]]
    text = "\n".join(f"    {way['kind']}: {way['summary']}" for way in verdict["ways"])
    if found != kinds:
        return f"expected {kinds}\n{verdict['state']} {verdict['summary']}\n{text}"
    for way in verdict["ways"]:
        after = explain(program, asked, applied(objects, way), scratch)
        if after["state"] != "Running":
            return f"'{way['summary']}' was applied, and it is {after['state']}: {after['summary']}"
    return None


if __name__ == "__main__":
    through(SITUATIONS, problem_with, __doc__)
