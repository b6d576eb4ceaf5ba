"""The checks of fault runs find what they are for. Needs no cluster."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import invariants  # noqa: E402
from history import Change, Pod  # noqa: E402

GANGS = {"g": 2}
CAPACITY = {"n1": 2000, "n2": 2000}


def pod(name, node=None, group="g", cpu=1000, phase="Pending", deleting=False, disruption=None):
    return Pod(name, "t", f"uid-{name}", "tutti", group, node, cpu, phase, deleting, disruption)


def changes(*pods):
    """One change each, a second apart; a plain name is a pod that is gone."""
    return [Change(i, float(i), f"t/{p if isinstance(p, str) else p.name}",
                   None if isinstance(p, str) else p) for i, p in enumerate(pods)]


class Invariants(unittest.TestCase):
    def test_a_pod_that_changes_its_node_is_found(self):
        moved = changes(pod("a"), pod("a", "n1"), pod("a", "n2"))
        self.assertEqual(len(invariants.pods_on_two_nodes(moved)), 1)

    def test_a_pod_that_stays_is_not(self):
        self.assertEqual(invariants.pods_on_two_nodes(changes(pod("a", "n1"), pod("a", "n1"))), [])

    def test_a_node_given_too_much_is_found_once(self):
        full = changes(pod("a", "n1", cpu=1500), pod("b", "n1"), pod("c", "n1"))
        self.assertEqual(len(invariants.overcommitted_nodes(full, CAPACITY)), 1)

    def test_room_returns_with_the_end_of_a_pod(self):
        for end in ("a", pod("a", "n1", cpu=1500, phase="Succeeded")):
            turns = changes(pod("a", "n1", cpu=1500), end, pod("b", "n1", cpu=1500))
            self.assertEqual(invariants.overcommitted_nodes(turns, CAPACITY), [])

    def test_a_pod_that_is_being_deleted_still_takes_room(self):
        early = changes(pod("a", "n1", cpu=1500), pod("a", "n1", cpu=1500, deleting=True),
                        pod("b", "n1", cpu=1500))
        self.assertEqual(len(invariants.overcommitted_nodes(early, CAPACITY)), 1)

    def test_a_binding_to_an_unknown_node_is_found(self):
        self.assertEqual(len(invariants.overcommitted_nodes(changes(pod("a", "n9")), CAPACITY)), 1)

    def test_a_gang_is_half_until_it_has_its_minimum(self):
        membership = invariants.Membership(GANGS)
        seen = []
        for change in changes(pod("a"), pod("a", "n1"), pod("b", "n2"), "b"):
            membership.follow(change)
            seen.append(membership.half())
        self.assertEqual(seen, [[], ["g"], [], []])

    def test_a_gang_that_was_taken_back_is_not_half(self):
        membership = invariants.Membership(GANGS)
        for change in changes(pod("a", "n1"), pod("a", "n1", deleting=True)):
            membership.follow(change)
        self.assertEqual(membership.half(), [])

    def test_an_eviction_from_a_complete_gang_is_found(self):
        for first, count in ((pod("b", "n2"), 1), (pod("b"), 0)):
            evicted = changes(pod("a", "n1"), first,
                              pod("a", "n1", disruption="IncompleteGang"))
            self.assertEqual(len(invariants.evictions_from_complete_gangs(evicted, GANGS)), count)

    def test_a_finished_member_shows_that_the_gang_ran_and_a_vanished_one_does_not(self):
        for end, count in ((pod("b", "n2", phase="Succeeded"), 1), ("b", 0)):
            evicted = changes(pod("a", "n1"), pod("b", "n2"), end,
                              pod("a", "n1", disruption="IncompleteGang"))
            self.assertEqual(len(invariants.evictions_from_complete_gangs(evicted, GANGS)), count)

    def test_a_member_that_came_after_others_had_left_may_be_taken_back(self):
        # With "b" staying the gang is whole again when "c" comes, and "c" has to be left alone.
        for leaves, count in ((True, 0), (False, 1)):
            evicted = changes(pod("a", "n1"), pod("b", "n2"), pod("a", "n1", deleting=True),
                              pod("b", "n2", deleting=leaves), pod("c", "n1"),
                              pod("b", "n2", deleting=True),
                              pod("c", "n1", disruption="IncompleteGang"))
            self.assertEqual(len(invariants.evictions_from_complete_gangs(evicted, GANGS)), count)

    def test_the_time_below_the_minimum_is_summed(self):
        times = changes(pod("a", "n1"), "a", pod("c", "n1"), pod("d", "n1"))
        self.assertEqual(invariants.half_bound_times(times, GANGS), {"g": 2.0})


if __name__ == "__main__":
    program = unittest.main(exit=False)
    failed = len(program.result.failures) + len(program.result.errors)
    print(f"{program.result.testsRun - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
