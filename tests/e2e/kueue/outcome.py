"""What is compared of a turn: which Jobs run, with what, and who had to leave."""

import collections
import dataclasses
import typing

WAITING, FINISHED = ("waiting",), ("finished",)
RUNNING = "admitted"


class Admitted(typing.NamedTuple):
    job: str
    pods: int


class Evicted(typing.NamedTuple):
    job: str
    why: str


@dataclasses.dataclass
class Outcome:
    """`jobs` maps names to what has become of them (state_of), `queues` the queues' names to what
    their status says (None: not known); `decisions` are those of the turn, in order. Of Tutti
    `made_room` says who was evicted for whom."""
    jobs: dict
    decisions: list
    queues: dict
    made_room: list = dataclasses.field(default_factory=list)

    def evicted(self):
        return collections.Counter(each for each in self.decisions if isinstance(each, Evicted))

    def differences(self, other, ours="Tutti", theirs="Kueue", compare_shares=True):
        """Kueue brings the share of a queue up to date when something happens in that queue: where
        the quota of others has changed it is not compared."""
        lines = [f"{name}: {theirs} {told(other.jobs.get(name))}, "
                 f"{ours} {told(self.jobs.get(name))}"
                 for name in sorted(self.jobs.keys() | other.jobs.keys())
                 if self.jobs.get(name) != other.jobs.get(name)]
        mine, others = self.evicted(), other.evicted()
        lines += [f"{each.job} evicted ({each.why}): {theirs} {others[each]} times, "
                  f"{ours} {mine[each]} times"
                  for each in sorted(mine.keys() | others.keys()) if mine[each] != others[each]]
        if not lines and other.queues is not None:  # queues differ whenever Jobs do
            lines += [f"queue {name}: {theirs} {other.queues.get(name)}, {ours} {queue}"
                      for name, queue in sorted(self.queues.items())
                      if any(queue[field] != other.queues[name][field] for field in queue
                             if compare_shares or field != "share")]
        return lines


def told(state):
    if state is None:
        return "is without it"
    if state[0] != RUNNING:
        return state[0]
    return f"{state[2]} pods on " + ", ".join(f"{name} of {flavor}" for name, flavor in state[1])


def state_of(workload):
    """Of one Workload as the API has it."""
    status = workload.get("status", {})
    conditions = {each["type"]: each["status"] for each in status.get("conditions", [])}
    if conditions.get("Finished") == "True":
        return FINISHED
    if conditions.get("QuotaReserved") != "True" or "admission" not in status:
        return WAITING
    (assignment,) = status["admission"]["podSetAssignments"]
    return RUNNING, tuple(sorted(assignment.get("flavors", {}).items())), assignment.get("count")


def job_of(workload):
    """The name of the Job that it belongs to."""
    owners = workload["metadata"].get("ownerReferences", [])
    return owners[0]["name"] if owners else None


def queue_state(queue):
    """What both sides must say of a queue: what is used and borrowed, and the published share."""
    status = queue.get("status", {})
    used = {(flavor["name"], resource["name"]): (resource.get("total", "0"),
                                                 resource.get("borrowed", "0"))
            for flavor in status.get("flavorsReservation", ()) for resource in flavor["resources"]
            if resource.get("total", "0") != "0"}
    return {"used": used, "pending": status.get("pendingWorkloads", 0),
            "reserving": status.get("reservingWorkloads", 0),
            "share": status.get("fairSharing", {}).get("weightedShare", 0)}
