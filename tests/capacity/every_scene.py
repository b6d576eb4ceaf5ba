#!/usr/bin/env python3
"""`tutti capacity` on every scenario and example: what must hold whatever the cluster is.

    every_scene.py TUTTI

Every device is counted once, no domain holds more than the cluster, what is blocked waits, and
the same input gives the same bytes, page included.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def scenes():
    for cluster in sorted(ROOT.glob("tests/scenario/*/cluster.yaml")):
        config = cluster.parent / "config.yaml"
        yield ["-f", str(cluster), *(["--config", str(config)] if config.exists() else [])]
    for folder in sorted(ROOT.glob("examples/*/")):
        if list(folder.glob("*.yaml")) and not list(folder.glob("*.expect.yaml")):
            yield ["-f", str(folder)]


def ask(tutti, scene, page):
    return subprocess.run([tutti, "capacity", *scene, "-o", "json", "--html", str(page)],
                          capture_output=True, text=True, timeout=60, check=False)


def wrong_devices(report):
    for use in report["devices"]:
        unusable = sum(idle["devices"] for idle in use["unusable"])
        if use["total"] != use["held"] + use["idle"] or use["idle"] != use["usable"] + unusable:
            yield f"{use['name']} does not add up: {use}"
        if use["heldByIncompleteGroups"] > use["held"]:
            yield f"{use['name']}: incomplete groups hold more than is held"


def wrong_shapes(report):
    for shape in report["shapes"]:
        cluster, *levels = shape["largestGang"]
        for level in levels:
            if cluster["exact"] and level["gang"] > cluster["gang"]:
                yield f"{shape['requests']}: more in one {level['level']} than in the cluster"


def wrong_queue(report):
    waiting = {line["name"] for line in report["queue"]}
    for line in report["fragmentation"]:
        if line["name"] not in waiting:
            yield f"{line['name']} is blocked and does not wait"
    if report["head"]["name"] and report["head"]["name"] not in waiting:
        yield "the head does not wait"


def problems(tutti, scene, scratch):
    first_page, second_page = scratch / "first.html", scratch / "second.html"
    first = ask(tutti, scene, first_page)
    if first.returncode != 0:
        return [f"exit {first.returncode}: {first.stderr.strip()}"]
    again = ask(tutti, scene, second_page)
    report = json.loads(first.stdout)
    found = [*wrong_devices(report), *wrong_shapes(report), *wrong_queue(report)]
    if again.stdout != first.stdout or first_page.read_bytes() != second_page.read_bytes():
        found.append("a second run said something else")
    return found


def main():
    tutti = sys.argv[1]
    count = failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for scene in scenes():
            count += 1
            for problem in problems(tutti, scene, pathlib.Path(scratch)):
                failed += 1
                print(f"{scene[1]}: {problem}")
    print(f"{count} scenes, {failed} problems")
    sys.exit(1 if failed or not count else 0)


if __name__ == "__main__":
    main()
