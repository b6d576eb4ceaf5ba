"""Differences that docs/differences.md lists, recognised by what was decided in the turn in which
they appear. Each rule says what must have happened on both sides."""

from kueue.outcome import RUNNING, WAITING, Admitted, Evicted
from kueue.worlds import Change

ROOM_IS_KEPT = "room that is made is kept for whom it was made"
ALL_AT_ONCE = "all of a queue whose turn it is, not one head of each queue"
AT_ONCE = "parked work is tried at once, not a moment later"
FIRST_FLAVOR = "every attempt begins at the first flavor"
SHARES_CHANGED = "parked work is tried when others' shares have grown"
STOPPED = "work of a stopped queue gives way to those who own what it uses"
SHRUNK = "work that can do with fewer pods gives some away instead of leaving, and grows back"
NOT_KEPT = "nothing is kept for a StrictFIFO head under Fair Sharing"

MINIMUM = "kueue.x-k8s.io/job-min-parallelism"
QUEUE, PRIORITY = "kueue.x-k8s.io/queue-name", "kueue.x-k8s.io/priority-class"


def listed(world, turn, before, mine, other):
    """The kind of the difference in the turn of that index, or None. `before` is what had become of
    the Jobs before."""
    if evicted_of_stopped(world, turn, mine, other):
        return STOPPED
    if gave_pods_away(world, mine, other):
        return SHRUNK
    if others_took_the_room(mine, other):
        return ROOM_IS_KEPT
    if parked_came_later(world, before, mine, other):
        return AT_ONCE
    if not_the_first_of_its_queue(world, before, mine, other):
        return ALL_AT_ONCE
    if began_at_the_first_flavor(world, before, mine, other):
        return FIRST_FLAVOR
    if took_what_is_kept(world, before, mine, other):
        return NOT_KEPT
    if shares_let_parked_work_in(world, before, mine, other):
        return SHARES_CHANGED
    return None


def evicted_of_stopped(world, turn, mine, other):
    """Tutti evicted work of a queue that is stopped for the sake of others; Kueue, which does not
    look into such queues, evicted nobody of them."""
    stopped = {}
    for each in world.turns[:turn + 1]:
        if isinstance(each, Change):
            stopped[each.thing["metadata"]["name"]] = each.thing["spec"].get("stopPolicy")
    jobs, theirs = jobs_of(world), {each.job for each in other.evicted()}
    gave_way = [victim for victim, _ in mine.made_room
                if stopped.get(jobs[victim]["metadata"]["labels"][QUEUE])]
    return bool(gave_way) and not theirs.intersection(gave_way)


def gave_pods_away(world, mine, other):
    """Tutti evicted nobody whom Kueue left. Somebody who may run with fewer pods does so here, and
    there does not; or whoever Kueue evicted, and whoever runs with more pods here, may."""
    if mine.evicted() - other.evicted():
        return False
    jobs = jobs_of(world)
    elastic = {name for name, job in jobs.items()
               if MINIMUM in job["metadata"].get("annotations", {})}
    pods = {name: (pods_of(mine.jobs.get(name)), pods_of(other.jobs.get(name))) for name in jobs}
    if any(0 < here < there for name, (here, there) in pods.items() if name in elastic):
        return True
    spared = {each.job for each in other.evicted() - mine.evicted()}
    larger = {name for name, (here, there) in pods.items() if here > there}
    return bool(spared | larger) and spared | larger <= elastic


def pods_of(state):
    return state[2] if state is not None and state[0] == RUNNING else 0


def others_took_the_room(mine, other):
    """Both evicted the same for the same preemptor. Tutti then admitted it; Kueue first admitted
    somebody else."""
    preemptors = {by for _, by in mine.made_room}
    return any(took_the_room(preemptor, mine, other) for preemptor in preemptors)


def took_the_room(preemptor, mine, other):
    victims = {victim for victim, by in mine.made_room if by == preemptor}
    left = [index for index, each in enumerate(other.decisions)
            if isinstance(each, Evicted) and each.job in victims]
    if {other.decisions[index].job for index in left} != victims:
        return False
    after = [each.job for each in other.decisions[left[0]:] if isinstance(each, Admitted)]
    return bool(after) and after[0] != preemptor and preemptor in admitted(mine)


def parked_came_later(world, before, mine, other):
    """Kueue tries the head of a StrictFIFO queue in every cycle, and what it parked in other queues
    up to a second later: the first it admitted that Tutti did not was such a head, and whoever
    Tutti admitted instead had been parked, or was evicted in this very turn."""
    only_theirs, only_mine = admitted(other) - admitted(mine), admitted(mine) - admitted(other)
    first = next((each.job for each in other.decisions
                  if isinstance(each, Admitted) and each.job in only_theirs), None)
    jobs, strict = jobs_of(world), strict_queues(world)
    parked = {name for name, state in before.items()
              if state == WAITING and jobs[name]["metadata"]["labels"][QUEUE] not in strict}
    parked |= {each.job for each in mine.evicted() if other.evicted()[each]}
    return first is not None and jobs[first]["metadata"]["labels"][QUEUE] in strict and \
        only_mine <= parked


def not_the_first_of_its_queue(world, before, mine, other):
    """Whoever was admitted here only had others before it in its queue when the turn began: there
    it had to wait for a later cycle, and those of other queues went before it."""
    only_theirs, only_mine = admitted(other) - admitted(mine), admitted(mine) - admitted(other)
    jobs = jobs_of(world)
    waited = [name for name, state in before.items() if state == WAITING]
    return bool(only_mine) and bool(only_theirs) and all(
        any(goes_before(jobs[name], jobs[late]) for name in waited if name != late)
        for late in only_mine)


def began_at_the_first_flavor(world, before, mine, other):
    """The same run with as many pods. Those that do not run on the same flavors had been tried
    before, and in Kueue have a later flavor of their queue's list than here."""
    if mine.evicted() != other.evicted() or mine.jobs.keys() != other.jobs.keys():
        return False
    unlike = [name for name in mine.jobs if mine.jobs[name] != other.jobs[name]]
    was_tried = {each.job for each in mine.decisions if isinstance(each, Evicted)} | {
        name for name, state in before.items() if state == WAITING}
    return bool(unlike) and all(
        name in was_tried and has_later_flavor(world, name, mine.jobs[name], other.jobs[name])
        for name in unlike)


def took_what_is_kept(world, before, mine, other):
    """Under Fair Sharing Kueue admitted nobody whom Tutti did not; whoever was admitted here only
    is of another queue than a StrictFIFO head that waited before and cannot reclaim from anybody.
    """
    only_mine = admitted(mine) - admitted(other)
    if not world.fair or not only_mine or admitted(other) - admitted(mine):
        return False
    jobs = jobs_of(world)
    reclaims = {queue["metadata"]["name"] for queue in world.queues
                if queue["spec"]["preemption"]["reclaimWithinCohort"] == "Any"}
    keep = {jobs[name]["metadata"]["labels"][QUEUE] for name, state in before.items()
            if state == WAITING} & strict_queues(world) - reclaims
    return all(keep - {jobs[name]["metadata"]["labels"][QUEUE]} for name in only_mine)


def shares_let_parked_work_in(world, before, mine, other):
    """Under Fair Sharing: after somebody was admitted on both sides, Tutti first admitted parked
    work at others' cost; Kueue, which tries parked work when something comes free, decided no
    more."""
    common = other.decisions
    if not world.fair or mine.decisions[:len(common)] != common:
        return False
    more = [each.job for each in mine.decisions[len(common):] if isinstance(each, Admitted)]
    return bool(more) and any(isinstance(each, Admitted) for each in common) and \
        before.get(more[0]) == WAITING and more[0] in {by for _, by in mine.made_room}


def has_later_flavor(world, name, mine, other):
    if RUNNING not in (mine[0], other[0]) or mine[0] != other[0] or mine[2] != other[2]:
        return False
    queue = jobs_of(world)[name]["metadata"]["labels"][QUEUE]
    groups = next(each["spec"]["resourceGroups"] for each in world.queues
                  if each["metadata"]["name"] == queue)
    rank = {(resource, flavor["name"]): index for group in groups
            for index, flavor in enumerate(group["flavors"])
            for resource in group["coveredResources"]}
    return all(rank[there] >= rank[here] for here, there in zip(mine[1], other[1]))


def admitted(outcome):
    return {each.job for each in outcome.decisions if isinstance(each, Admitted)}


def jobs_of(world):
    return {job["metadata"]["name"]: job for job in world.jobs()}


def strict_queues(world):
    return {queue["metadata"]["name"] for queue in world.queues
            if queue["spec"].get("queueingStrategy") == "StrictFIFO"}


def goes_before(job, other):
    """In the same queue; names rise with time."""
    labels, others = job["metadata"]["labels"], other["metadata"]["labels"]
    rank, other_rank = int(labels[PRIORITY][1:]), int(others[PRIORITY][1:])
    earlier = job["metadata"]["name"] < other["metadata"]["name"]
    return labels[QUEUE] == others[QUEUE] and (
        rank > other_rank or rank == other_rank and earlier)
