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


def explain(program, asked, objects, scratch, *options):
    path = pathlib.Path(scratch) / "cluster.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    done = subprocess.run(
        [program, "explain", asked, "-n", "t", "-f", str(path), "-o", "json", *options],
        capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise RuntimeError(f"exit {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def parts_of(path):
    return [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]


def key_in(container, part):
    return int(part) if isinstance(container, list) else part


def has(container, part):
    if isinstance(container, list):
        return part.isdigit() and int(part) < len(container)
    return part in container


def apply_step(document, step):
    """Refuses what RFC 6902 refuses, as kubectl does: a place that is not there, or above it."""
    *above, last = parts_of(step["path"])
    place = document
    for part in above:
        if not has(place, part):
            raise RuntimeError(f"{step['op']} {step['path']}: there is no {part}")
        place = place[key_in(place, part)]
    if step["op"] != "add" and not has(place, last):
        raise RuntimeError(f"{step['op']} {step['path']}: there is no {last}")
    if step["op"] == "remove":
        del place[key_in(place, last)]
    elif step["op"] == "add" and isinstance(place, list):
        place.insert(len(place) if last == "-" else int(last), step["value"])
    else:
        place[key_in(place, last)] = step["value"]


def is_named(document, name):
    meta = document["metadata"]
    if name.get("apiVersion", document["apiVersion"]) != document["apiVersion"]:
        return False
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


def remove(objects, document):
    """With what it owns."""
    objects.remove(document)
    uid = document["metadata"].get("uid")
    owned = [each for each in objects
             if uid and any(owner["uid"] == uid
                            for owner in each["metadata"].get("ownerReferences", []))]
    for each in owned:
        remove(objects, each)


def apply_to(objects, document, change):
    if change["verb"] == "delete":
        remove(objects, document)
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


def strange_version(objects, way):
    """Of a group that is to be created, if nothing in the input says that it is served."""
    versions = {made["apiVersion"] for made in objects}
    groups = {version for version in versions if version.startswith("scheduling.k8s.io/v1")}
    groups.discard("scheduling.k8s.io/v1")
    for change in way["changes"]:
        version = change.get("manifest", {}).get("apiVersion", "")
        if change.get("manifest", {}).get("kind") == "PodGroup" and \
                version.startswith("scheduling.k8s.io/") and groups and version not in groups:
            return version
    return None


def verdict_of(verdict):
    """In the form of situations.py."""
    need, have = verdict["need"], verdict["have"]
    return (verdict["state"], verdict["blocker"],
            {what: f"{need[what]}/{have[what]}" for what in need})


def is_said(way, said):
    """`said` is a kind, or "kind: the end of its summary"."""
    kind, _, end = said.partition(": ")
    return way["kind"] == kind and way["summary"].endswith(end)


def problem_with(program, situation, scratch):
    """What is wrong, or None."""
    _, asked, said, kinds, objects, *options = situation
    verdict = explain(program, asked, objects, scratch, *options)
    if verdict_of(verdict) != said:
        return f"expected {said}\n  found {verdict_of(verdict)}\n{verdict['summary']}"
    ways = verdict["ways"]
    text = "\n".join(f"    {way['kind']}: {way['summary']}" for way in ways)
    if len(ways) != len(kinds) or not all(map(is_said, ways, kinds)):
        return f"expected {kinds}\n{verdict['state']} {verdict['summary']}\n{text}"
    for way in verdict["ways"]:
        if strange_version(objects, way):
            return f"'{way['summary']}' is of {strange_version(objects, way)}"
        after = explain(program, asked, applied(objects, way), scratch, *options)
        if after["state"] != "Running":
            return f"'{way['summary']}' was applied, and it is {after['state']}: {after['summary']}"
    return None


if __name__ == "__main__":
    through(SITUATIONS, problem_with, __doc__)
