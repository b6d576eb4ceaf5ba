"""`./dev e2e faults`: runs of gangs under faults, each from a seed. Exit code 1 when one fails.

    faults.py --seeds 11           seeds 1 to 11: each kind once (what CI runs)
    faults.py --seeds 100 --gangs 200
    faults.py --seed 7             the run of that seed again
    faults.py --soak 1h            churn for an hour; memory must stay flat
"""

import argparse
import pathlib
import sys
import time

from fault_kinds import KINDS
from fault_run import ClusterUnderFaults, FaultRun
from history import History
from soak import soak
from world import grant_roles

ROOT = pathlib.Path(__file__).resolve().parents[2]


def parse(arguments):
    parser = argparse.ArgumentParser(prog="./dev e2e faults", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=len(KINDS), help="how many runs")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--seed", type=int, help="only this one")
    parser.add_argument("--kind", choices=KINDS, help="this kind instead of the seed's")
    parser.add_argument("--gangs", type=int, default=40, help="gangs in a run")
    parser.add_argument("--seconds", type=float, default=8, help="of faults in a run")
    parser.add_argument("--soak", metavar="TIME", help="30s, 10m or 1h of churn instead")
    parser.add_argument("--version", default="v1.37", help="of Kubernetes")
    parser.add_argument("--tutti", default=str(ROOT / "build/release/tutti"))
    parser.add_argument("--kube-scheduler", action="store_true",
                        help="the real kube-scheduler in Tutti's place")
    parser.add_argument("--keep", action="store_true", help="keep logs and data")
    return parser.parse_args(arguments)


def one_run(stack, history, seed, options):
    kind = options.kind or list(KINDS)[(seed - 1) % len(KINDS)]
    run = FaultRun(stack, history, seed, kind, None if options.kube_scheduler else options.tutti,
                   options.gangs, options.seconds)
    run.go()
    print(run.summary() + (": FAILED" if run.problems else ": passed"), flush=True)
    for problem in run.problems:
        print(f"  {problem}")
    if run.problems:
        print(f"  again: ./dev e2e faults --seed {seed} --kind {kind} --gangs {options.gangs} "
              f"--seconds {options.seconds:g}", flush=True)
    return not run.problems


def main(arguments):
    options = parse(arguments)
    seeds = [options.seed] if options.seed is not None else [
        options.first + i for i in range(options.seeds)]
    began = time.monotonic()
    with ClusterUnderFaults(options.version, keep=options.keep) as stack:
        grant_roles(stack.api, "tutti")
        if options.kube_scheduler:  # which asks for more, under the same name
            stack.kubectl("create", "clusterrolebinding", "all-to-tutti",
                          "--clusterrole=cluster-admin", "--user=tutti")
        with History(stack.etcd_ports[0]) as history:
            if options.soak:
                results = [soak(stack, history, options)]
            else:
                results = [one_run(stack, history, seed, options) for seed in seeds]
        stack.keep = options.keep or not all(results)
    print(f"faults took {time.monotonic() - began:.0f} s", file=sys.stderr)
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
