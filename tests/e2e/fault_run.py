"""One run under faults: a cluster, gangs, one or two schedulers behind fault proxies, a kind of
fault, and at the end the verdict.

    run = FaultRun(stack, history, seed=7, kind="kills", program=tutti, gangs=40, seconds=8)
    run.go()  ->  run.problems (sentences, empty: it holds), run.summary()
"""

import collections
import itertools
import json
import random
import signal
import time

import invariants
from eviction_load import EvictionLoad
from fault_kinds import KINDS
from fault_proxy import FaultProxy
from gang_load import GangLoad
from stack import Stack, binary, free_port

SCHEDULER = "under-test"
_serial = itertools.count(1)


class ClusterUnderFaults(Stack):
    """A stack whose store keeps JSON, for the History."""

    def start(self, name, command, environment=None):
        option = "--storage-media-type=application/json"
        if name == "kube-apiserver" and option not in command:
            command = [*command, option]
        return super().start(name, command, environment)


class FaultRun:
    LEASE_SECONDS = 5
    # Bindings that fail are tried again for a while before a gang gives its nodes back.
    HALF_SECONDS_MAX = 60

    def __init__(self, stack, history, seed, kind, program, gangs, seconds):
        self.stack, self.history, self.seed, self.kind = stack, history, seed, kind
        self.program, self.seconds = program, seconds
        # Gangs come one after another where they make room by evicting.
        self.settle_seconds = 90 + gangs // 2
        self.random = random.Random(seed)
        self.counts = collections.Counter()
        self.problems = []
        self.down = set()
        number = next(_serial)
        count = 2 if kind == "replicas" else 1
        self.evicts = kind == "evictions"
        make, gangs = (EvictionLoad, max(1, gangs // 8)) if self.evicts else (GangLoad, gangs)
        self.load = make(stack.api, history, f"run{number}", random.Random(seed + 1), gangs,
                         SCHEDULER)
        self.names = [f"scheduler{number}-{i}" for i in range(count)]
        user = "tutti" if program else "kube-scheduler"
        self.proxies = [FaultProxy(stack, f"proxy-{name}", user, seed) for name in self.names]
        self._first_change = len(history.changes)
        self._deadline = 0.0
        self._took = 0.0

    # --- the run ---------------------------------------------------------------------------------

    def go(self):
        began = time.monotonic()
        self.load.start()
        try:
            for i in range(len(self.names)):
                self.start(i)
            self._deadline = time.monotonic() + self.seconds
            self.disturb()
            for proxy in self.proxies:
                proxy.rules()
            self._settle()
        finally:
            self.load.stop()
            for name in self.names:
                for process in (name, f"proxy-{name}"):
                    if process in self.stack.processes:
                        self.stack.kill(process)
        self._took = time.monotonic() - began
        self._judge()
        self.load.clear()

    def disturb(self):
        KINDS[self.kind](self)

    def _settle(self):
        """Everything that can be scheduled is scheduled, once nothing is broken any more."""
        deadline = time.monotonic() + self.settle_seconds
        while not self.load.done() and time.monotonic() < deadline:
            self._look_after()
            time.sleep(0.1)
        if not self.load.done():
            states = ", ".join(f"{name} {len(self.load.membership.members[name])} of "
                               f"{self.load.gangs[name]}" for name in self.load.unfinished()[:5])
            self.problems.append(
                f"{len(self.load.unfinished())} gangs were not scheduled within "
                f"{self.settle_seconds} s after the last fault: {states}")

    def _judge(self):
        if self.history.failure:
            self.problems.append(f"the history is not complete: {self.history.failure}")
        self.problems += invariants.violations(self._changes(), self.load.gangs,
                                               self.load.capacity)
        if self.evicts:
            self.problems += self.load.evicted_for_nothing(self._changes())

    def _changes(self):
        prefix = self.load.namespace + "/"
        return [change for change in self.history.changes[self._first_change:]
                if change.name.startswith(prefix)]

    def summary(self):
        half = invariants.half_bound_times(self._changes(), self.load.gangs)
        facts = [f"{len(self.load.gangs)} gangs", f"{self._took:.1f} s"]
        facts += [f"{count} {what}" for what, count in sorted(self.counts.items())]
        facts.append(f"{len(self.load.taken_back)} members taken back")
        facts.append(f"half bound at most {max(half.values(), default=0):.1f} s")
        return f"seed {self.seed} {self.kind}: " + ", ".join(facts)

    # --- for the kinds of faults -----------------------------------------------------------------

    def time_left(self):
        self._look_after()
        return time.monotonic() < self._deadline

    def sleep_until_over(self):
        while self.time_left():
            time.sleep(0.1)

    def pause(self, least, most):
        time.sleep(self.random.uniform(least, most))

    def count(self, what):
        self.counts[what] += 1

    def expect_no_half_gangs(self):
        """Every gang that is half bound now must be complete or taken back soon."""
        half = set(self.load.half())
        deadline = time.monotonic() + self.HALF_SECONDS_MAX
        while half and time.monotonic() < deadline:
            time.sleep(0.05)
            self._look_after()
            half &= set(self.load.half())
        for name in sorted(half):
            self.problems.append(
                f"gang {name} was left with {len(self.load.membership.members[name])} of "
                f"{self.load.gangs[name]} members for {self.HALF_SECONDS_MAX} s")

    # --- the schedulers --------------------------------------------------------------------------

    def start(self, i):
        command = self._tutti(i) if self.program else self._kube_scheduler(i)
        self.stack.start(self.names[i], command)
        self.down.discard(i)

    def kill(self, i, how=signal.SIGKILL):
        if i in self.down:
            return
        self.down.add(i)
        code = self.stack.kill(self.names[i], how, seconds=30)
        self.count("kills" if how == signal.SIGKILL else "stops")
        if how == signal.SIGTERM and code != 0:
            self.problems.append(f"the scheduler was told to stop and ended with {code}, see "
                                 f"{self.stack.log(self.names[i])}")

    def signal(self, i, what):
        self.stack.processes[self.names[i]].send_signal(what)
        self.count("freezes" if what == signal.SIGSTOP else "thaws")

    def leader(self):
        """The replica that writes; the first when none does."""
        before = [proxy.stats()["writes"] for proxy in self.proxies]
        time.sleep(0.3)
        after = [proxy.stats()["writes"] for proxy in self.proxies]
        return max(range(len(self.proxies)), key=lambda i: after[i] - before[i])

    def _look_after(self):
        """A scheduler that ended is started again, as a cluster would. To end because the lease was
        lost is right, anything else is a problem."""
        for i, name in enumerate(self.names):
            if i in self.down or self.stack.running(name):
                continue
            code = self.stack.processes[name].poll()
            if len(self.names) > 1 and code == 1:
                self.count("lost leases")
            else:
                self.problems.append(f"the scheduler ended by itself, code {code}, see "
                                     f"{self.stack.log(name)}")
            self.start(i)

    def _config(self, i):
        path = self.stack.folder / f"{self.names[i]}.yaml"
        path.write_text(json.dumps({
            "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
            "clientConnection": {"kubeconfig": self.proxies[i].kubeconfig, "qps": 5000,
                                 "burst": 5000},
            "leaderElection": {
                "leaderElect": len(self.names) > 1, "leaseDuration": f"{self.LEASE_SECONDS}s",
                "renewDeadline": "4s", "retryPeriod": "500ms",
                "resourceName": "tutti", "resourceNamespace": "kube-system"},
            "profiles": [{"schedulerName": SCHEDULER}]}))
        return path

    def _tutti(self, i):
        elect = "true" if len(self.names) > 1 else "false"
        return [self.program, "scheduler", f"--kubeconfig={self.proxies[i].kubeconfig}",
                f"--config={self._config(i)}", f"--leader-elect={elect}",
                "--bind-address=127.0.0.1", f"--port={free_port()}", "-v"]

    def _kube_scheduler(self, i):
        return [binary(self.stack.version, "kube-scheduler"), f"--config={self._config(i)}",
                "--bind-address=127.0.0.1", f"--secure-port={free_port()}",
                f"--cert-dir={self.stack.folder / 'certificates'}",
                "--authentication-tolerate-lookup-failure=true", *self.stack.gates()]
