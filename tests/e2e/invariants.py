"""What must hold in every history of pods, whatever broke on the way.

    violations(changes, gangs, capacity) -> [sentence, …]

`gangs`: name of the PodGroup -> its minimum; `capacity`: node -> milli CPU.
"""

import collections


def violations(changes, gangs, capacity):
    return (pods_on_two_nodes(changes) + overcommitted_nodes(changes, capacity)
            + evictions_from_complete_gangs(changes, gangs))


def pods_on_two_nodes(changes):
    found, node_of = [], {}
    for change in changes:
        if change.pod is None or change.pod.node is None:
            continue
        first = node_of.setdefault(change.pod.uid, change.pod.node)
        if first != change.pod.node:
            found.append(f"pod {change.name} was on {first} and then on {change.pod.node}")
    return found


def overcommitted_nodes(changes, capacity):
    """Each node once, at the change that first asked too much of it."""
    found, used, holds = {}, collections.Counter(), {}
    for change in changes:
        node, milli_cpu = holds.pop(change.name, (None, 0))
        used[node] -= milli_cpu
        pod = change.pod
        if pod is None or not pod.occupies:
            continue
        holds[change.name] = pod.node, pod.milli_cpu
        used[pod.node] += pod.milli_cpu
        if used[pod.node] > capacity.get(pod.node, 0) and pod.node not in found:
            found[pod.node] = (f"node {pod.node} has {capacity.get(pod.node, 0)}m and was given "
                               f"{used[pod.node]}m with pod {change.name} "
                               f"(revision {change.revision}, {change.seconds:.2f} s)")
    return list(found.values())


class Membership:
    """Which members of each gang run, followed change by change."""

    def __init__(self, gangs):
        self.minimum = gangs
        self.members = collections.defaultdict(set)
        self.group_of = {}
        self.complete = set()  # gangs that had their minimum at some time

    def follow(self, change):
        """The name of the gang that the change was about, or None."""
        if change.pod is not None and change.pod.group is not None:
            self.group_of[change.name] = change.pod.group
        group = self.group_of.get(change.name)
        if group not in self.minimum:
            return None
        if change.pod is not None and change.pod.counts:
            self.members[group].add(change.name)
        else:
            self.members[group].discard(change.name)
        if len(self.members[group]) >= self.minimum[group]:
            self.complete.add(group)
        return group

    def half(self):
        """Gangs that hold something, less than their minimum, and never had it."""
        return sorted(group for group, members in self.members.items()
                      if 0 < len(members) < self.minimum[group] and group not in self.complete)


def evictions_from_complete_gangs(changes, gangs):
    """Only a member that never was part of a complete gang may be taken back as incomplete: the
    gang never ran, or it lost members before this one came to replace them (ADR 5). A scheduler
    that was away while members went without a trace cannot know better; members that finished are
    a trace."""
    found, got_a_node, group_of, told = [], collections.defaultdict(set), {}, set()
    leaving, was_whole = set(), set()
    for change in changes:
        pod = change.pod
        if pod is None:
            got_a_node[group_of.pop(change.name, None)].discard(change.name)
            leaving.discard(change.name)
            was_whole.discard(change.name)
            continue
        if pod.group not in gangs or pod.node is None:
            continue
        group_of[change.name] = pod.group
        holders = got_a_node[pod.group]
        holders.add(change.name)
        if pod.deleting:
            leaving.add(change.name)
        if len(holders - leaving) >= gangs[pod.group]:
            was_whole |= holders - leaving
        # The first eviction of a gang counts: the others follow from it.
        if pod.disruption == "IncompleteGang" and pod.group not in told:
            told.add(pod.group)
            if len(holders) >= gangs[pod.group] and change.name in was_whole:
                found.append(f"pod {change.name} was evicted as IncompleteGang although "
                             f"{pod.group} had been complete (revision {change.revision}, "
                             f"{change.seconds:.2f} s)")
    return found


def half_bound_times(changes, gangs):
    """How long each gang was below its minimum before it first had it: gang -> seconds in sum."""
    membership, since, total = Membership(gangs), {}, collections.Counter()
    for change in changes:
        group = membership.follow(change)
        if group is None:
            continue
        half = (0 < len(membership.members[group]) < membership.minimum[group]
                and group not in membership.complete)
        if half:
            since.setdefault(group, change.seconds)
        elif group in since:
            total[group] += change.seconds - since.pop(group)
    return total
