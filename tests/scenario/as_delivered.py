#!/usr/bin/env python3
"""Every scenario again, with its objects as a real cluster delivers them.

    as_delivered.py TUTTI [NAME...]

An API server gives every pod a volume with a token, under a name that no other pod's has, and
mounts it; every cluster has Services, Deployments and StatefulSets in other namespaces. None of it
may change what becomes of a pod or a group: node, phase and conditions are compared with those of
the scenario as it is written.
"""

import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import yaml

HERE = pathlib.Path(__file__).resolve().parent
COMPARED = {"Pod", "PodGroup", "CompositePodGroup", "Job"}

BYSTANDERS = """
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: bystanders},
 spec: {selector: {app: web}}}
---
{apiVersion: v1, kind: Service, metadata: {name: kubernetes, namespace: default}, spec: {}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: bystanders}
spec:
  replicas: 0
  selector: {matchLabels: {app: db}}
  template: {metadata: {labels: {app: db}}, spec: {containers: [{name: c, image: i}]}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: bystanders}
spec:
  replicas: 0
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i}]}}
"""


def dressed(pod, number):
    """The pod with what the service account admission plugin gives it."""
    name = f"kube-api-access-{number:05d}"
    spec = pod["spec"]
    spec.setdefault("volumes", []).append({"name": name, "projected": {"sources": [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
    ]}})
    for container in spec.get("initContainers", []) + spec["containers"]:
        container.setdefault("volumeMounts", []).append({
            "name": name, "readOnly": True,
            "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"})
    spec.setdefault("serviceAccountName", "default")


def objects_in(text):
    for document in yaml.safe_load_all(text):
        if not document:
            continue
        is_list = document.get("kind", "").endswith("List")
        yield from document["items"] if is_list else [document]


def delivered(text):
    objects = list(objects_in(text))
    pods = [each for each in objects if each["kind"] == "Pod" and "containers" in each["spec"]]
    numbers = {}  # a pod that is written twice, to be changed at some time, keeps its volume
    for pod in pods:
        name = pod["metadata"].get("namespace"), pod["metadata"]["name"]
        dressed(pod, numbers.setdefault(name, len(numbers)))
    return objects + list(objects_in(BYSTANDERS))


def outcome(program, path, options):
    """What became of everything that is compared, or the message of a run that failed."""
    run = subprocess.run([program, "run", "-f", str(path), "-o", "json", *options],
                         capture_output=True, text=True, timeout=60)
    if run.returncode != 0:
        return run.stderr
    found = {}
    for item in json.loads(run.stdout)["items"]:
        if item["kind"] not in COMPARED or item["metadata"].get("namespace") == "bystanders":
            continue
        meta, status = item["metadata"], item.get("status", {})
        found[f"{item['kind']} {meta.get('namespace')}/{meta['name']}"] = [
            item.get("spec", {}).get("nodeName"), status.get("phase"), status.get("conditions")]
    return found


def problem_with(program, scratch, folder):
    config = folder / "config.yaml"
    options = ["--config", str(config)] if config.exists() else []
    written = folder / "cluster.yaml"
    copy = scratch / f"{folder.name}.json"
    copy.write_text(json.dumps({"apiVersion": "v1", "kind": "List",
                                "items": delivered(written.read_text())}, default=str))
    expected, found = outcome(program, written, options), outcome(program, copy, options)
    if expected == found:
        return None
    if isinstance(expected, str) or isinstance(found, str):
        return f"as written {str(expected)[:300]!r}, as delivered {str(found)[:300]!r}"
    names = sorted(set(expected) | set(found))
    name = next(name for name in names if expected.get(name) != found.get(name))
    return f"{name}: as written {expected.get(name)}, as delivered {found.get(name)}"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program, names = sys.argv[1], tuple(sys.argv[2:])
    folders = sorted(scene.parent for scene in HERE.glob("*/cluster.yaml")
                     if not names or scene.parent.name.startswith(names))
    failed = 0
    with tempfile.TemporaryDirectory() as scratch, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = pool.map(lambda folder: problem_with(program, pathlib.Path(scratch), folder),
                            folders)
        for folder, problem in zip(folders, problems):
            failed += problem is not None
            if problem:
                print(f"{folder.name}: {problem}")
    print(f"{len(folders) - failed} passed, {failed} failed")
    sys.exit(1 if failed or not folders else 0)


if __name__ == "__main__":
    main()
