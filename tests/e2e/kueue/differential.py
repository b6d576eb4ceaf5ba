"""The same quota worlds decided by the real Kueue and by Tutti.

For each world (worlds.py): its queues stand, then Jobs arrive and leave and queues change, one
thing after another, with rest between. After every turn the same Jobs must have quota, of the same
flavors and for as many pods, the same must have been evicted for the same reasons, and queues must
say the same of what is used and borrowed. One is the manager of Kueue (manager.py) on a real API
server, the other `tutti run`.

Equals go by a uid that an API server draws, here by name: Jobs are played under names in the order
of the uids that their Workloads had there.

A difference is a failure, with the seed that reproduces it:
    ./dev e2e kueue --seeds 17 [--write FOLDER]
Those that docs/differences.md lists are told by what was decided (listed.py) and counted by kind;
what follows in such a world is not compared. recorded.jsonl is what Kueue did in some worlds, for
where it is not at hand (--recorded).
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import sys
import threading

from kueue.kueue_side import KueueSide, Watched, path_of
from kueue.listed import listed
from kueue.manager import Kueue
from kueue.record import read, written
from kueue.tutti_side import TuttiSide
from kueue.worlds import FAIR_SHARING, Change, World, priority_classes
from stack import VERSIONS, Stack
from world import ROOT

WORLDS = 300
WAVE = 60


class Verdicts:
    def __init__(self):
        self.kinds = collections.Counter()
        self.turns = 0  # in which all was the same
        self.problems, self.explained = [], []
        self._lock = threading.Lock()

    def add(self, seed, kind, turns, lines=()):
        with self._lock:
            self.kinds[kind] += 1
            self.turns += turns
        if kind == "different":
            self.problems.append(f"seed {seed}: " + "\n    ".join(lines))
        elif kind != "same":
            self.explained.append(f"seed {seed}: {kind}")


class Lab:
    """A control plane with Kueue's manager."""

    def __init__(self, version, keep=False):
        self.stack = Stack(version, keep=keep)

    def __enter__(self):
        self.stack.__enter__()
        self.api = self.stack.api
        self.kueue = Kueue(self.stack)
        return self

    def __exit__(self, *failure):
        return self.stack.__exit__(*failure)

    def play(self, played, progress):
        """Yields (world, outcomes, Jobs in the order of their uids) wave by wave."""
        for fair in (False, True):
            chosen = [world for world in played if world.fair == fair]
            if not chosen:
                continue
            self.kueue.start(**({"fairSharing": FAIR_SHARING} if fair else {}))
            self._make_classes()
            with Watched(self.api) as watched:
                side = KueueSide(self.api, watched)
                for start in range(0, len(chosen), WAVE):
                    wave = chosen[start:start + WAVE]
                    outcomes = side.play(wave)
                    progress(f"{'fair' if fair else 'classical'}: "
                             f"{start + len(wave)} of {len(chosen)} worlds")
                    for world in wave:
                        uids = watched.uids[world.place]
                        yield world, outcomes[world.seed], sorted(uids, key=uids.get)

    def _make_classes(self):
        there = {thing["metadata"]["name"] for thing in
                 self.api.call("GET", path_of(priority_classes()[0]))["items"]}
        for thing in priority_classes():
            if thing["metadata"]["name"] not in there:
                self.api.call("POST", path_of(thing), thing)


def played_names(world, order):
    """Names that rise as in `order`; those that never had a Workload come last."""
    missing = [job["metadata"]["name"] for job in world.jobs()
               if job["metadata"]["name"] not in order]
    return {name: f"j{rank:02}" for rank, name in enumerate([*order, *missing])}


def judge(program, world, theirs, order, verdicts):
    ours = TuttiSide(program, world, played_names(world, order)).outcomes()
    changed = False
    for index, (mine, other) in enumerate(zip(ours, theirs)):
        changed = changed or isinstance(world.turns[index], Change)
        lines = mine.differences(other, compare_shares=not changed)
        if lines:
            before = theirs[index - 1].jobs if index else {}
            kind = listed(world, index, before, mine, other) or "different"
            title = f"after turn {index} ({told_turn(world.turns[index])}):"
            return verdicts.add(world.seed, kind, index, [title, *lines])
    kind = "same" if len(theirs) == len(world.turns) else "same, until Kueue found no rest"
    return verdicts.add(world.seed, kind, len(theirs))


def told_turn(turn):
    word = type(turn).__name__.lower()
    return f"{word} " + (turn.name if word == "leave" else
                         (turn.job if word == "arrive" else turn.thing)["metadata"]["name"])


def run(options, seeds, verdicts):
    """Plays the worlds with Kueue, and writes what it did to options.record."""
    record = options.record.open("w", encoding="utf-8") if options.record else None
    with Lab(options.version, options.keep) as lab, \
            concurrent.futures.ThreadPoolExecutor(1) as pool:
        judged = []
        for world, theirs, order in lab.play([World(seed) for seed in seeds], tell):
            judged.append(pool.submit(judge, options.program, world, theirs, order, verdicts))
            if record:
                print(written(world, theirs, order), file=record, flush=True)
        for each in judged:
            each.result()


def run_recorded(options, seeds, verdicts):
    with options.recorded.open(encoding="utf-8") as file:
        lines = [line for line in file if json.loads(line)["seed"] in seeds]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for each in [pool.submit(judge, options.program, *read(line, World), verdicts)
                     for line in lines]:
            each.result()


def tell(text):
    print(text, file=sys.stderr, flush=True)


def write_world(world, folder):
    """The world as manifests, for looking at it and for `tutti run`."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"world-{world.seed}.json"
    documents = TuttiSide(None, world).documents()
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": documents}, indent=1))
    return path


def seeds_of(text):
    match = re.fullmatch(r"(\d+)(?:\.\.(\d+))?", text)
    if not match:
        raise argparse.ArgumentTypeError(f"'{text}' is not A..B")
    first, last = int(match[1]), int(match[2] or match[1])
    return range(first, last + 1)


def main(arguments):
    parser = argparse.ArgumentParser(prog="./dev e2e kueue", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=WORLDS, help="this many seeds from 0 on")
    parser.add_argument("--seeds", type=seeds_of, metavar="A..B", help="these seeds instead")
    parser.add_argument("--version", choices=VERSIONS, default=VERSIONS[-1], help="of Kubernetes")
    parser.add_argument("--program", type=lambda path: pathlib.Path(path).resolve(),
                        default=ROOT / "build/release/tutti", help="the tutti to compare")
    parser.add_argument("--record", type=pathlib.Path, metavar="FILE",
                        help="write down what Kueue did")
    parser.add_argument("--recorded", type=pathlib.Path, metavar="FILE",
                        help="compare with what was written down, without Kueue")
    parser.add_argument("--write", type=pathlib.Path, metavar="FOLDER",
                        help="only write the worlds")
    parser.add_argument("--keep", action="store_true", help="keep logs and data")
    options = parser.parse_args(arguments)
    seeds = options.seeds or range(options.worlds)
    if options.write:
        for seed in seeds:
            print(write_world(World(seed), options.write))
        return 0
    verdicts = Verdicts()
    (run_recorded if options.recorded else run)(options, seeds, verdicts)
    for line in sorted(verdicts.explained) + sorted(verdicts.problems):
        print(line)
    print(f"{verdicts.kinds.total()} worlds, {verdicts.turns} turns alike: " +
          ", ".join(f"{count} {kind}" for kind, count in sorted(verdicts.kinds.items())))
    return 1 if verdicts.problems or not verdicts.turns else 0
