"""One control plane with the scheduler under test, shared by the tests of one version."""

import contextlib
import json
import pathlib
import urllib.request

import yaml

from api import ApiError
from kubelets import Kubelets
from objects import namespace, topologies
from refusals import Refusals
from stack import Stack, free_port, wait_until

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DEFAULT_PROFILES = [{"schedulerName": "default-scheduler"}]

# In the order in which they can be removed.
KINDS = ("Pod", "PodGroup", "CompositePodGroup", "Workload", "ResourceClaim",
         "ResourceClaimTemplate", "ResourceSlice", "DeviceClass", "PodDisruptionBudget", "Topology",
         "PersistentVolumeClaim", "PersistentVolume", "StorageClass", "Node", "PriorityClass",
         "Event")


class Skip(Exception):
    """Raised by a test that cannot be run here; the text says why."""


class World:
    """`scheduler` is "tutti" or "kube-scheduler" (the latter to try the tests themselves)."""

    def __init__(self, version, scheduler="tutti", program=ROOT / "build/release/tutti",
                 long=False, kubeconfig=None):
        self.long, self.kubeconfig = long, kubeconfig
        self.default_profiles = [{"schedulerName": "tutti"}] if kubeconfig else DEFAULT_PROFILES
        self.version, self.scheduler, self.program = version, scheduler, pathlib.Path(program)
        self.profiles = None
        self.share = (0, 1)  # (k, n): of random cases every n-th, beginning with the k-th
        self._things = contextlib.ExitStack()

    def __enter__(self):
        with contextlib.ExitStack() as things:
            self.refusals = self._control_plane(things)
            self.api = self.stack.api
            self.kubelets = things.enter_context(Kubelets(self.api, end_deletions=False))
            for name in ("t", "u", "ml"):
                make_namespace(self.api, name)
            self.schedule()
            self._things = things.pop_all()
        return self

    def _control_plane(self, things):
        """Sets self.stack; returns what makes bindings fail."""
        if self.kubeconfig:
            import existing  # not above: it stands on this module
            self.stack = things.enter_context(existing.ExistingCluster(self.kubeconfig))
            self.version = self.stack.version
            return existing.NoRefusals()
        self.stack = things.enter_context(Stack(self.version, audited=["tutti"]))
        self.stack.start_controllers()
        self.stack.api.create(topologies())
        wait_until(lambda: self.stack.api.served("kueue.x-k8s.io"), what="Topology to be served")
        if self.scheduler == "tutti":
            grant_roles(self.stack.api, "tutti")
        return things.enter_context(Refusals(self.stack))

    def __exit__(self, *failure):
        return self._things.__exit__(*failure)

    # --- the scheduler -------------------------------------------------------------------------

    def schedule(self, profiles=None):
        """The scheduler runs with these profiles then; it is left alone if it does already."""
        profiles = profiles or self.default_profiles
        if self.profiles == profiles and self.stack.running(self.scheduler):
            return
        if self.scheduler in self.stack.processes:
            self.stack.kill(self.scheduler)
        self.profiles = profiles
        if self.scheduler == "kube-scheduler":
            self.stack.start_kube_scheduler(profiles, podInitialBackoffSeconds=1,
                                            podMaxBackoffSeconds=1)
        else:
            start_tutti(self.stack, self.program, profiles, podInitialBackoffSeconds=1,
                        podMaxBackoffSeconds=1)

    # --- a clean cluster -----------------------------------------------------------------------

    def clean(self):
        """Removes whatever tests made."""
        self.refusals.clear()
        wait_until(self._removed, 30, what="the cluster to be empty")

    def _removed(self):
        left = 0
        for kind in KINDS:
            if self.api.group_version(kind) is None:
                continue
            things = [thing for thing in self.api.list(kind)
                      if not thing["metadata"]["name"].startswith("system-")]
            left += len(things) if kind != "Event" else 0
            self.api.many(lambda thing, kind=kind: self._remove(kind, thing), things)
        return left == 0

    def _remove(self, kind, thing):
        metadata = thing["metadata"]
        place, name = metadata.get("namespace"), metadata["name"]
        try:
            self.api.delete(kind, place, name, grace=0)
            if metadata.get("finalizers"):
                self.api.patch(kind, place, name, {"metadata": {"finalizers": None}})
        except ApiError as error:
            if error.status not in (404, 409):
                raise


def grant_roles(api, user=None, without=()):
    """Creates the roles of deploy/manifests and their bindings: to `user`, which has a certificate,
    instead of the service account, or without `user` as they are. No permission more or less, but
    for the resources `without`."""
    grant_objects(api, deployed_objects(), user, without)


def grant_objects(api, things, user=None, without=()):
    """The same of any objects."""
    for thing in things:
        kind = thing["kind"]
        if kind not in ("ServiceAccount", "ClusterRole", "Role", "ClusterRoleBinding",
                        "RoleBinding"):
            continue
        if kind.endswith("Binding") and user:
            thing["metadata"]["name"] += f"-{user}"
            thing["subjects"] = [{"kind": "User", "name": user,
                                  "apiGroup": "rbac.authorization.k8s.io"}]
        for rule in thing.get("rules", []) if without else []:
            rule["resources"] = [name for name in rule.get("resources", ()) if name not in without]
        if without and "rules" in thing:
            thing["rules"] = [rule for rule in thing["rules"] if rule["resources"]]
        make_namespace(api, thing["metadata"].get("namespace"))
        try:
            api.create(thing)
        except ApiError as error:
            if error.status != 409:  # it is there from an earlier grant
                raise


def deployed_objects():
    """What deploy/manifests holds, one dictionary per document."""
    folder = ROOT / "deploy" / "manifests"
    found = [thing for path in sorted(folder.glob("*.yaml"))
             for thing in yaml.safe_load_all(path.read_text())
             if thing and thing.get("kind") not in (None, "Kustomization")]
    assert found, f"{folder} has no manifests"
    return found


def make_namespace(api, name):
    if name and api.get("Namespace", None, name) is None:
        api.create(namespace(name))


def start_tutti(stack, program, profiles=None, name="tutti", user="tutti", ready=True,
                leader_election=False, options=(), **settings):
    """Starts `tutti scheduler` as the user; returns its address for /readyz and /metrics."""
    port = free_port()
    config = stack.folder / f"{name}.yaml"
    config.write_text(json.dumps({
        "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
        "clientConnection": {"qps": 5000, "burst": 5000},
        "leaderElection": {"leaderElect": leader_election},
        "profiles": profiles or DEFAULT_PROFILES, **settings}))
    process = stack.start(name, [program, "scheduler", "--kubeconfig", stack.kubeconfig(user),
                                 "--config", config, "--bind-address", "127.0.0.1",
                                 "--port", str(port), *options])
    url = f"http://127.0.0.1:{port}"
    if ready:
        wait_until(lambda: _answers(url + "/readyz", process, stack.log(name)), 30,
                   what=f"{name} to be ready")
    return url


def _answers(url, process, log):
    if process.poll() is not None:
        raise RuntimeError(f"tutti ended with {process.returncode}, see {log}:\n" +
                           "\n".join(log.read_text(errors="replace").splitlines()[-5:]))
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return answer.status == 200
    except OSError:
        return False
