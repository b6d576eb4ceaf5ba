"""Why it waits, on a real cluster: what `kubectl describe` shows of waiting work is enough to act
on, and what the scheduler says of it (`tutti explain --server`) is what `tutti explain -f` says of
a snapshot. Then where to ask. The scene in which others leave is in explained_leaving.py."""

import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import threading
import time

from explained import SCHEDULER, Scene, create_group, mine
from objects import gang, node, pod
from permissions import only_tutti
from stack import binary, free_port, wait_until
from world import Skip

CONFIG = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
          "profiles": [{"schedulerName": SCHEDULER}]}

TAINT = {"key": "team", "value": "red", "effect": "NoSchedule"}
GATE = [{"name": "example.com/approval"}]
LONELY = {"app": "lonely"}
ANTI = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
    {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": LONELY}}]}}


def tests(version):
    yield "explain/describe-says-what-to-do", described
    yield "explain/live-equals-a-snapshot", live_equals_offline
    yield "explain/a-waiting-cluster-is-silent", silent
    yield "explain/asks-the-leader-through-the-api-server", through_the_cluster
    yield "explain/without-a-server-says-what-to-try", without_a_server


def create_nodes(api):
    """Two racks of two nodes with 4 cpu, 1 cpu of each in use, and a node that is tainted."""
    for index in range(4):
        api.create(node(f"n{index}", cpu=4, labels={"rack": f"r{index // 2}"}))
        api.create(pod(f"filler-{index}", "t", scheduler="nobody", nodeName=f"n{index}"))
    api.create(node("red", cpu=64, taints=[TAINT]))


# What waits, and what is to be seen of it: state, blocker, parts of the summary.
EXPECTED = {
    "pod/huge": ("Impossible", "badRequest", "needs 100 cpu on one node"),
    "pod/tainted": ("Waiting", "taints", "team"),
    "pod/picky": ("Waiting", "affinity", "gpu=h100"),
    "podgroup/wide": ("Waiting", "capacity", "needs 12 pods"),
    "podgroup/fragments": ("Waiting", "fragmentation", "needs 5 pods"),
    "podgroup/racked": ("Waiting", "topology", "rack"),
    "podgroup/few": ("Held", "incomplete", "1 of 3 members"),
    "podgroup/gated": ("Held", "gated", "example.com/approval"),
    "podgroup/apart": ("Waiting", "affinity", ""),
    "podgroup/missing": ("Held", "incomplete", "does not exist"),
    "pod/driver": ("Waiting", "devices", ""),
}
CLASS = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass",
         "metadata": {"name": "gpu.example"}, "spec": {}}
CLAIM = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
         "metadata": {"name": "gpu", "namespace": "t"},
         "spec": {"devices": {"requests": [
             {"name": "one", "exactly": {"deviceClassName": "gpu.example"}}]}}}


def create_work(api):
    create_nodes(api)
    api.create(mine("huge", cpu=100))
    api.create(mine("tainted", cpu=32))
    api.create(mine("picky", cpu=1, nodeSelector={"gpu": "h100"}))
    create_group(api, "wide", 12, 12, 3)
    create_group(api, "fragments", 5, 5, 2)
    create_group(api, "racked", 3, 3, 2, schedulingConstraints={"topology": [{"key": "rack"}]})
    create_group(api, "few", 3, 1, 1)
    api.create(gang(api.group_version("PodGroup"), "gated", 2, "t"))
    api.create(mine("gated-0", group="gated", schedulingGates=GATE))
    api.create(mine("gated-1", group="gated"))
    api.create(gang(api.group_version("PodGroup"), "apart", 5, "t"))
    for index in range(5):
        api.create(mine(f"apart-{index}", group="apart", labels=LONELY, affinity=ANTI))
    api.create(mine("missing-0", group="missing"))
    api.delete("DeviceClass", None, "gpu.example")
    api.create(CLASS)
    api.create(CLAIM)
    api.create(mine("driver", resourceClaims=[{"name": "gpu", "resourceClaimName": "gpu"}]))


class Waiting(Scene):
    expected = EXPECTED

    def create(self):
        create_work(self.api)

    def remove(self):
        self.api.delete("DeviceClass", None, "gpu.example")


# --- what people see -----------------------------------------------------------------------------

FEW = r"SchedulingHeld .* 1 of 3 members of PodGroup t/few exists; 2 more pods"


def described(world):
    patterns = {
        "pod/huge": (r"0/5 nodes are available: .*Impossible: needs 100 cpu on one node",
                     r"Warning FailedScheduling .* explained .*Impossible: needs 100 cpu"),
        "pod/tainted": (r"PodScheduled +False", r"Blocked by taints: .*team"),
        "pod/picky": (r"Blocked by affinity: .*no node has label gpu=h100",),
        "pod/wide-0": (r"Blocked by capacity: needs 12 pods of 3 cpu at once",),
        "podgroup/wide": (r"Reason: Unschedulable", r"needs 12 members at once",
                          r"Blocked by capacity: needs 12 pods of 3 cpu at once"),
        "podgroup/fragments": (r"Reason: Unschedulable", r"Blocked by fragmentation: needs 5 pods"),
        "podgroup/racked": (r"Reason: Unschedulable", r"Blocked by topology: needs 3 pods in one "
                            r"domain of rack"),
        "pod/driver": (r"Blocked by devices: ",),
        "podgroup/apart": (r"Reason: Unschedulable", r"Blocked by affinity: "),
        "podgroup/few": (FEW,),
        "pod/few-0": (FEW,),
        "podgroup/gated": (r"SchedulingHeld .* pod t/gated-0 has scheduling gate",),
        "pod/missing-0": (r"SchedulingHeld .* waits for PodGroup t/missing, which does not exist",),
    }
    with Waiting(world) as scene:
        problems = scene.undescribed(patterns)
        # Held work has no condition, as with kube-scheduler.
        for subject in ("few-0", "missing-0"):
            conditions = world.api.get("Pod", "t", subject)["status"].get("conditions", [])
            if any(condition["type"] == "PodScheduled" for condition in conditions):
                problems.append(f"{subject} is held and has a condition: {conditions}")
        return problems


def silent(world):
    """When nothing changes, nothing is written, however often it is tried."""
    with Waiting(world) as scene:
        def versions():
            return {(kind, thing["metadata"]["name"]): thing["metadata"]["resourceVersion"]
                    for kind in ("Pod", "PodGroup", "Event")
                    for thing in world.api.list(kind, "t")}
        wait_until(lambda: any("SchedulingHeld" == event.get("reason")
                               for event in world.api.list("Event", "t")), 20, 0.5, "held events")
        time.sleep(3)
        before = versions()
        listed = scene.listed()
        time.sleep(12)
        after = versions()
        changed = sorted(key for key in before.keys() | after.keys()
                         if before.get(key) != after.get(key))
        problems = [f"written without need: {changed}"] if changed else []
        if scene.listed() != listed:
            problems.append("the list of what waits changed by itself")
        return problems


def live_equals_offline(world):
    with Waiting(world) as scene:
        return scene.unexpected() + scene.unlike_offline(
            "pod/wide-0", "pod/fragments-1", "pod/apart-0", "pod/gated-1", "pod/missing-0",
            "pod/filler-0", "resourceclaim/gpu")


# --- where to ask --------------------------------------------------------------------------------

def host_address():
    """An address of this machine that is not loopback, as pods have; None without one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:
            return None
        address = probe.getsockname()[0]
    return None if address.startswith("127.") else address


def through_the_cluster(world):
    """The leader is found by its Lease and asked by the API server's proxy, with the permissions of
    docs/guides/explain.md; nobody else is answered at that address unless that was asked for."""
    address = host_address()
    if address is None:
        raise Skip("this machine has no address but loopback")
    only_tutti(world)
    world.clean()
    world.api.create(node("n1", cpu=2))
    user = "asker"
    kubeconfig = world.stack.add_user(user, user)
    grant_asking(world.api, user)
    problems = []
    with Leader(world, address, "loopback"):
        refused = ask(kubectl_tutti(world), kubeconfig)
        if refused.returncode != 1 or "port-forward" not in refused.stderr:
            problems.append(f"answered a stranger: {refused}")
    with Leader(world, address, "all"):
        for command in ([str(world.program)], kubectl_tutti(world)):
            done = ask(command, kubeconfig)
            if done.returncode != 0 or json.loads(done.stdout)["blocker"] != "badRequest":
                problems.append(f"through the API server: {done}")
    return problems


def kubectl_tutti(world):
    """`kubectl tutti`, which finds the plugin on the path."""
    plugin = world.stack.folder / "kubectl-tutti"
    if not plugin.is_symlink():
        plugin.symlink_to(pathlib.Path(world.program).resolve())
    return ["env", f"PATH={world.stack.folder}:/usr/bin:/bin",
            binary(world.stack.version, "kubectl"), "tutti"]


def ask(command, kubeconfig):
    """The program by its option, the plugin by what kubectl itself goes by."""
    option = [] if "tutti" == command[-1] else ["--kubeconfig", str(kubeconfig)]
    return subprocess.run([*command, "explain", "pod/a", "-n", "t", "-o", "json", *option],
                          env={**os.environ, "KUBECONFIG": str(kubeconfig)},
                          capture_output=True, text=True, timeout=60, check=False)


def grant_asking(api, user):
    """What docs/guides/explain.md says a user needs."""
    subjects = [{"kind": "User", "name": user, "apiGroup": "rbac.authorization.k8s.io"}]
    for name, namespace, rule in (
            ("ask-lease", "kube-system", {"apiGroups": ["coordination.k8s.io"],
                                          "resources": ["leases"], "resourceNames": ["tutti"],
                                          "verbs": ["get"]}),
            ("ask-pod", "tutti-system", {"apiGroups": [""], "resources": ["pods/proxy"],
                                         "verbs": ["get"]})):
        metadata = {"name": name, "namespace": namespace}
        kind = "rbac.authorization.k8s.io"
        for thing in ({"apiVersion": f"{kind}/v1", "kind": "Role", "metadata": metadata,
                       "rules": [rule]},
                      {"apiVersion": f"{kind}/v1", "kind": "RoleBinding", "metadata": metadata,
                       "roleRef": {"apiGroup": kind, "kind": "Role", "name": name},
                       "subjects": subjects}):
            if api.get(thing["kind"], namespace, name) is None:
                api.create(thing)


class Leader:
    """A scheduler that leads and listens at the address, with the pod it would run in. Its port is
    the one that everybody asks at, so versions that run side by side take turns."""

    _port = threading.Lock()

    def __init__(self, world, address, whom):
        self.world, self.address, self.whom = world, address, whom

    def __enter__(self):
        with contextlib.ExitStack() as held:
            held.enter_context(Leader._port)
            self._start()
            self._held = held.pop_all()
        return self

    def _start(self):
        world, stack = self.world, self.world.stack
        self.pod = socket.gethostname().lower()
        world.api.create(mine("a", cpu=4))
        config = stack.folder / "leader.yaml"
        config.write_text(json.dumps(
            {**CONFIG, "leaderElection": {"leaderElect": True, "leaseDuration": "4s",
                                          "renewDeadline": "3s", "retryPeriod": "1s"}}))
        process = stack.start("tutti-leader", [
            world.program, "scheduler", "--kubeconfig", stack.kubeconfig("tutti"), "--config",
            config, "--bind-address", self.address, "--port", "10259", "--explain-to", self.whom])
        world.api.create(pod(self.pod, "tutti-system", scheduler="nobody", nodeName="n1"))
        world.api.patch("Pod", "tutti-system", self.pod,
                        {"status": {"phase": "Running", "podIP": self.address,
                                    "podIPs": [{"ip": self.address}]}}, "status")
        wait_until(lambda: self._leads(process), 30, 0.2, "a leader")

    def _leads(self, process):
        assert process.poll() is None, self.world.stack.log("tutti-leader").read_text()[-500:]
        lease = self.world.api.get("Lease", "kube-system", "tutti")
        if not lease or not lease["spec"].get("holderIdentity", "").startswith(self.pod + "_"):
            return False
        return has_condition(self.world.api, "a")

    def __exit__(self, *failure):
        with self._held:
            self.world.stack.kill("tutti-leader", signal.SIGTERM)
            self.world.api.delete("Pod", "tutti-system", self.pod, grace=0)
            self.world.api.delete("Lease", "kube-system", "tutti")
            self.world.api.delete("Pod", "t", "a", grace=0)


def has_condition(api, name):
    conditions = api.get("Pod", "t", name)["status"].get("conditions", [])
    return any(condition["type"] == "PodScheduled" for condition in conditions)


def without_a_server(world):
    done = subprocess.run([str(world.program), "explain", "pod/a", "--server",
                           f"http://127.0.0.1:{free_port()}"],
                          capture_output=True, text=True, timeout=60, check=False)
    good = done.returncode == 1 and not done.stdout and done.stderr.count("\n") == 1 and all(
        hint in done.stderr for hint in ("-f", "--server", "port-forward"))
    return [] if good else [f"{done}"]
