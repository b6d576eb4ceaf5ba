"""The manager of the real Kueue on a control plane of stack.py.

    with Stack("v1.37") as stack:
        kueue = Kueue(stack)                 # its kinds, roles and webhooks are installed
        kueue.start(fairSharing={...})       # fields of its Configuration; starts anew each time
        kueue.stop()

Everything is as its own installation has it (`config/default` of the Go module, rendered by
./dev e2e): the manager runs as a user that has its role and no other right, and its webhooks are
called. What differs, because nothing runs in a pod here: the webhooks' Service is a name for
loopback, the certificate that the manager makes is put into its folder as a kubelet would, it
stands for no election, its client has no limit, and the visibility API is not served. Of the
integrations only Jobs are on; webhooks of other kinds are left out.
"""

import base64
import json
import pathlib
import signal
import urllib.request

import yaml

from api import ApiError
from stack import binary, free_port, wait_until
from world import grant_objects, make_namespace

PLACE = "kueue-system"
WEBHOOKS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
KINDS = ("clusterqueues", "cohorts", "localqueues", "resourceflavors", "workloads",
         "workloadpriorityclasses", "admissionchecks")
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Kueue:
    def __init__(self, stack):
        self.stack, self.api = stack, stack.api
        self.certificates = stack.folder / "kueue-certificates"
        self.certificates.mkdir()
        self.port = free_port()
        stack.add_user("kueue", "kueue")
        self._install([thing for thing in rendered() if thing])

    # --- installing ------------------------------------------------------------------------------

    def _install(self, things):
        make_namespace(self.api, PLACE)
        self.api.create({"apiVersion": "v1", "kind": "Service",
                         "metadata": {"name": "kueue-webhook-service", "namespace": PLACE},
                         "spec": {"type": "ExternalName", "externalName": "localhost"}})
        for thing in things:
            kind = thing["kind"]
            if kind == "Secret":
                self.api.create(thing)
            elif kind == "CustomResourceDefinition":
                self._to_loopback(thing["spec"]["conversion"]["webhook"]
                                  if "conversion" in thing["spec"] else None)
                self.api.create(thing)
            elif kind in WEBHOOKS:
                thing["webhooks"] = [each for each in thing["webhooks"] if is_of_kueue(each)]
                for each in thing["webhooks"]:
                    self._to_loopback(each)
                self.api.call("POST", "/apis/admissionregistration.k8s.io/v1/"
                              f"{kind.lower()}s", thing)
        grant_objects(self.api, [thing for thing in things if is_for_the_manager(thing)], "kueue")
        wait_until(lambda: "ClusterQueue" in self._served(), what="Kueue's kinds to be served")

    def _served(self):
        try:
            return self.api.served_kinds("kueue.x-k8s.io/v1beta2")
        except ApiError:
            return ()

    def _to_loopback(self, webhook):
        if webhook:
            webhook["clientConfig"]["service"]["port"] = self.port

    # --- running ---------------------------------------------------------------------------------

    def start(self, **settings):
        """Starts the manager with these fields of its Configuration beside those it needs here."""
        self.stop()
        health = free_port()
        config = self.stack.folder / "kueue.yaml"
        config.write_text(json.dumps({
            "apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration",
            "namespace": PLACE,
            "health": {"healthProbeBindAddress": f"127.0.0.1:{health}"},
            "metrics": {"bindAddress": "0"},
            "webhook": {"host": "127.0.0.1", "port": self.port, "certDir": str(self.certificates)},
            "leaderElection": {"leaderElect": False},
            "clientConnection": {"qps": -1, "burst": 1},
            "controller": {"groupKindConcurrency": {
                "Job.batch": 5, "Pod": 5, "Workload.kueue.x-k8s.io": 10,
                "LocalQueue.kueue.x-k8s.io": 5, "Cohort.kueue.x-k8s.io": 1,
                "ClusterQueue.kueue.x-k8s.io": 5, "ResourceFlavor.kueue.x-k8s.io": 1}},
            "integrations": {"frameworks": ["batch/job"]}, **settings}))
        process = self.stack.start(
            "kueue", [binary("kueue", "kueue"), f"--config={config}", "--zap-log-level=info",
                      "--feature-gates=VisibilityOnDemand=false"],
            {"KUBECONFIG": self.stack.kubeconfig("kueue")})

        def ready():
            if process.poll() is not None:
                raise RuntimeError(f"kueue ended, see {self.stack.log('kueue')}")
            self._mount_certificate()
            return is_ready(f"http://127.0.0.1:{health}/readyz")
        wait_until(ready, 120, 0.1, what="the Kueue manager to be ready")
        # It has just written its certificate into the definitions of its kinds.
        wait_until(lambda: all(self._lists(kind) for kind in KINDS),
                   what="Kueue's kinds to be served")

    def _lists(self, kind):
        try:
            return self.api.call("GET", f"/apis/kueue.x-k8s.io/v1beta2/{kind}?limit=1")
        except ApiError as error:
            if error.status != 429:
                raise
            return None

    def stop(self):
        if "kueue" in self.stack.processes:
            self.stack.kill("kueue", signal.SIGTERM)

    def _mount_certificate(self):
        secret = self.api.get("Secret", PLACE, "kueue-webhook-server-cert") or {}
        for name, text in secret.get("data", {}).items():
            path = self.certificates / name
            content = base64.b64decode(text)
            if not path.exists() or path.read_bytes() != content:
                path.write_bytes(content)


def rendered():
    """The documents of Kueue's own installation."""
    path = pathlib.Path(binary("kueue", "manifests.yaml"))
    with path.open(encoding="utf-8") as file:
        return list(yaml.load_all(file, LOADER))


def is_of_kueue(webhook):
    return any(kind.split("/")[0] in ("jobs", *KINDS)
               for rule in webhook["rules"] for kind in rule["resources"])


def is_for_the_manager(thing):
    """Its roles and their bindings; not those that people are given."""
    if thing["kind"].endswith("Binding"):
        return any(subject["name"] == "kueue-controller-manager" for subject in thing["subjects"])
    return thing["kind"] in ("ClusterRole", "Role")


def is_ready(url):
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return answer.status == 200
    except OSError:
        return False
