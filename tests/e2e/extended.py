"""Extended resources that a device class stands for: served by devices where nodes do not advertise
them, by the same writes whoever schedules."""

from claims import DRIVER, await_bound, node_of, offer
from objects import gang, node, pod
from stack import wait_until
from world import Skip

RESOURCE = "example.com/gpu"
MARK = "resource.kubernetes.io/extended-resource-claim"


def tests(_):
    yield "extended/served-by-devices", served_by_devices
    yield "extended/gang-all-or-nothing", gang_all_or_nothing
    yield "extended/after-a-crash", after_a_crash


def served_by_devices(world):
    """n1 has two devices, n2 advertises one. A pod on each; the one on n1 has a claim that names
    its containers, and gives its devices back when it goes."""
    api = prepare(world)
    api.create(node("n2", resources={RESOURCE: "1"}))
    api.create(asking("plain", 1, nodeSelector={"kubernetes.io/hostname": "n2"}))
    api.create(asking("first", 2, nodeSelector={"kubernetes.io/hostname": "n1"}))
    await_bound(api, "plain")
    await_bound(api, "first")
    problems = claim_problems(api, "first")
    if "extendedResourceClaimStatus" in api.get("Pod", "t", "plain")["status"]:
        problems.append("a pod on a node that advertises the resource has a claim")
    api.create(asking("second", 2, nodeSelector={"kubernetes.io/hostname": "n1"}))
    api.delete("Pod", "t", "first", grace=0)
    await_bound(api, "second")
    problems += claim_problems(api, "second")
    left = [claim["metadata"]["name"] for claim in api.list("ResourceClaim", "t")]
    return problems + ([] if len(left) == 1 else [f"there are the claims {left}"])


def claim_problems(api, name):
    made = api.get("Pod", "t", name)
    status = made["status"].get("extendedResourceClaimStatus")
    if not status:
        return [f"{name} does not name its claim"]
    claim = api.get("ResourceClaim", "t", status["resourceClaimName"])
    results = claim["status"]["allocation"]["devices"]["results"]
    owner = claim["metadata"]["ownerReferences"][0]
    wanted = {
        "uses": (status["requestMappings"],
                 [{"containerName": "main", "resourceName": RESOURCE,
                   "requestName": "container-0-request-1"}]),
        "mark": (claim["metadata"]["annotations"].get(MARK), "true"),
        "owner": ((owner["kind"], owner["uid"]), ("Pod", made["metadata"]["uid"])),
        "name": (claim["metadata"]["name"].rsplit("-", 1)[0], f"{name}-extended-resources"),
        "requests": (claim["spec"]["devices"]["requests"],
                     [{"name": "container-0-request-1",
                       "exactly": {"deviceClassName": DRIVER, "allocationMode": "ExactCount",
                                   "count": 2}}]),
        "devices": (sorted(r["device"] for r in results), ["gpu-0", "gpu-1"]),
        "users": ([user["name"] for user in claim["status"]["reservedFor"]], [name])}
    return [f"{what} of {name}: expected {right}, but it is {found}"
            for what, (found, right) in wanted.items() if found != right]


def gang_all_or_nothing(world):
    """Two devices for a gang of three: no claim is made. With a second node all of them run."""
    if world.scheduler != "tutti":
        raise Skip("about tutti")
    api = prepare(world)
    api.create(gang(api.group_version("PodGroup"), "g", 3, "t"))
    for name in ("a", "b", "c"):
        api.create(asking(name, 1, group="g"))
    wait_until(lambda: any(c.get("status") == "False" for c in api.get("PodGroup", "t", "g").get(
        "status", {}).get("conditions", [])), 20, what="the gang to be refused")
    early = api.list("ResourceClaim", "t")
    offer(api, "n2")
    for name in ("a", "b", "c"):
        await_bound(api, name)
    claims = api.list("ResourceClaim", "t")
    problems = [f"{len(early)} claims were made for a gang that does not fit"] if early else []
    return problems + ([] if len(claims) == 3 else [f"there are {len(claims)} claims, not 3"])


def after_a_crash(world):
    """The scheduler dies when the claim is allocated and the pod is not bound. The next one takes
    the claim away and makes another where there is room. A gang of one: what a gang needs is kept
    while its binding is tried again, so there is time to die."""
    if world.scheduler != "tutti" or world.kubeconfig:
        raise Skip("about tutti, and kills it")
    api = prepare(world)
    world.refusals.refuse("t", "a", None)
    api.create(gang(api.group_version("PodGroup"), "g", 1, "t"))
    api.create(asking("a", 2, group="g"))
    allocated = wait_until(lambda: [claim for claim in api.list("ResourceClaim", "t")
                                    if "allocation" in claim.get("status", {})], 20,
                           what="the claim to be allocated")
    old = allocated[0]["metadata"]["uid"]
    world.stack.kill("tutti")
    offer(api, "n2")
    api.create(pod("squatter", "t", cpu=32, scheduler="another", nodeName="n1"))
    world.refusals.clear()
    world.schedule()
    await_bound(api, "a")
    problems = claim_problems(api, "a")
    if node_of(api, "a") != "n2":
        problems.append(f"a runs on {node_of(api, 'a')}, which is full")
    if [claim["metadata"]["uid"] for claim in api.list("ResourceClaim", "t")] == [old]:
        problems.append("the claim of the first attempt is still there")
    return problems


# --- the cluster ---------------------------------------------------------------------------------


def prepare(world):
    world.clean()
    world.schedule()
    api = world.api
    offer(api, "n1")
    api.create({"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass",
                "metadata": {"name": DRIVER}, "spec": {
                    "extendedResourceName": RESOURCE,
                    "selectors": [{"cel": {"expression": f"device.driver == '{DRIVER}'"}}]}})
    return api


def asking(name, count, group=None, **spec):
    made = pod(name, "t", group=group, **spec)
    resources = made["spec"]["containers"][0]["resources"]
    resources["requests"][RESOURCE] = resources.setdefault("limits", {})[RESOURCE] = str(count)
    return made
