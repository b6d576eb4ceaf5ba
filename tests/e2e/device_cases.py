"""Small random device inventories and claims, each from one seed, and what is possible with them.

A case is one node with a few devices and a sequence of pods with claims of their own. Whether a pod
can run is a matter of devices only, so it can be tried by brute force: allocatable().
"""

import itertools
import random

from objects import node, pod

DRIVER = "gpu.example.com"
CLASS = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": DRIVER},
         "spec": {"selectors": [{"cel": {"expression": f"device.driver == '{DRIVER}'"}}]}}
SICK = {"key": "example.com/sick", "value": "yes", "effect": "NoSchedule"}
MEMORY = 4  # of the board that partitions share

# What a request may ask for: in CEL, and of a device as it is kept here.
SELECTORS = (
    ("device.attributes['gpu.example.com'].model == 'a'", lambda d: d["model"] == "a"),
    ("device.attributes['gpu.example.com'].model in ['b', 'c']", lambda d: d["model"] in "bc"),
    ("device.attributes['gpu.example.com'].numa >= 1", lambda d: d["numa"] >= 1),
    ("device.capacity['gpu.example.com'].memory.compareTo(quantity('40Gi')) >= 0",
     lambda d: d["memory"] >= 40),
    ("has(device.attributes['gpu.example.com'].link) && "
     "device.attributes['gpu.example.com'].link", lambda d: d["link"]),
)
ANY = (None, lambda d: True)


class DeviceCase:
    """devices: dictionaries; pods: lists of claims; a claim: requests and maybe an attribute that
    all of its devices must share; a request: alternatives, of which the first that is possible
    counts; an alternative: selector, count (None: all) and whether it tolerates sick devices."""

    def __init__(self, seed):
        self.seed = seed
        self._random = random.Random(seed)
        self.partitioned = self._random.random() < 0.4
        self.devices = [self._device(i) for i in range(self._random.randint(3, 8))]
        self.pods = [[self._claim() for _ in range(self._random.choice((1, 1, 2)))]
                     for _ in range(self._random.randint(3, 6))]

    # --- drawing ---------------------------------------------------------------------------------

    def _device(self, index):
        draw = self._random
        return {"name": f"d{index}", "model": draw.choice("aabc"), "numa": draw.randint(0, 1),
                "memory": draw.choice((20, 40, 80)), "link": draw.random() < 0.5,
                "sick": draw.random() < 0.15,
                "share": draw.randint(1, 3) if self.partitioned and draw.random() < 0.7 else 0}

    def _claim(self):
        requests = [self._request() for _ in range(self._random.choice((1, 1, 1, 2)))]
        return {"requests": requests,
                "match": self._random.choice((None, None, None, "model", "numa"))}

    def _request(self):
        return [self._alternative() for _ in range(self._random.choice((1, 1, 1, 2)))]

    def _alternative(self):
        draw = self._random
        return {"selector": draw.choice((ANY, *SELECTORS)),
                "count": None if draw.random() < 0.1 else draw.choice((1, 1, 1, 1, 2, 3)),
                "tolerates": draw.random() < 0.3}

    # --- what is possible ------------------------------------------------------------------------

    def allocatable(self, index, taken):
        """Is there a choice of devices for all claims of the pod, those in `taken` being gone?"""
        return self._claims(self.pods[index], taken)

    def _claims(self, claims, taken):
        if not claims:
            return True
        return any(self._claims(claims[1:], taken | chosen)
                   for chosen in self.choices(claims[0], taken))

    def choices(self, claim, taken):
        """Every set of devices that serves the claim."""
        def after(requests, chosen):
            if not requests:
                if self._alike(claim, chosen):
                    yield chosen
                return
            for alternative in requests[0]:
                for more in self._picks(alternative, taken | chosen):
                    yield from after(requests[1:], chosen | more)
        yield from after(claim["requests"], frozenset())

    def _picks(self, alternative, taken):
        fitting = [d for d in self.devices if alternative["selector"][1](d)]
        usable = {d["name"] for d in fitting
                  if d["name"] not in taken and (alternative["tolerates"] or not d["sick"])}
        if alternative["count"] is not None:
            sets = itertools.combinations(sorted(usable), alternative["count"])
        else:  # all that fit, or none when one of them cannot be had
            sets = [usable] if 0 < len(fitting) == len(usable) else []
        for names in sets:
            if self._within_board(taken | set(names)):
                yield frozenset(names)

    def _alike(self, claim, names):
        return claim["match"] is None or len(
            {d[claim["match"]] for d in self.devices if d["name"] in names}) == 1

    def _within_board(self, names):
        return sum(d["share"] for d in self.devices if d["name"] in names) <= MEMORY

    # --- objects of one side ---------------------------------------------------------------------

    def place(self, side):
        return f"d{self.seed}-{side}"

    def node(self, side):
        return node(self.place(side))

    def slices(self, side):
        """Counters lie in a slice of their own, as v1.36 and v1.37 both demand."""
        yield self._slice(side, "devices", {"devices": [self._written(d) for d in self.devices]})
        if self.partitioned:
            yield self._slice(side, "counters", {"sharedCounters": [
                {"name": "board", "counters": {"memory": {"value": str(MEMORY)}}}]})

    def _slice(self, side, what, content):
        place = self.place(side)
        pool = {"name": place, "generation": 1, "resourceSliceCount": 2 if self.partitioned else 1}
        return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice",
                "metadata": {"name": f"{place}-{what}"},
                "spec": {"driver": DRIVER, "pool": pool, "nodeName": place, **content}}

    def _written(self, device):
        written = {"name": device["name"],
                   "attributes": {"model": {"string": device["model"]},
                                  "numa": {"int": device["numa"]}},
                   "capacity": {"memory": {"value": f"{device['memory']}Gi"}}}
        if device["link"]:
            written["attributes"]["link"] = {"bool": True}
        if device["sick"]:
            written["taints"] = [SICK]
        if device["share"]:
            written["consumesCounters"] = [{
                "counterSet": "board", "counters": {"memory": {"value": str(device["share"])}}}]
        return written

    def step(self, side, index, scheduler):
        """The claims of a pod, then the pod."""
        place, entries = self.place(side), []
        for number, claim in enumerate(self.pods[index]):
            name = f"p{index}-c{number}"
            entries.append({"name": f"c{number}", "resourceClaimName": name})
            yield {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
                   "metadata": {"name": name, "namespace": place}, "spec": _claim_spec(claim)}
        yield pod(f"p{index}", place, scheduler=scheduler, resourceClaims=entries,
                  nodeSelector={"kubernetes.io/hostname": place})


def _claim_spec(claim):
    devices = {"requests": [_request(number, request)
                            for number, request in enumerate(claim["requests"])]}
    if claim["match"]:
        devices["constraints"] = [{"matchAttribute": f"{DRIVER}/{claim['match']}"}]
    return {"devices": devices}


def _request(number, request):
    written = [_alternative(alternative) for alternative in request]
    if len(written) == 1:
        return {"name": f"r{number}", "exactly": written[0]}
    return {"name": f"r{number}", "firstAvailable": [
        {"name": f"s{index}", **alternative} for index, alternative in enumerate(written)]}


def _alternative(alternative):
    written = {"deviceClassName": DRIVER}
    if alternative["selector"][0]:
        written["selectors"] = [{"cel": {"expression": alternative["selector"][0]}}]
    if alternative["count"] is None:
        written["allocationMode"] = "All"
    else:
        written.update(allocationMode="ExactCount", count=alternative["count"])
    if alternative["tolerates"]:
        written["tolerations"] = [{"key": SICK["key"], "operator": "Exists"}]
    return written
