"""The same small clusters scheduled by the real kube-scheduler and by Tutti.

For each case (cases.py): its items are created one after another, once for each scheduler. Then:

1. Outcome: the same pods have nodes on both sides, and of each gang the same number of members.
2. Replay: on a third copy kube-scheduler is asked about every decision of Tutti. A pod that Tutti
   placed may go to that node only (by a resource that no other node has) and must be bound; what
   Tutti refused is created at its turn, free to go anywhere, and must be refused too.

kube-scheduler draws lots between equally good nodes, so a later pod may or may not fit. Where
outcomes differ, it gets the same case a few times more: if one of its own outcomes is Tutti's, they
agree.

A difference that remains is a failure, with the seed that reproduces it:
    ./dev e2e differential --seed 17 [--version v1.37] [--write FOLDER]
Explained ones are counted by kind; docs/differences.md explains the kinds.
"""

import argparse
import collections
import pathlib
import random
import sys
import threading
import time

sys.dont_write_bytecode = True

import yaml

from cases import SIDE, Case, priority_classes
from objects import namespace
from stack import VERSIONS, Stack
from world import ROOT, grant_roles, start_tutti

CASES = {"v1.36": 100, "v1.37": 300}
FIRST_SEED = {"v1.36": 1000, "v1.37": 0}
WAVE = 30
RERUNS = 8
ORDERS = 12  # in which members of one gang are replayed before the placement is called illegal
ANSWER_SECONDS = 30
KUBE, TUTTI = "default-scheduler", "tutti"


class Answers:
    """What the schedulers said about each pod, by a watch."""

    def __init__(self, api):
        self.api, self.nodes, self.refused = api, {}, set()
        self._closed = threading.Event()
        self._changed = time.monotonic()
        self._thread = threading.Thread(target=self._loop, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._closed.set()
        self._thread.join(10)

    def _loop(self):
        while not self._closed.is_set():
            for kind, pod in self.api.watch("Pod", closed=self._closed):
                if kind in ("ADDED", "MODIFIED"):
                    self._note(pod)

    def _note(self, pod):
        name = pod["metadata"]["namespace"], pod["metadata"]["name"]
        node = pod["spec"].get("nodeName")
        if node and name not in self.nodes:
            self.nodes[name] = node
            self._changed = time.monotonic()
        elif any(c["type"] == "PodScheduled" and c["status"] == "False"
                 for c in pod["status"].get("conditions", [])) and name not in self.refused:
            self.refused.add(name)
            self._changed = time.monotonic()

    def of(self, names, seconds=ANSWER_SECONDS, rest=0.15):
        """Waits for an answer about every pod and then for a moment of rest: a gang with more
        members than it needs is answered in two turns."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if all(name in self.nodes or name in self.refused for name in names) and \
                    time.monotonic() > self._changed + rest:
                return
            time.sleep(0.02)


class Lab:
    """A control plane with both schedulers."""

    def __init__(self, version, second="tutti", program=ROOT / "build/release/tutti"):
        self.stack = Stack(version, audited=["tutti"])
        self.second, self.program, self.version = second, program, version

    def __enter__(self):
        stack = self.stack.__enter__()
        self.api = stack.api
        settings = {"podInitialBackoffSeconds": 1, "podMaxBackoffSeconds": 2}
        profiles = [{"schedulerName": KUBE}]
        if self.second == "kube-scheduler":
            profiles.append({"schedulerName": TUTTI})
        else:
            grant_roles(self.api, "tutti")
            start_tutti(stack, self.program, [{"schedulerName": TUTTI}], **settings)
        stack.start_kube_scheduler(profiles, percentageOfNodesToScore=100, **settings)
        self.api.many(self.api.create, priority_classes())
        self.group_version = self.api.group_version("PodGroup")
        self.answers = Answers(self.api).__enter__()
        return self

    def __exit__(self, *failure):
        self.answers.__exit__(*failure)
        return self.stack.__exit__(*failure)

    # --- sides -----------------------------------------------------------------------------------

    def run(self, sides):
        """Runs sides (Side) next to each other, step by step, and removes them."""
        api = self.api
        api.many(api.create, [namespace(side.place) for side in sides])
        api.many(api.create, [node for side in sides for node in side.nodes()])
        for step in range(max(len(side.steps) for side in sides)):
            self.step([side.steps[step] for side in sides if step < len(side.steps)])
        for side in sides:
            side.collect(self.answers)
        self._remove(sides)

    def step(self, steps):
        """The pods of one step of one side in their order, different sides at the same time."""
        def create(things):
            for thing in things:
                self.api.create(thing)
        self.api.many(create, steps, threads=12)
        self.answers.of([(thing["metadata"]["namespace"], thing["metadata"]["name"])
                         for things in steps for thing in things if thing["kind"] == "Pod"])

    def _remove(self, sides):
        """Pods first: they would be tried again when nodes go. Nobody ends namespaces."""
        self.api.many(lambda side: self.api.delete_all("Pod", side.place, grace=0), sides)
        places = ",".join(side.place for side in sides)
        self.api.delete_all("Node", query=f"?labelSelector={SIDE}+in+({places})")


class Side:
    """One scheduling of a case. After the run `placed` maps pods to nodes and `silent` has the pods
    about which nothing was said."""

    def __init__(self, lab, case, name, scheduler):
        self.case, self.name, self.place = case, name, case.place(name)
        self.steps = [self._group(lab, item) + [case.pod_object(name, item, pod, scheduler)
                                                for pod in item["pods"]]
                      for item in case.items]

    def _group(self, lab, item):
        if "minimum" not in item:
            return []
        return [self.case.group_object(self.name, item, lab.group_version, lab.version != "v1.36")]

    def nodes(self):
        return list(self.case.node_objects(self.name))

    def collect(self, answers):
        pods = [(self.place, pod) for item in self.case.items for pod in item["pods"]]
        self.placed = {pod: self.case.own_name(self.name, answers.nodes[place, pod])
                       for place, pod in pods if (place, pod) in answers.nodes}
        self.silent = [pod for place, pod in pods
                       if (place, pod) not in answers.nodes and (place, pod) not in answers.refused]

    def outcome(self):
        """What is compared: members of one gang are alike, so only their number counts."""
        return tuple(sum(1 for pod in item["pods"] if pod in self.placed)
                     for item in self.case.items)


class Replay(Side):
    """Tutti's decisions, put to kube-scheduler one by one."""

    def __init__(self, lab, tutti, name="replay", order=None):
        self.case, self.name, self.placed_by_tutti = tutti.case, name, tutti.placed
        self.place = self.case.place(name)
        self.steps = [step for item in self.case.items for step in self._ask(lab, item, order)]

    def nodes(self):
        return list(self.case.node_objects(self.name, self.placed_by_tutti))

    def _ask(self, lab, item, order):
        """Placed pods alone, each pinned; the rest of a running gang alone too, since its minimum
        is met; a gang that has no node as a gang."""
        placed = [pod for pod in item["pods"] if pod in self.placed_by_tutti]
        if not placed:
            return [self._group(lab, item) + [self.case.pod_object(self.name, item, pod, KUBE)
                                              for pod in item["pods"]]]
        if order is not None:
            random.Random(order).shuffle(placed)
        rest = [pod for pod in item["pods"] if pod not in placed]
        return [[self.case.pod_object(self.name, item, pod, KUBE, pod in placed, grouped=False)]
                for pod in placed + rest]

    def objections(self):
        """What kube-scheduler decided otherwise."""
        for item in self.case.items:
            for pod in item["pods"]:
                if pod in self.placed_by_tutti and pod not in self.placed:
                    yield f"{pod} on {self.placed_by_tutti[pod]} is not allowed"
                if pod not in self.placed_by_tutti and pod in self.placed:
                    yield f"{pod} fits on {self.placed[pod]}"


# --- judging -------------------------------------------------------------------------------------

class Verdicts:
    def __init__(self):
        self.kinds = collections.Counter()
        self.problems = []
        self.explained = []

    def add(self, case, kind, problem=None):
        self.kinds[kind] += 1
        if not problem and kind != "same":
            self.explained.append(f"seed {case.seed}: {kind}")
        if problem:
            self.problems.append(f"seed {case.seed}: {problem}")


def judge_wave(lab, seeds, verdicts):
    cases = [Case(seed) for seed in seeds]
    kube = [Side(lab, case, "kube", KUBE) for case in cases]
    tutti = [Side(lab, case, "tutti", TUTTI) for case in cases]
    lab.run(kube + tutti)
    objections = replay(lab, tutti)
    varied = rerun(lab, [mine.case for theirs, mine in zip(kube, tutti)
                         if theirs.outcome() != mine.outcome()])
    for theirs, mine in zip(kube, tutti):
        case = mine.case
        seen = {theirs.outcome()} | varied.get(case.seed, set())
        if mine.silent:
            verdicts.add(case, "no answer", f"Tutti said nothing about {', '.join(mine.silent)}")
        elif objections.get(case.seed):
            verdicts.add(case, "refused by kube-scheduler", "; ".join(objections[case.seed]))
        elif mine.outcome() == theirs.outcome():
            verdicts.add(case, "same")
        elif mine.outcome() in seen:
            verdicts.add(case, "same as kube-scheduler with another lot")
        elif varies_itself(mine.outcome(), seen):
            verdicts.add(case, "kube-scheduler varies at the same place")
        elif all(runs_more_gangs(case, mine.outcome(), other) for other in seen):
            verdicts.add(case, "a gang runs that kube-scheduler does not find room for")
        else:
            verdicts.add(case, "different", f"bound per item: Tutti {mine.outcome()}, "
                         f"kube-scheduler {sorted(seen)}")


def replay(lab, tutti):
    """Seed to objections, for the cases in which some remain whatever the order of members."""
    left = {side.case.seed: side for side in tutti if not side.silent}
    objections = {}
    for order in [None, *range(ORDERS)]:
        if not left:
            break
        asked = [Replay(lab, side, f"replay{'' if order is None else order}", order)
                 for side in left.values()]
        lab.run(asked)
        for side in asked:
            objections[side.case.seed] = list(side.objections())
            if not objections[side.case.seed]:
                del left[side.case.seed]
    return objections


def rerun(lab, cases):
    """Seed to the outcomes of kube-scheduler in further runs."""
    sides = [Side(lab, case, f"again{index}", KUBE) for case in cases for index in range(RERUNS)]
    if sides:
        lab.run(sides)
    outcomes = collections.defaultdict(set)
    for side in sides:
        outcomes[side.case.seed].add(side.outcome())
    return outcomes


def varies_itself(mine, seen):
    """At the first item in which no run of kube-scheduler is like Tutti, its runs are not alike."""
    alike = set(seen)
    for index, count in enumerate(mine):
        following = {other for other in alike if other[index] == count}
        if not following:
            return len({other[index] for other in alike}) > 1
        alike = following
    return False


def runs_more_gangs(case, mine, theirs):
    """The first item that differs is a gang that Tutti placed and kube-scheduler did not."""
    item, ours, other = next((item, a, b) for item, a, b in zip(case.items, mine, theirs) if a != b)
    return "minimum" in item and ours > other


# --- running -------------------------------------------------------------------------------------

def run(version, second, program, seeds, progress=lambda text: None):
    verdicts = Verdicts()
    with Lab(version, second, program) as lab:
        for start in range(0, len(seeds), WAVE):
            judge_wave(lab, seeds[start:start + WAVE], verdicts)
            progress(f"{min(start + WAVE, len(seeds))} of {len(seeds)} cases: "
                     f"{dict(verdicts.kinds)}")
    return verdicts


def tests(version):
    def differential(world):
        first = FIRST_SEED[version]
        part, whole = world.share
        verdicts = run(version, world.scheduler, world.program,
                       list(range(first, first + CASES[version]))[part::whole],
                       lambda text: print(f"        {version} differential: {text}", flush=True))
        return verdicts.problems
    yield f"differential/{CASES[version]}-cases", differential


def write_case(case, folder):
    """The case as manifests, for looking at it and for `tutti run`."""
    folder.mkdir(parents=True, exist_ok=True)
    things = list(case.node_objects("x")) + priority_classes()
    for item in case.items:
        if "minimum" in item:
            things.append(case.group_object("x", item, "scheduling.k8s.io/v1beta1", True))
        things += [case.pod_object("x", item, pod, KUBE) for pod in item["pods"]]
    path = folder / f"seed-{case.seed}.yaml"
    path.write_text("---\n".join(yaml.safe_dump(thing, sort_keys=False) for thing in things))
    return path


def main(arguments):
    parser = argparse.ArgumentParser(prog="./dev e2e differential", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, action="append", help="this case; may be repeated")
    parser.add_argument("--cases", type=int, default=300, help="this many seeds from 0 on")
    parser.add_argument("--version", choices=VERSIONS, default=VERSIONS[-1])
    parser.add_argument("--second", default="tutti", help="kube-scheduler: against itself")
    parser.add_argument("--program", default=ROOT / "build/release/tutti")
    parser.add_argument("--write", type=pathlib.Path, metavar="FOLDER", help="only write the cases")
    options = parser.parse_args(arguments)
    seeds = options.seed or list(range(options.cases))
    if options.write:
        for seed in seeds:
            print(write_case(Case(seed), options.write))
        return 0
    verdicts = run(options.version, options.second, options.program, seeds,
                   lambda text: print(text, flush=True))
    print("\n".join(verdicts.explained + verdicts.problems))
    return 1 if verdicts.problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
