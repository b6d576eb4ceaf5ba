"""What becomes of a claim that others write, too."""

from objects import node, pod
from stack import wait_until

DRIVER = "gpu.example.com"
CONFIG = {"requests": ["gpu"], "opaque": {"driver": DRIVER, "parameters": {
    "apiVersion": "gpu.example.com/v1", "kind": "GpuConfig", "sharing": {"slots": [1, 2]}}}}
REPORT = {"driver": DRIVER, "pool": "n1", "device": "gpu-0",
          "conditions": [{"type": "Ready", "status": "True", "reason": "Prepared", "message": "ok",
                          "lastTransitionTime": "2026-01-01T00:00:00Z"}],
          "data": {"serial": "0042"},
          "networkData": {"interfaceName": "net1", "ips": ["10.1.0.7/24"],
                          "hardwareAddress": "02:00:00:00:00:07"}}


def tests(_):
    yield "claims/what-others-wrote", what_others_wrote
    yield "claims/given-back", given_back


def what_others_wrote(world):
    """Two pods share a claim. Before the second comes, the driver has reported on the device and
    somebody has noted something on the claim: all of it is still there afterwards."""
    api = prepare(world)
    create_claim(api, "shared", {"note": "n"})
    before = api.get("ResourceClaim", "t", "shared")["spec"]
    api.create(asking("first", "shared"))
    await_bound(api, "first")
    api.patch("ResourceClaim", "t", "shared", {"status": {"devices": [REPORT]}}, "status")
    api.patch("ResourceClaim", "t", "shared", {"metadata": {"labels": {"seen": "yes"}}})
    api.create(asking("second", "shared"))
    await_bound(api, "second")
    claim = api.get("ResourceClaim", "t", "shared")
    status, metadata = claim["status"], claim["metadata"]
    wanted = {
        "spec": (claim["spec"], before), "report": (status.get("devices"), [REPORT]),
        "labels": (metadata.get("labels"), {"seen": "yes"}),
        "annotations": (metadata.get("annotations"), {"note": "n"}),
        "users": (sorted(user["name"] for user in status["reservedFor"]), ["first", "second"]),
        "finalizers": (metadata.get("finalizers"), ["resource.kubernetes.io/delete-protection"]),
        "configuration": ([c["opaque"] for c in status["allocation"]["devices"].get("config", [])],
                          [CONFIG["opaque"]])}
    return [f"{what}: expected {right}, but it is {found}"
            for what, (found, right) in wanted.items() if found != right]


def given_back(world):
    """The cluster's controller takes a finished pod off the claim and frees the devices; a claim
    that was made for a pod goes with it. Both devices then serve others."""
    api = prepare(world)
    create_claim(api, "kept")
    api.create(asking("a", "kept"))
    api.create(asking("b", template="own"))
    await_bound(api, "a")
    await_bound(api, "b")
    create_claim(api, "late-1")
    create_claim(api, "late-2")
    for name in ("late-1", "late-2"):
        api.create(asking(name, name))
    world.kubelets.finish("t", "a")
    api.delete("Pod", "t", "b", grace=0)
    await_bound(api, "late-1")
    await_bound(api, "late-2")
    kept = api.get("ResourceClaim", "t", "kept")
    left = [claim["metadata"]["name"] for claim in api.list("ResourceClaim", "t")]
    problems = [f"{field} of the claim of a finished pod is {kept['status'][field]}"
                for field in ("allocation", "reservedFor") if kept.get("status", {}).get(field)]
    if kept["metadata"].get("finalizers"):
        problems.append(f"it has the finalizers {kept['metadata']['finalizers']}")
    return problems + ([] if len(left) == 3 else [f"there are the claims {left}"])


# --- the cluster ---------------------------------------------------------------------------------


def prepare(world):
    world.clean()
    world.schedule()
    api = world.api
    api.create(node("n1"))
    api.create({"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass",
                "metadata": {"name": DRIVER}, "spec": {"selectors": [
                    {"cel": {"expression": f"device.driver == '{DRIVER}'"}}]}})
    api.create({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice",
                "metadata": {"name": "n1"},
                "spec": {"driver": DRIVER, "nodeName": "n1",
                         "pool": {"name": "n1", "generation": 1, "resourceSliceCount": 1},
                         "devices": [{"name": "gpu-0"}, {"name": "gpu-1"}]}})
    api.create({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate",
                "metadata": {"name": "own", "namespace": "t"}, "spec": {"spec": claim_spec()}})
    return api


def claim_spec():
    return {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": DRIVER}}],
                        "config": [CONFIG]}}


def create_claim(api, name, annotations=None):
    api.create({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
                "metadata": {"name": name, "namespace": "t", "annotations": annotations},
                "spec": claim_spec()})


def asking(name, claim=None, template=None):
    source = {"resourceClaimName": claim} if claim else {"resourceClaimTemplateName": template}
    return pod(name, "t", resourceClaims=[{"name": "gpu", **source}])


def await_bound(api, name):
    wait_until(lambda: api.get("Pod", "t", name)["spec"].get("nodeName"), 20,
               what=f"pod {name} to be bound")
