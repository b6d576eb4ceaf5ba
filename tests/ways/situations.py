"""What waits, and the ways out that must be named, in their order.

Each entry: a name, the object asked about, the kinds of its ways, and the objects of the cluster.
"""
from objects import (claim, composite, device_class, gang, group, job, node, pod, priority_class,
                     slice_of, taint_rule, uses)

APART = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
    {"labelSelector": {"matchLabels": {"app": "w"}}, "topologyKey": "kubernetes.io/hostname"}]}}
NEAR = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
    {"labelSelector": {"matchLabels": {"app": "cache"}}, "topologyKey": "rack"}]}}
DISK = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
    {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}]}}}
SPREAD = [{"maxSkew": 1, "topologyKey": "rack", "whenUnsatisfiable": "DoNotSchedule",
           "labelSelector": {"matchLabels": {"app": "w"}}}]
PORT = [{"name": "c", "image": "i", "ports": [{"containerPort": 80, "hostPort": 80}],
         "resources": {"requests": {"cpu": "1"}}}]
GPU = "nvidia.com/gpu"


def gpu_node(name, gpus, **more):
    made = node(name, cpu=64, **more)
    made["status"]["allocatable"][GPU] = str(gpus)
    return made


def gpus(count):
    return {GPU: str(count)}


SITUATIONS = [
    ("a-gang-one-node-short", "podgroup/g", ["minCount", "request"],
     [node("n1"), node("n2"), node("n3"), *gang("g", 4, cpu=3)]),
    ("a-gang-behind-equals", "podgroup/g", ["request", "priority", "free"],
     [node("n1"), node("n2"), pod("a", 2, on="n1"), pod("b", 2, on="n2"), *gang("g", 2, cpu=3)]),
    ("the-smallest-of-others-ends", "podgroup/g", ["priority", "free"],
     [node("n1", 8), pod("a", 5, on="n1"), pod("b", 1, on="n1"), pod("c", 2, on="n1"),
      *gang("g", 1, cpu=2)]),
    ("one-rack-is-too-small-now", "podgroup/g", ["widenTopology", "dropTopology", "minCount",
                                                 "request", "priority", "free"],
     [node("n1", rack="r1", zone="z1"), node("n2", rack="r1", zone="z1"),
      node("n3", rack="r2", zone="z1"), node("n4", rack="r2", zone="z1"),
      pod("a", 3, on="n1"), pod("b", 3, on="n3"), *gang("g", 2, cpu=3, key="rack")]),
    ("a-level-of-a-topology", "podgroup/g", ["widenTopology", "dropTopology", "minCount",
                                             "request"],
     [{"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Topology",
       "metadata": {"name": "dc"},
       "spec": {"levels": [{"nodeLabel": "block"}, {"nodeLabel": "rack"}]}},
      node("n1", rack="r1", labels={"block": "b1"}), node("n2", rack="r2", labels={"block": "b1"}),
      *gang("g", 2, cpu=3, key="rack")]),
    ("a-rack-asked-for-by-annotation", "podgroup/g", ["dropTopology", "minCount", "request"],
     [node("n1", rack="r1"), node("n2", rack="r2"),
      *gang("g", 2, cpu=3,
            annotations={"kueue.x-k8s.io/podset-required-topology": "rack"})]),
    ("a-cordoned-node", "pod/p", ["request", "priority", "uncordon", "free"],
     [node("n1"), node("n2", cordoned=True), pod("a", 3, on="n1"), pod("p", 3)]),
    ("a-cordoned-node-for-a-gang", "podgroup/g", ["minCount", "request", "uncordon"],
     [node("n1"), node("n2", cordoned=True), *gang("g", 2, cpu=3)]),
    ("an-untolerated-taint", "pod/p", ["tolerate", "tolerate"],
     [node("n1", taint=("team", "ml")), node("n2", taint=("team", "web")), pod("p")]),
    ("a-taint-among-tolerated-ones", "podgroup/g", ["tolerate", "minCount", "request"],
     [node("n1"), node("n2", taint=("team", "ml")),
      *gang("g", 2, cpu=3, tolerations=[{"key": "x", "operator": "Exists"}])]),
    ("a-selector-nobody-matches", "pod/p", ["nodeSelector"],
     [node("n1"), pod("p", nodeSelector={"gpu": "h100"})]),
    ("one-of-two-selectors", "pod/p", ["nodeSelector"],
     [node("n1", labels={"disk": "ssd"}), pod("p", nodeSelector={"gpu": "h100", "disk": "ssd"})]),
    ("a-node-affinity-nobody-matches", "pod/p", ["nodeAffinity"],
     [node("n1", labels={"disk": "hdd"}), pod("p", affinity=DISK)]),
    ("members-that-keep-apart", "podgroup/g", ["podAntiAffinity", "minCount"],
     [node("n1"), node("n2"), *gang("g", 3, affinity=APART, labels={"app": "w"})]),
    ("company-that-is-not-there", "pod/p", ["podAffinity"],
     [node("n1", rack="r1"), pod("p", affinity=NEAR)]),
    ("a-spread-that-cannot-be-even", "podgroup/g", ["spread", "minCount", "request"],
     [node("n1", rack="r1"), node("n2", rack="r2", cpu=1),
      *gang("g", 4, topologySpreadConstraints=SPREAD, labels={"app": "w"})]),
    ("a-host-port-that-is-taken", "podgroup/g", ["hostPort", "minCount"],
     [node("n1"), node("n2"), group("g", 3),
      *[dict(pod(f"g-{i}", group="g"), spec={"containers": PORT,
                                             "schedulingGroup": {"podGroupName": "g"}})
        for i in range(3)]]),
    ("larger-than-every-node", "pod/p", ["request"],
     [node("n1"), node("n2", 6), pod("p", 8)]),
    ("a-gang-larger-than-all-nodes", "podgroup/g", ["minCount", "request"],
     [node("n1"), node("n2"), *gang("g", 5, cpu=2)]),
    ("too-many-devices", "podgroup/g", ["minCount", "request", "priority", "free"],
     [gpu_node("n1", 8), gpu_node("n2", 8), pod("a", on="n1", requests=gpus(4), priority=10),
      *gang("g", 2, requests=gpus(8))]),
    ("others-of-a-class-already-there", "podgroup/g", ["minCount", "request", "priority", "free"],
     [gpu_node("n1", 8), gpu_node("n2", 8), priority_class("low", 5), priority_class("high", 500),
      pod("a", on="n1", requests=gpus(4), priority=10), *gang("g", 2, requests=gpus(8))]),
    ("a-gang-in-the-way", "podgroup/g", ["minCount", "request", "priority", "free"],
     [gpu_node("n1", 8), gpu_node("n2", 8), *gang("a", 4, requests=gpus(2), on="n1"),
      *gang("g", 2, requests=gpus(8))]),
    ("a-job-in-the-way", "pod/p", ["request", "priority", "free"],
     [node("n1"), job("busy", 3), dict(pod("p", 2), metadata={
         "name": "p", "namespace": "t", "annotations": {"tutti.dev/at": "1s"}})]),
    ("a-job-that-waits", "job/j", ["nodeSelector"],
     [node("n1"), node("n2"), job("j", 2, 3, nodeSelector={"gpu": "h100"})]),
    ("a-job-one-node-short", "job/j", ["minCount", "request"],
     [node("n1"), node("n2"), job("j", 3, 3)]),
    ("a-job-that-says-how", "job/j", ["dropTopology", "minCount", "request"],
     [node("n1", rack="r1"), node("n2", rack="r2"),
      job("j", 2, 3, scheduling={"schedulingPolicy": {"gang": {"minCount": 2}},
                                 "schedulingConstraints": {"topology": [{"key": "rack"}]}})]),
    ("a-scheduling-gate", "pod/p", ["removeGate"],
     [node("n1"), pod("p", gates=["example.com/quota"])]),
    ("gates-on-some-members", "podgroup/g", ["removeGate"],
     [node("n1"), *gang("g", 1, 2), pod("g-9", group="g", gates=["example.com/x"])]),
    ("members-that-do-not-exist", "podgroup/g", ["createPods", "minCount"],
     [node("n1"), *gang("g", 2, 4)]),
    ("a-group-that-does-not-exist", "pod/a", ["createGroup"],
     [node("n1", 2), pod("a", group="g"), pod("b", group="g"), pod("c", group="g")]),
    ("one-child-of-a-tree", "compositepodgroup/c",
     ["minCount", "minCount", "minCount", "request"],
     [node("n1"), node("n2"), composite("c", 2), *gang("x", 2, cpu=2, parent="c"),
      *gang("y", 3, cpu=2, parent="c")]),
    ("an-unhealthy-device", "pod/p", ["repairDevice"],
     [node("n1"), device_class(), slice_of("n1", 2, sick=[1]), claim("c", 2),
      pod("p", resourceClaims=uses("c"))]),
    ("two-unhealthy-devices-of-three", "pod/p", ["repairDevice"],
     [node("n1"), device_class(), slice_of("n1", 4, sick=[1, 2, 3]), claim("c", 3),
      pod("p", resourceClaims=uses("c"))]),
    ("a-rule-that-takes-devices-away", "pod/p", ["repairDevice"],
     [node("n1"), device_class(), slice_of("n1", 2), taint_rule("off", "n1"), claim("c", 2),
      pod("p", resourceClaims=uses("c"))]),
    ("devices-that-others-hold", "pod/p", ["priority", "free"],
     [node("n1"), device_class(), slice_of("n1", 2), claim("c", 2), claim("d", 1),
      pod("a", resourceClaims=uses("d")), dict(
          pod("p", resourceClaims=uses("c")), metadata={
              "name": "p", "namespace": "t", "annotations": {"tutti.dev/at": "1s"}})]),
    ("someone-ahead-takes-the-room", "pod/p", ["request", "priority"],
     [node("n1"), node("n2", cordoned=True), pod("a", 3, on="n1", priority=50),
      pod("first", 4, priority=40, preemptionPolicy="Never"),
      dict(pod("p", 3, priority=1), metadata={
          "name": "p", "namespace": "t", "annotations": {"tutti.dev/at": "1s"}})]),
    ("members-of-two-kinds", "podgroup/g", ["minCount", "request"],
     [node("n1"), group("g", 2), pod("g-0", 1, group="g"), pod("g-1", 6, group="g")]),
    ("nothing-helps", "pod/p", [],
     [node("n1"), pod("p", 1, nodeSelector={"a": "b"}, affinity=DISK)]),
    ("a-running-group-has-none", "podgroup/g", [],
     [node("n1"), *gang("g", 2)]),
]
