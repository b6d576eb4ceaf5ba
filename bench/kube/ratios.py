"""The figures that are promised: Tutti beside kube-scheduler and beside a binder that decides
nothing, each as a ratio within one run."""

import statistics
from typing import NamedTuple


class Ratio(NamedTuple):
    figure: str
    above: str  # the side whose value is divided …
    below: str  # … by this one's
    field: str  # of measure.Figures
    at_least: dict  # scene -> bound; None: only shown
    nodes_min: int = 0
    pods_min: int = 0


RATIOS = (
    Ratio("bound pods/s, tutti / null binder", "tutti", "null-binder", "bound_per_second",
          {"plain": 0.9, "gangs": 0.9, "racks": 0.9}),
    Ratio("bound pods/s, tutti / null binder, late events", "tutti", "late-events",
          "bound_per_second", {"plain": None, "gangs": None, "racks": None}),
    Ratio("bound pods/s, tutti / kube-scheduler", "tutti", "kube-scheduler", "bound_per_second",
          {"plain": 1.8, "gangs": 3, "racks": 15}),
    Ratio("CPU per pod, kube-scheduler / tutti", "kube-scheduler", "tutti", "cpu_ms_per_pod",
          {"plain": 10, "gangs": 15, "racks": 100}),
    Ratio("peak RSS, kube-scheduler / tutti", "kube-scheduler", "tutti", "rss_peak_mib",
          {"plain": 4, "gangs": 4, "racks": 4}, nodes_min=5000),
    Ratio("start to last binding, kube-scheduler / tutti", "kube-scheduler", "tutti",
          "start_to_last_seconds", {"gangs": 8}, pods_min=6400),
)


def medians(measured):
    """{side: [Figures]} -> {side: Figures} of medians."""
    return {side: type(runs[0])(*map(statistics.median, zip(*runs)))
            for side, runs in measured.items() if runs}


def ratios_of(scene, sides):
    """(figure, value, at_least) for what was measured and is promised in this scene."""
    for ratio in RATIOS:
        if scene.name not in ratio.at_least:
            continue
        if scene.nodes < ratio.nodes_min or scene.pods < ratio.pods_min:
            continue
        if ratio.above in sides and ratio.below in sides:
            value = (getattr(sides[ratio.above], ratio.field)
                     / getattr(sides[ratio.below], ratio.field))
            yield ratio.figure, value, ratio.at_least[scene.name]
