"""A world played by `tutti run`, in virtual time."""

import copy
import json
import pathlib
import subprocess
import tempfile

from kueue import worlds
from kueue.outcome import (FINISHED, Admitted, Evicted, Outcome, job_of, queue_state,
                           state_of)

TURN_SECONDS = 600
KINDS = "kwl,clusterqueues"


class TuttiSide:
    """`order` maps names of Jobs to names under which they are played: equals go by name here, by a
    uid that was drawn there."""

    def __init__(self, program, world, order=None):
        self.program, self.world = program, world
        self.order = order or {}
        self.names = {new: old for old, new in self.order.items()}

    def outcomes(self):
        """After each turn."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "world.json"
            path.write_text(json.dumps({"apiVersion": "v1", "kind": "List",
                                        "items": self.documents()}))
            return [self._outcome(path, turn) for turn in range(len(self.world.turns))]

    def documents(self):
        world = self.world
        standing = world.standing()
        return [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": world.place}},
                *worlds.nodes_of(world.flavors), *worlds.priority_classes(), *standing,
                *([self._fair_sharing()] if world.fair else []), *self._turns()]

    @staticmethod
    def _fair_sharing():
        return {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration",
                "fairSharing": worlds.FAIR_SHARING}

    def _turns(self):
        jobs = {}
        for index, turn in enumerate(self.world.turns):
            at = f"{(index + 1) * TURN_SECONDS}s"
            if isinstance(turn, worlds.Leave):
                jobs[turn.name]["metadata"]["annotations"]["tutti.dev/delete-at"] = at
                continue
            thing = copy.deepcopy(turn.thing if isinstance(turn, worlds.Change) else turn.job)
            thing["metadata"].setdefault("annotations", {})["tutti.dev/at"] = at
            if thing["kind"] == "Job":
                name = thing["metadata"]["name"]
                jobs[name] = thing
                thing["metadata"]["name"] = self.order.get(name, name)
            yield thing

    def _outcome(self, path, turn):
        timeline = path.parent / "timeline"
        done = subprocess.run(
            [self.program, "run", "-f", path, "--until", f"{(turn + 2) * TURN_SECONDS - 1}s",
             "-o", "json", "--kinds", KINDS, "--timeline", timeline],
            capture_output=True, text=True, timeout=120, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"tutti run: {done.stderr.strip()}")
        things = json.loads(done.stdout)["items"]
        jobs = {self._name(job_of(thing)): state_of(thing) for thing in things
                if thing["kind"] == "Workload" and "deletionTimestamp" not in thing["metadata"]}
        decided = list(self._decisions(timeline, turn))
        return Outcome({name: state for name, state in jobs.items() if state != FINISHED},
                       [decision for decision, _ in decided],
                       {thing["metadata"]["name"]: queue_state(thing) for thing in things
                        if thing["kind"] == "ClusterQueue"},
                       [(decision.job, by) for decision, by in decided if by])

    def _decisions(self, timeline, turn):
        """Of the turn, by the timeline; and who made room for whom."""
        for line in timeline.read_text().splitlines():
            event = json.loads(line)
            kind, entity = event["decision"], event["entity"]
            if event["seconds"] < (turn + 1) * TURN_SECONDS or not entity.startswith("Workload "):
                continue
            job = self._name(job_of_workload(entity))
            if kind == "evicted":
                by = event.get("by")
                yield Evicted(job, event["rule"]), by and self._name(job_of_workload(by))
            elif kind == "admitted":
                yield Admitted(job, len(event["bindings"])), None

    def _name(self, name):
        return self.names.get(name, name)


def job_of_workload(name):
    """Of "w1/job-j03-12345"."""
    return name.rsplit("/", 1)[1].removeprefix("job-").rsplit("-", 1)[0]
