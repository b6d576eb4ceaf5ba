"""What Kueue did, kept as text: a line of JSON for each world, of each turn what it changed.

So Tutti is compared with it wherever there is no Kueue. A record is of worlds as they were
generated then: read() refuses others.
"""

import hashlib
import json

from kueue.outcome import Admitted, Evicted, Outcome


def written(world, outcomes, order):
    """The line. `order` has the Jobs in the order of the uids of their Workloads."""
    turns, jobs, queues = [], {}, {}
    for outcome in outcomes:
        turns.append({
            "jobs": changes(jobs, dict(outcome.jobs)),
            "decisions": [list(each) for each in outcome.decisions],
            "queues": changes(queues, {name: packed(state)
                                       for name, state in outcome.queues.items()})})
    return json.dumps({"seed": world.seed, "world": digest(world), "order": order,
                       "turns": turns}, separators=(",", ":"))


def changes(known, now):
    """What is new, and None for what is gone; `known` is brought up to date."""
    changed = {name: state for name, state in now.items() if known.get(name) != state}
    changed |= {name: None for name in known.keys() - now.keys()}
    known.clear()
    known.update(now)
    return changed


def read(line, world_of):
    """(world, outcomes, order). `world_of` makes a world of its seed."""
    kept = json.loads(line)
    world = world_of(kept["seed"])
    if kept["world"] != digest(world):
        raise RuntimeError(f"seed {world.seed}: the record is of another world; "
                           "./dev e2e kueue --record makes it anew")
    outcomes, jobs, queues = [], {}, {}
    for turn in kept["turns"]:
        for known, changed in ((jobs, turn["jobs"]), (queues, turn["queues"])):
            known.update(changed)
            for name in [name for name, state in known.items() if state is None]:
                del known[name]
        outcomes.append(Outcome({name: as_tuples(state) for name, state in jobs.items()},
                                [decision(each) for each in turn["decisions"]],
                                {name: unpacked(state) for name, state in queues.items()}))
    return world, outcomes, kept["order"]


def decision(kept):
    return Admitted(*kept) if isinstance(kept[1], int) else Evicted(*kept)


def packed(queue):
    used = [[*pair, *amounts] for pair, amounts in sorted(queue["used"].items())]
    return [used, queue["pending"], queue["reserving"], queue["share"]]


def unpacked(kept):
    used, pending, reserving, share = kept
    return {"used": {(flavor, resource): (total, borrowed)
                     for flavor, resource, total, borrowed in used},
            "pending": pending, "reserving": reserving, "share": share}


def as_tuples(value):
    return tuple(as_tuples(each) for each in value) if isinstance(value, (list, tuple)) else value


def digest(world):
    things = [world.standing(), [vars(turn) for turn in world.turns]]
    return hashlib.sha256(json.dumps(things, sort_keys=True).encode()).hexdigest()[:12]
