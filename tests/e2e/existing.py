"""A cluster that somebody else runs, in the place of a Stack: TUTTI_E2E_KUBECONFIG=FILE ./dev e2e.

It must have no nodes when the tests begin, since they decide what fits where, and its user must be
an administrator. Its own kube-scheduler stays: pods that name no scheduler are given Tutti's name.
"""

import os
import pathlib
import shutil
import subprocess

from api import Api
from stack import Stack, binary, scratch_folder
from world import Skip

SCHEDULER = "tutti"


class NamingApi(Api):
    """Pods go to Tutti unless they name a scheduler."""

    def create(self, thing):
        if thing["kind"] == "Pod":
            thing = {**thing, "spec": {"schedulerName": SCHEDULER, **thing["spec"]}}
        return super().create(thing)


class NoRefusals:
    """In the place of Refusals: a webhook here could not be reached from there."""

    def refuse(self, *_):
        raise Skip("needs an API server of our own, whose bindings can be made to fail")

    def clear(self):
        pass


class ExistingCluster(Stack):
    def __init__(self, kubeconfig):
        self.path = str(pathlib.Path(kubeconfig).resolve())
        self.api = NamingApi.from_kubeconfig(self.path)
        version = self.api.call("GET", "/version")
        self.version = f"v{version['major']}.{version['minor'].rstrip('+')}"
        if self.api.list("Node"):
            raise RuntimeError(f"{self.path}: the cluster has nodes; the tests need one without")
        self.folder, self.keep, self.processes, self.commands = scratch_folder(), False, {}, {}
        (self.folder / "logs").mkdir()

    def __enter__(self):
        return self

    def kubeconfig(self, name):
        return self.path

    def start_controllers(self, controllers="*"):
        """It has its own."""

    def kubectl(self, *arguments, user="admin", check=True):
        try:
            program = binary(self.version, "kubectl")
        except FileNotFoundError:
            program = shutil.which("kubectl")
        done = subprocess.run([program, f"--kubeconfig={self.path}", *arguments],
                              capture_output=True, text=True, timeout=60, check=False,
                              env={**os.environ, "KUBECACHEDIR": str(self.folder)})
        if check and done.returncode != 0:
            raise RuntimeError(f"kubectl {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout if check else done.stdout + done.stderr
