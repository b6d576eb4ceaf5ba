"""Gangs of dozens on a cluster as they are: every member with a token of its own, an index label,
Services beside it, and maybe a host that somebody chose for it."""

from objects import gang, node, pod
from permissions import only_tutti
from stack import wait_until
from writes import all_bound

MEMBERS = 60
PREFERRED = "kueue.x-k8s.io/podset-preferred-topology"
REQUIRED = "kueue.x-k8s.io/podset-required-topology"
HOST = "kubernetes.io/hostname"


def tests(version):
    for annotation in (PREFERRED, REQUIRED):
        word = annotation.split("-")[-2]
        yield (f"large-gangs/{MEMBERS}-with-a-{word}-rack",
               lambda world, annotation=annotation: racked(world, annotation))
    yield f"large-gangs/{MEMBERS}-pinned-to-hosts", pinned


def stage(world):
    """Two racks with a place for every member in each, and Services that select other pods, and one
    of the members."""
    only_tutti(world)
    world.clean()
    world.api.many(world.api.create, [
        node(f"r{rack}-n{index:02d}", cpu=1, labels={"rack": f"r{rack}"})
        for rack in range(2) for index in range(MEMBERS)])
    for name, selector in (("web", {"app": "web"}), ("leader", {"index": "0"})):
        if world.api.get("Service", "t", name) is None:
            world.api.create({"apiVersion": "v1", "kind": "Service",
                              "metadata": {"name": name, "namespace": "t"},
                              "spec": {"selector": selector, "ports": [{"port": 80}]}})


def run_gang(world, members):
    api = world.api
    api.create(gang(api.group_version("PodGroup"), "g", MEMBERS, "t"))
    api.many(api.create, members)
    wait_until(lambda: all_bound(api) == MEMBERS, 20, what=f"{MEMBERS} members to be bound")
    pods = api.list("Pod", "t")
    tokens = {volume["name"] for pod_ in pods for volume in pod_["spec"]["volumes"]}
    return pods, [] if len(tokens) == MEMBERS else ["members have no tokens of their own"]


def racked(world, annotation):
    stage(world)
    members = [pod(f"w-{index:02d}", "t", group="g", labels={"index": str(index)})
               for index in range(MEMBERS)]
    for member in members:
        member["metadata"]["annotations"] = {annotation: "rack"}
    pods, problems = run_gang(world, members)
    racks = {pod_["spec"]["nodeName"].split("-")[0] for pod_ in pods}
    return problems + ([] if len(racks) == 1 else [f"the gang is in {sorted(racks)}"])


def pinned(world):
    stage(world)
    members = [pod(f"w-{index:02d}", "t", group="g", labels={"index": str(index)},
                   nodeSelector={HOST: f"r{index % 2}-n{index:02d}"}) for index in range(MEMBERS)]
    return run_gang(world, members)[1]
