"""What Kueue did, kept as text: a line of JSON for each world, with what each turn changed.

So Tutti is compared with it wherever there is no Kueue, but for the status of queues, which is left
out. A record is of worlds as they were generated then: read() refuses others.

    {"seed": 1, "world": DIGEST, "order": Jobs by the uids of their Workloads, "turns":
     [[{"j00": "2 cpu=w1-a", "j01": "-"}, ["+j00 2", "-j02 InClusterQueue"]], …]}

of each turn: what became of Jobs ("-": waiting; null: gone), and what was decided, in order.
"""

import hashlib
import json

from kueue.outcome import RUNNING, WAITING, Admitted, Evicted, Outcome


def written(world, outcomes, order):
    """The line. `order` has the Jobs in the order of the uids of their Workloads."""
    turns, known = [], {}
    for outcome in outcomes:
        now = {name: told(state) for name, state in outcome.jobs.items()}
        changed = {name: state for name, state in now.items() if known.get(name) != state}
        changed |= {name: None for name in known.keys() - now.keys()}
        turns.append([changed, [told_decision(each) for each in outcome.decisions]])
        known = now
    return json.dumps({"seed": world.seed, "world": digest(world), "order": order,
                       "turns": turns}, separators=(",", ":"))


def read(line, world_of):
    """(world, outcomes, order). `world_of` makes a world of its seed."""
    kept = json.loads(line)
    world = world_of(kept["seed"])
    if kept["world"] != digest(world):
        raise RuntimeError(f"seed {world.seed}: the record is of another world; "
                           "./dev e2e kueue --record makes it anew")
    outcomes, jobs = [], {}
    for changed, decisions in kept["turns"]:
        jobs.update(changed)
        jobs = {name: state for name, state in jobs.items() if state is not None}
        outcomes.append(Outcome({name: state_of(text) for name, text in jobs.items()},
                                [decision_of(text) for text in decisions], None))
    return world, outcomes, kept["order"]


def told(state):
    if state == WAITING:
        return "-"
    _, flavors, pods = state
    return " ".join([str(pods), *(f"{resource}={flavor}" for resource, flavor in flavors)])


def state_of(text):
    if text == "-":
        return WAITING
    pods, *flavors = text.split(" ")
    return RUNNING, tuple(tuple(each.split("=")) for each in flavors), int(pods)


def told_decision(decision):
    return f"{'+' if isinstance(decision, Admitted) else '-'}{decision[0]} {decision[1]}"


def decision_of(text):
    job, what = text[1:].split(" ")
    return Admitted(job, int(what)) if text[0] == "+" else Evicted(job, what)


def digest(world):
    things = [world.standing(), [vars(turn) for turn in world.turns]]
    return hashlib.sha256(json.dumps(things, sort_keys=True).encode()).hexdigest()[:12]
