"""Churn for a long time: gangs come and go, the watches are cut now and then, and the scheduler's
memory must not grow once it has warmed up."""

import statistics
import time

from fault_run import FaultRun

GANGS_PER_SECOND_MAX = 10
OUTSTANDING_MAX = 40  # so that a slow machine is only slow
SAMPLE_SECONDS = 10
GROWTH_MAX = 1.1
GROWTH_KIB_MAX = 2048  # noise of small processes


def seconds_of(text):
    units = {"s": 1, "m": 60, "h": 3600}
    return float(text[:-1]) * units[text[-1]] if text[-1] in units else float(text)


def resident_kib(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))


class Soak(FaultRun):
    def __init__(self, stack, history, seed, program, seconds):
        super().__init__(stack, history, seed, "cut-watches", program,
                         int(seconds * GANGS_PER_SECOND_MAX) + 1, seconds)
        self.load.between_gangs = 1 / GANGS_PER_SECOND_MAX
        self.load.outstanding_max = OUTSTANDING_MAX
        self.samples = []

    def disturb(self):
        next_cut = time.monotonic() + 60
        while self.time_left():
            time.sleep(SAMPLE_SECONDS)
            self.samples.append(resident_kib(self.stack.processes[self.names[0]].pid))
            if time.monotonic() > next_cut:
                self.proxies[0].cut()
                next_cut += 60
        self.load.no_more()
        self._compare()

    def _compare(self):
        """The medians of the second and of the last fifth."""
        fifth = len(self.samples) // 5
        if fifth == 0:
            return
        early = statistics.median(self.samples[fifth:2 * fifth])
        late = statistics.median(self.samples[-fifth:])
        self.counts["KiB early"], self.counts["KiB late"] = int(early), int(late)
        if late > early * GROWTH_MAX and late > early + GROWTH_KIB_MAX:
            self.problems.append(f"memory grew from {early:.0f} to {late:.0f} KiB")


def soak(stack, history, options):
    run = Soak(stack, history, options.seed or 1,
               None if options.kube_scheduler else options.tutti, seconds_of(options.soak))
    run.go()
    print(run.summary() + (": FAILED" if run.problems else ": passed"))
    for problem in run.problems:
        print(f"  {problem}")
    return not run.problems
