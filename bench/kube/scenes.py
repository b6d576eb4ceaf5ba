"""The clusters that are measured: all objects exist before a scheduler starts.

A scene is made once in a real API server and then kept as a copy of etcd's data, so that every side
begins with the same bytes.
"""

import hashlib
import inspect
import pathlib
import shutil
import sys
from typing import NamedTuple

import objects
from stack import Stack

CACHE = pathlib.Path("~/.cache/tutti/bench-kube").expanduser()
SCHEDULER = "measured"
NAMESPACE = "bench"
RACK = "example.com/rack"
NODES_PER_RACK = 50
MEMBERS = 64


class Scene(NamedTuple):
    name: str
    nodes: int
    pods: int  # of gangs: a multiple of MEMBERS

    @property
    def gangs(self):
        return 0 if self.name == "plain" else self.pods // MEMBERS


def nodes_of(scene):
    for i in range(scene.nodes):
        yield objects.node(f"n{i:05}", cpu=32, memory="256Gi", pods=110,
                           labels={RACK: f"r{i // NODES_PER_RACK:03}"})


def groups_of(scene, api_version):
    constraints = {}
    if scene.name == "racks":
        constraints = {"schedulingConstraints": {"topology": [{"key": RACK}]}}
    for i in range(scene.gangs):
        yield objects.gang(api_version, f"g{i:03}", MEMBERS, NAMESPACE, **constraints)


def pods_of(scene):
    for i in range(scene.pods):
        group = f"g{i // MEMBERS:03}" if scene.gangs else None
        yield objects.pod(f"p{i:05}", NAMESPACE, cpu="1", scheduler=SCHEDULER, group=group)


def state_of(scene, version):
    """The folder with the scene's data for Stack.restore(); made when it is not there."""
    recipe = inspect.getsource(sys.modules[__name__]) + inspect.getsource(objects)
    digest = hashlib.sha256(recipe.encode()).hexdigest()[:8]
    folder = CACHE / f"{version}-{scene.name}-{scene.nodes}-{scene.pods}-{digest}"
    if not folder.exists():
        print(f"Preparing {scene.pods} pods ({scene.name}) on {scene.nodes} nodes, {version}",
              file=sys.stderr)
        _make(scene, version, folder)
    return folder


def _make(scene, version, folder):
    with Stack(version) as stack:
        api = stack.api
        api.create(objects.namespace(NAMESPACE))
        api.many(api.create, nodes_of(scene))
        if scene.gangs:
            api.many(api.create, groups_of(scene, api.group_version("PodGroup")))
        api.many(api.create, pods_of(scene))
        unfinished = folder.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        CACHE.mkdir(parents=True, exist_ok=True)
        stack.save(unfinished)
        unfinished.rename(folder)
