"""What the scheduler writes, as the API server's audit log has it: no call lost, none twice."""

import collections

from objects import gang, node, pod
from permissions import only_tutti
from stack import wait_until


def tests(version):
    yield "writes/a-gang-on-one-nominated-node-loses-no-race", nominated
    yield "writes/gangs-are-bound-with-one-call-per-pod", one_call


def all_bound(api):
    pods = api.list("Pod", "t")
    return all(pod["spec"].get("nodeName") for pod in pods) and len(pods)


def problems_since(world, start):
    """Of the audited calls from the start-th on."""
    calls = world.stack.audit()[start:]
    codes = collections.Counter()
    bindings = collections.Counter()
    for call in calls:
        reference = call.get("objectRef", {})
        code = call["responseStatus"]["code"]
        if call["verb"] in ("create", "patch", "update", "delete") and code >= 400:
            codes[f"{call['verb']} {reference.get('resource')}/{reference.get('subresource', '')} "
                  f"answered {code}"] += 1
        if reference.get("subresource") == "binding":
            bindings[reference["name"]] += 1
    twice = [name for name, count in bindings.items() if count > 1]
    return ([f"{what}, {count} times" for what, count in codes.items()] +
            ([f"bound by more than one call: {', '.join(twice)}"] if twice else []))


def nominated(world):
    """Pods that name the node beforehand, and whose group comes last."""
    only_tutti(world)
    world.clean()
    api, start = world.api, len(world.stack.audit())
    api.create(node("n1"))
    names = [f"p{index}" for index in range(8)]
    for name in names:
        api.create(pod(name, "t", group="g"))
        api.patch("Pod", "t", name, {"status": {"nominatedNodeName": "n1"}}, "status")
    api.create(gang(api.group_version("PodGroup"), "g", len(names), "t"))
    wait_until(lambda: all_bound(api) == len(names), 20, what="the gang to be bound")
    return problems_since(world, start)


def one_call(world):
    """Ten gangs of ten at once: a binding each, and nothing that the API server refuses."""
    only_tutti(world)
    world.clean()
    api, start = world.api, len(world.stack.audit())
    api.many(api.create, [node(f"n{index}", cpu=10) for index in range(10)])
    version = api.group_version("PodGroup")
    for index in range(10):
        api.create(gang(version, f"g{index}", 10, "t"))
    api.many(api.create, [pod(f"g{index}-{member}", "t", group=f"g{index}")
                          for index in range(10) for member in range(10)])
    wait_until(lambda: all_bound(api) == 100, 30, what="all gangs to be bound")
    return problems_since(world, start)
