"""Who is measured: each side is a function of the stack that starts its process, under the side's
name, and returns it."""

import json
import pathlib

from scenes import SCHEDULER
from stack import free_port

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "release"


def kube_scheduler(stack):
    return stack.start_kube_scheduler([{"schedulerName": SCHEDULER}])


def tutti(stack):
    config = stack.folder / "tutti.yaml"
    config.write_text(json.dumps({
        "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
        "clientConnection": {"qps": 5000, "burst": 5000},
        "profiles": [{"schedulerName": SCHEDULER}]}))
    return stack.start("tutti", [
        BUILD / "tutti", "scheduler", f"--kubeconfig={stack.kubeconfig('admin')}",
        f"--config={config}", "--leader-elect=false", "--bind-address=127.0.0.1",
        f"--port={free_port()}"])


def _null_binder(stack, name, *options):
    return stack.start(name, [
        BUILD / "bench" / "tutti_null_binder", f"--kubeconfig={stack.kubeconfig('admin')}",
        f"--scheduler-name={SCHEDULER}", *options])


def null_binder(stack):
    """A binding and a Scheduled event a pod, one after the other."""
    return _null_binder(stack, "null-binder")


def late_events(stack):
    """The same, but events wait for bindings, as Tutti's do."""
    return _null_binder(stack, "late-events", "--late-events=yes")


SIDES = {"kube-scheduler": kube_scheduler, "tutti": tutti, "null-binder": null_binder,
         "late-events": late_events}
