"""Explanations on a cluster in motion, and of the rarer kinds: room is made for one pod and kept
from another, the exact search ends early, host ports are taken, volumes missing, devices broken."""

from explained import SCHEDULER, Scene, mine
from objects import gang, node, pod

GPU = "nvidia.com/gpu"
HASTY = "hasty"  # a profile whose exact search gives up at once
# For six nodes of seven: in order of size they do not fit, and ten steps do not tell more.
SIZES = (4, 4, 3, 3, 3, 3, 2, 2, 5, 5, 2, 3, 3)
CLASSES = {"explained-low": 10, "explained-middle": 100, "explained-high": 1000}


def tests(version):
    yield "explain/describe-names-every-blocker", described
    yield "explain/live-equals-a-snapshot-while-others-leave", live_equals_offline


def on(pool, **more):
    """The nodes of one part of the cluster; each part is one situation."""
    return {"nodeSelector": {"pool": pool}, **more}


def in_pool(pool, name, **offers):
    return node(name, labels={"pool": pool}, **offers)


class Leaving(Scene):
    profiles = [{"schedulerName": SCHEDULER},
                {"schedulerName": HASTY, "pluginConfig": [
                    {"name": "TopologyPlacementGenerator", "args": {"searchBudget": 10}}]}]
    expected = {
        "pod/first": ("Preempting", "capacity", "room is being made on node stage"),
        "pod/second": ("Waiting", "priority", "t/first"),
        "podgroup/puzzle": ("Waiting", "budget", ""),
        "pod/port": ("Waiting", "ports", "port"),
        "pod/disk": ("Waiting", "volumes", "data"),
        "pod/gpus": ("Waiting", "deviceHealth", GPU),
    }

    def create(self):
        for name, value in CLASSES.items():
            self.api.create({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                             "metadata": {"name": name}, "value": value})
        self._create_evictions()
        self._create_puzzle()
        self._create_ports_volumes_and_devices()

    def _create_evictions(self):
        """The one with the highest priority needs the whole node; who is on it takes an hour to
        leave, and nobody ends that here."""
        self.api.create(in_pool("stage", "stage", cpu=8))
        self.api.create(pod("leaver", "t", cpu=4, scheduler="nobody", grace=3600, nodeName="stage",
                            priorityClassName="explained-low"))
        self.api.create(mine("first", cpu=8, **on("stage", priorityClassName="explained-high")))
        self.api.create(mine("second", cpu=2, **on("stage", priorityClassName="explained-middle")))

    def _create_puzzle(self):
        for index in range(6):
            self.api.create(in_pool("puzzle", f"puzzle-{index}", cpu=7))
        self.api.create(gang(self.api.group_version("PodGroup"), "puzzle", len(SIZES), "t"))
        for index, cpu in enumerate(SIZES):
            self.api.create(mine(f"puzzle-{index:02}", HASTY, cpu=cpu, group="puzzle",
                                 **on("puzzle")))

    def _create_ports_volumes_and_devices(self):
        self.api.create(in_pool("ports", "ports", cpu=4))
        for name, settings in (("holder", {"scheduler": "nobody", "nodeName": "ports"}),
                               ("port", on("ports"))):
            made = mine(name, **settings)
            made["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 8080}]
            self.api.create(made)
        self.api.create(mine("disk", **on("ports", volumes=[
            {"name": "data", "persistentVolumeClaim": {"claimName": "data"}}])))
        broken = in_pool("gpus", "gpus", cpu=4, resources={GPU: "6"})
        broken["status"]["capacity"] = {**broken["status"]["capacity"], GPU: "8"}
        self.api.create(broken)
        wants = mine("gpus", **on("gpus"))
        wants["spec"]["containers"][0]["resources"] = {
            "requests": {"cpu": "1", GPU: "8"}, "limits": {GPU: "8"}}
        self.api.create(wants)


def described(world):
    with Leaving(world) as scene:
        return scene.undescribed({
            "pod/first": (r"NominatedNodeName: stage",
                          r"FailedScheduling .* 0/9 nodes are available",
                          r"Blocked by capacity: needs 8 cpu on one node"),
            "pod/leaver": (r"Preempted .* Preempted by ", r"Status: +Terminating"),
            "pod/second": (r"Blocked by priority: .*t/first",),
            "podgroup/puzzle": (r"Reason: Unschedulable", r"Blocked by budget: "),
            "pod/puzzle-00": (r"Blocked by budget: ",),
            "pod/port": (r"Blocked by ports: .*port",),
            "pod/disk": (r'persistentvolumeclaim "data" not found',),
            "pod/gpus": (r"Blocked by deviceHealth: .*nvidia.com/gpu",),
        })


def live_equals_offline(world):
    with Leaving(world) as scene:
        return scene.unexpected() + scene.unlike_offline("pod/puzzle-00", "pod/leaver",
                                                         "pod/holder")
