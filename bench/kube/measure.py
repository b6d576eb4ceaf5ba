"""One measurement: a restored cluster, one side started, until the last pod is bound."""

import json
import os
import pathlib
import select
import subprocess
import sys
import time
from typing import NamedTuple

from scenes import NAMESPACE
from sides import SIDES

CLOCK = pathlib.Path(__file__).resolve().parent / "binding_clock.py"
TICKS = os.sysconf("SC_CLK_TCK")
IDLE_SHARE = 0.02  # of a core: the side has nothing left to do


class Figures(NamedTuple):
    bound_per_second: float
    start_to_last_seconds: float
    start_to_first_seconds: float
    cpu_ms_per_pod: float
    rss_peak_mib: float


def measure(stack, scene, state, side, seconds_max):
    """TimeoutError when not all pods are bound in time."""
    stack.restore(state)
    # The first list of a fresh API server fills its caches; it belongs to nobody's figures.
    stack.api.call("GET", "/api/v1/nodes?resourceVersion=0")
    stack.api.call("GET", "/api/v1/pods?resourceVersion=0")
    clock = subprocess.Popen(
        [sys.executable, "-B", str(CLOCK), stack.kubeconfig("admin"), NAMESPACE, str(scene.pods)],
        stdout=subprocess.PIPE, text=True)
    try:
        assert clock.stdout.readline() == "ready\n"
        began = time.monotonic()
        process = SIDES[side](stack)
        times = _await_last(clock, process, side, stack, seconds_max)
        cpu, rss = _settled(process.pid)
        return Figures(
            bound_per_second=(scene.pods - 1) / max(times["last"] - times["first"], 1e-3),
            start_to_last_seconds=times["last"] - began,
            start_to_first_seconds=times["first"] - began,
            cpu_ms_per_pod=cpu * 1000 / scene.pods, rss_peak_mib=rss)
    finally:
        clock.kill()
        clock.wait()
        if side in stack.processes:
            stack.kill(side)


def _await_last(clock, process, side, stack, seconds_max):
    deadline = time.monotonic() + seconds_max
    while time.monotonic() < deadline:
        if select.select([clock.stdout], [], [], 0.5)[0]:
            return json.loads(clock.stdout.readline())
        if process.poll() is not None:
            raise RuntimeError(f"{side} ended with {process.returncode}: "
                               f"{stack.log(side).read_text(errors='replace')[-500:]}")
    raise TimeoutError(f"{side} did not bind all pods within {seconds_max} s")


def _settled(pid):
    """CPU seconds and peak MiB once the work after the last binding (events) is done too."""
    before = _cpu(pid)
    for _ in range(60):
        time.sleep(1)
        now = _cpu(pid)
        if now - before <= IDLE_SHARE:
            break
        before = now
    return _cpu(pid), _peak_mib(pid)


def _cpu(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def _peak_mib(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("no VmHWM")
