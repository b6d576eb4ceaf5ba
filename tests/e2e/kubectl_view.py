"""What people see: the real kubectl of the same version, looking at what the scheduler did."""

import re
import time

from objects import gang, node, pod
from stack import wait_until


def tests(version):
    yield "kubectl/pods-show-their-nodes", pods_show_their_nodes
    yield "kubectl/describe-tells-where-a-pod-went", describe_scheduled
    yield "kubectl/describe-tells-why-a-pod-waits", describe_waiting
    yield "kubectl/podgroups-show-their-condition", podgroups
    yield "kubectl/delete-and-wait-work", delete_and_wait
    yield "kubectl/a-waiting-pod-is-left-alone", waiting_is_silent


def says(text, *patterns):
    """A problem for each pattern that the text does not match."""
    return [f"expected /{pattern}/ in:\n{text}" for pattern in patterns
            if not re.search(pattern, text, re.MULTILINE)]


def has_condition(api, name, status, reason=None):
    found = api.get("Pod", "t", name)
    return any(c["type"] == "PodScheduled" and c["status"] == status and
               reason in (None, c.get("reason"))
               for c in found["status"].get("conditions", []))


def running(api, *names):
    wait_until(lambda: all((api.get("Pod", "t", name) or {}).get("status", {}).get("phase") ==
                           "Running" for name in names), 20, what=f"{names} to run")


def pods_show_their_nodes(world):
    world.clean()
    world.api.create(node("n1", cpu=1))
    world.api.create(pod("a", "t"))
    running(world.api, "a")
    world.api.create(pod("b", "t"))
    wait_until(lambda: has_condition(world.api, "b", "False"), 20, what="b to be refused")
    text = world.stack.kubectl("get", "pods", "-n", "t", "-o", "wide")
    return says(text, r"^a +0/1 +Running .* n1 ", r"^b +0/1 +Pending .* <none> ")


def describe_scheduled(world):
    world.clean()
    world.api.create(node("n1"))
    world.api.create(pod("a", "t"))
    running(world.api, "a")
    describe = lambda: world.stack.kubectl("describe", "pod", "-n", "t", "a")
    wait_until(lambda: "Successfully assigned" in describe(), 10, 0.2, "the event Scheduled")
    return says(describe(), r"^Node: +n1", r"PodScheduled +True",
                r"Normal +Scheduled .*default-scheduler .*Successfully assigned t/a to n1$")


def describe_waiting(world):
    world.clean()
    world.api.create(node("n1", cpu=2))
    world.api.create(node("n2", cpu=64, taints=[{"key": "k", "value": "v", "effect": "NoSchedule"}]))
    world.api.create(pod("a", "t", cpu=4))
    describe = lambda: world.stack.kubectl("describe", "pod", "-n", "t", "a")
    wait_until(lambda: "FailedScheduling" in describe(), 10, 0.2, "the event FailedScheduling")
    return says(describe(), r"^Node: +<none>", r"PodScheduled +False",
                r"Warning +FailedScheduling .*default-scheduler .*0/2 nodes are available: ",
                r"1 Insufficient cpu", r"1 node\(s\) had untolerated taint")


def podgroups(world):
    world.clean()
    api = world.api
    version = api.group_version("PodGroup")
    api.create(node("n1", cpu=3))
    for name, minimum in (("fits", 2), ("waits", 2)):
        api.create(gang(version, name, minimum, "t"))
        for index in range(minimum):
            api.create(pod(f"{name}-{index}", "t", group=name))
    running(api, "fits-0", "fits-1")

    def described(name):
        return world.stack.kubectl("describe", "podgroup", "-n", "t", name)
    wait_until(lambda: "Unschedulable" in described("waits"), 10, 0.2, "the group's condition")
    listed = world.stack.kubectl("get", "podgroups", "-n", "t")
    return (says(listed, r"^NAME ", r"^fits ", r"^waits ") +
            says(described("fits"), r"Status: +True", r"Reason: +Scheduled") +
            says(described("waits"), r"Status: +False", r"Reason: +Unschedulable", r"Message: +\S"))


def delete_and_wait(world):
    """A pod that fits only when another is deleted."""
    world.clean()
    world.kubelets.end_deletions = True
    try:
        world.api.create(node("n1", cpu=1))
        world.api.create(pod("a", "t"))
        running(world.api, "a")
        world.api.create(pod("b", "t"))
        world.stack.kubectl("delete", "pod", "-n", "t", "a", "--timeout=20s")
        text = world.stack.kubectl("wait", "pod", "-n", "t", "b", "--for=condition=PodScheduled",
                                   "--timeout=20s")
        return says(text, "condition met")
    finally:
        world.kubelets.end_deletions = False


def waiting_is_silent(world):
    """Attempts that end as before write nothing: neither the pod nor its event changes."""
    world.clean()
    world.api.create(node("n1", cpu=2))
    world.api.create(pod("a", "t", cpu=4))
    wait_until(lambda: has_condition(world.api, "a", "False", "Unschedulable"), 10,
               what="a to be refused")
    wait_until(lambda: world.api.list("Event", "t"), 10, what="the event")
    before = world.api.get("Pod", "t", "a")["metadata"]["resourceVersion"]
    # Something that wakes it without helping it, a few times over its backoff.
    for index in range(3):
        world.api.patch("Node", None, "n1", {"metadata": {"labels": {"turn": str(index)}}})
        time.sleep(0.7)
    after = world.api.get("Pod", "t", "a")["metadata"]["resourceVersion"]
    return [] if before == after else [f"the pod was written: version {before}, then {after}"]
