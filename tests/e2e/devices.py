"""The same devices and claims to kube-scheduler and to Tutti, and both to a brute force.

Each case (device_cases.py) is made once for each scheduler. After every pod: it runs exactly if its
claims could be allocated with the devices that are left on that side, and what was allocated, as
the API server stored it, is what the claims ask for. How often both chose the same devices is said,
not judged: Tutti prefers the devices that leave the most whole.
"""

import collections

from device_cases import CLASS, DeviceCase
from differential import KUBE, TUTTI, Lab
from objects import namespace

CASES = 60
FIRST_SEED = {"v1.36": 1000, "v1.37": 0}
WAVE = 30


class DeviceSide:
    def __init__(self, case, scheduler):
        self.case, self.scheduler = case, scheduler
        self.place = case.place(scheduler)
        self.taken = frozenset()
        self.allocated = []  # per pod: devices per claim, or None when it does not run

    def judge(self, index, api, answers):
        """Notes what became of the pod; yields what is wrong."""
        name = (self.place, f"p{index}")
        runs = name in answers.nodes
        if not runs and name not in answers.refused:
            yield f"nothing was said about p{index}"
        if runs != self.case.allocatable(index, self.taken):
            did = "runs" if runs else "does not run"
            yield f"p{index} {did}, {sorted(self.taken)} taken before"
        self.allocated.append([] if runs else None)
        for number, claim in enumerate(self.case.pods[index] if runs else []):
            stored = api.get("ResourceClaim", self.place, f"p{index}-c{number}")
            devices = devices_of(stored)
            if devices not in self.case.choices(claim, self.taken):
                yield f"p{index}-c{number} must not get {sorted(devices)}"
            self.taken |= devices
            self.allocated[-1].append(devices)

    def things(self):
        return [self.case.node(self.scheduler), *self.case.slices(self.scheduler)]


def devices_of(claim):
    results = claim.get("status", {}).get("allocation", {}).get("devices", {}).get("results", [])
    return frozenset(result["device"] for result in results)


def run(version, second, program, seeds):
    """(problems, how often each thing was seen)"""
    problems, seen = [], collections.Counter()
    with Lab(version, second, program) as lab:
        lab.api.create(CLASS)
        for start in range(0, len(seeds), WAVE):
            run_wave(lab, seeds[start:start + WAVE], problems, seen)
    return problems, seen


def run_wave(lab, seeds, problems, seen):
    pairs = [(DeviceSide(case, KUBE), DeviceSide(case, TUTTI)) for case in map(DeviceCase, seeds)]
    sides = [side for pair in pairs for side in pair]
    api = lab.api
    api.many(api.create, [namespace(side.place) for side in sides])
    api.many(api.create, [thing for side in sides for thing in side.things()])
    for index in range(max(len(side.case.pods) for side in sides)):
        working = [side for side in sides if index < len(side.case.pods)]
        lab.step([list(side.case.step(side.scheduler, index, side.scheduler)) for side in working])
        for side in working:
            problems += [f"seed {side.case.seed}, {side.scheduler}: {problem}"
                         for problem in side.judge(index, api, lab.answers)]
    for theirs, mine in pairs:
        seen.update(likeness(theirs.allocated, mine.allocated))
    remove(api, sides)


def likeness(theirs, mine):
    """What to count of each pod, as long as the two sides had the same devices left."""
    for one, other in zip(theirs, mine):
        if one == other:
            yield "refused by both" if one is None else "the same devices"
        else:
            yield "other devices"
            return


def remove(api, sides):
    api.many(lambda side: api.delete_all("Pod", side.place, grace=0), sides)
    api.many(lambda side: api.delete_all("ResourceClaim", side.place), sides)
    api.many(lambda thing: api.delete(thing["kind"], None, thing["metadata"]["name"]),
             [thing for side in sides for thing in side.things()])


def tests(version):
    def compare(world):
        first = FIRST_SEED[version]
        part, whole = world.share
        problems, seen = run(version, world.scheduler, world.program,
                             list(range(first, first + CASES))[part::whole])
        told = ", ".join(f"{what} {count}" for what, count in sorted(seen.items()))
        print(f"        {version} devices: {told}", flush=True)
        return problems
    yield f"devices/{CASES}-cases", compare
