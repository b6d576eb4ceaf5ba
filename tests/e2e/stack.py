"""A real Kubernetes control plane on loopback, without kubelets: nodes are objects only.

    with Stack("v1.37") as stack:                  # etcd and kube-apiserver, ready
        stack.api.create(node("n1"))               # as administrator; see api.py
        stack.start_controllers()                  # kube-controller-manager, on request
        stack.start_kube_scheduler()               # the real one, on request
        stack.start("mine", [program, "--kubeconfig", stack.kubeconfig("tutti")])
        stack.kubectl("get", "pods", "-A")         # its standard output
        stack.kill("kube-apiserver"); stack.start_api_server()    # same port, same data

Users with certificates and kubeconfigs: admin, kube-controller-manager, kube-scheduler, tutti
(bound to nothing: grant it a role). The RBAC authoriser is on. add_user() makes more.

`workloads=False` gives a cluster that does not know PodGroups, as older ones. `audited` names users
whose requests are written to logs/audit.log; audit() reads them.
save(folder) and Stack(..., state=folder) carry the stored state (etcd's data) to another start.
Everything lies in stack.folder: logs/NAME.log per process, certificates, etcd's data. The folder is
removed at stop() unless keep=True; when the `with` block raises it stays and its path is printed.

The binaries are looked for in $TUTTI_KUBERNETES_BIN and ~/.cache/tutti/kubernetes (see ./dev e2e).
"""

import atexit
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from api import Api, ApiError
from certificates import Authority

VERSIONS = ("v1.36", "v1.37")

GATES = {
    "v1.36": ("GenericWorkload", "GangScheduling", "TopologyAwareWorkloadScheduling",
              "WorkloadAwarePreemption", "DRAWorkloadResourceClaims", "WorkloadWithJob"),
    "v1.37": ("GenericWorkload", "TopologyAwareWorkloadScheduling", "DRAWorkloadResourceClaims",
              "WorkloadWithJob", "CompositePodGroup", "PodGroupPreemptionPolicy"),
}
API_GROUPS = {
    "v1.36": ("scheduling.k8s.io/v1alpha2",),
    "v1.37": ("scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1alpha3"),
}
START_SECONDS = 60  # a loaded machine; usually 3

ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)  # ask a program to end
LIVE = []  # stacks that run, for stop_all()


def stop_all(signal_number=None, _frame=None):
    """Ends every stack. As a handler of SIGTERM or SIGINT it ends this process too: its threads may
    be waiting for what was just ended. Further signals, as from an impatient hand, must not end it
    before everything is stopped."""
    if signal_number is not None:
        for number in ENDING:
            signal.signal(number, signal.SIG_IGN)
    for stack in list(LIVE):
        stack.stop()
    if signal_number is not None:
        print("ended by a signal; what was started is stopped", file=sys.stderr, flush=True)
        os._exit(128 + signal_number)


def stop_on_signals():
    for number in ENDING:
        signal.signal(number, stop_all)


def binary(version, name):
    """The path of a Kubernetes program (or of etcd), or an error that says how to get it."""
    folders = [os.environ.get("TUTTI_KUBERNETES_BIN"), "~/.cache/tutti/kubernetes"]
    for folder in (pathlib.Path(folder).expanduser() for folder in folders if folder):
        candidates = ([folder / "etcd" / "server", folder / "etcd" / "etcd", folder / "etcd"]
                      if name == "etcd" else [folder / version / name, folder / name])
        for candidate in candidates:
            if candidate.is_file():
                return str(candidate)
    raise FileNotFoundError(f"no {name} of Kubernetes {version}: ./dev e2e builds it with Go, or "
                            "TUTTI_KUBERNETES_BIN=DIR names a folder that has it")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(condition, seconds=START_SECONDS, step=0.02, what="it"):
    """The first true value of condition(); TimeoutError after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {seconds} s for {what}")
        time.sleep(step)


def scratch_folder():
    """In memory where there is room: etcd syncs nothing, but still writes."""
    memory = pathlib.Path("/dev/shm")
    roomy = memory.is_dir() and shutil.disk_usage(memory).free > 2 << 30
    return pathlib.Path(tempfile.mkdtemp(prefix="tutti-e2e-", dir=memory if roomy else None))


class Stack:
    def __init__(self, version, workloads=True, state=None, keep=False, audited=()):
        if version not in VERSIONS:
            raise ValueError(f"Kubernetes {version}: have {', '.join(VERSIONS)}")
        self.version, self.workloads, self.keep, self.audited = version, workloads, keep, audited
        self.folder = scratch_folder()
        self.processes = {}
        self.commands = {}
        for name in ("logs", "certificates"):
            (self.folder / name).mkdir()
        if state:
            shutil.copytree(state, self.folder / "etcd")
        self.etcd_ports = free_port(), free_port()
        self.port = free_port()
        self.server = f"https://127.0.0.1:{self.port}"
        self.authority = Authority(self.folder / "certificates")
        self.authority.issue("apiserver", "kube-apiserver", server=True)
        self.add_user("admin", "admin", "system:masters")
        self.add_user("kube-controller-manager", "system:kube-controller-manager")
        self.add_user("kube-scheduler", "system:kube-scheduler")
        self.add_user("tutti", "tutti")
        self.api = Api.from_kubeconfig(self.kubeconfig("admin"))
        LIVE.append(self)
        atexit.register(self.stop)

    def __enter__(self):
        try:
            self.start_etcd()
            self.start_api_server()
            return self
        except BaseException:
            self.__exit__(*sys.exc_info())
            raise

    def __exit__(self, kind, error, trace):
        if kind is not None and self.folder.exists():
            self.keep = True
        self.stop()

    # --- users ---------------------------------------------------------------------------------

    def add_user(self, name, common_name, organization=None):
        self.authority.issue(name, common_name, organization)
        return self.authority.kubeconfig(name, self.server)

    def kubeconfig(self, name):
        return str(self.folder / "certificates" / f"{name}.kubeconfig")

    # --- processes -----------------------------------------------------------------------------

    def start(self, name, command, environment=None):
        """Starts a process whose output goes to logs/NAME.log (appended). Returns the Popen."""
        assert name not in self.processes or self.processes[name].poll() is not None, name
        log = open(self.log(name), "ab")
        with log:
            process = subprocess.Popen(
                [str(word) for word in command], stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                cwd=self.folder, env={**os.environ, **(environment or {})},
                start_new_session=True)
        self.processes[name] = process
        self.commands[name] = command
        return process

    def log(self, name):
        return self.folder / "logs" / f"{name}.log"

    def running(self, name):
        return name in self.processes and self.processes[name].poll() is None

    def kill(self, name, sig=signal.SIGKILL, seconds=20):
        """Sends the signal and waits for the end; -9 after `seconds`. Returns the exit code."""
        process = self.processes.pop(name, None)
        if process is None:
            return None  # a signal came while it was being stopped
        if process.poll() is None:
            process.send_signal(sig)
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    def restart(self, name, sig=signal.SIGKILL):
        """The same command again (the API server: ready again)."""
        self.kill(name, sig)
        self.start(name, self.commands[name])
        if name == "kube-apiserver":
            self._await_ready()

    def stop(self):
        """Ends everything that was started, and removes the folder unless it is to be kept."""
        atexit.unregister(self.stop)
        if self in LIVE:
            LIVE.remove(self)
        # Those that speak to the API server first, then it, then etcd.
        for name in reversed(list(self.processes)):
            self.kill(name)
        if not self.folder.exists():
            return
        if self.keep:
            print(f"logs and data are kept in {self.folder}", file=sys.stderr)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)

    # --- the components ------------------------------------------------------------------------

    def start_etcd(self):
        client, peer = self.etcd_ports
        self.start("etcd", [
            binary(self.version, "etcd"), f"--data-dir={self.folder / 'etcd'}", "--unsafe-no-fsync",
            f"--listen-client-urls=http://127.0.0.1:{client}",
            f"--advertise-client-urls=http://127.0.0.1:{client}",
            f"--listen-peer-urls=http://127.0.0.1:{peer}",
            f"--initial-advertise-peer-urls=http://127.0.0.1:{peer}",
            f"--initial-cluster=default=http://127.0.0.1:{peer}", "--force-new-cluster",
            "--quota-backend-bytes=4294967296", "--log-level=warn"])

    def gates(self):
        """The option that all components share; empty for a cluster without workloads."""
        if not self.workloads:
            return []
        return ["--feature-gates=" + ",".join(f"{gate}=true" for gate in GATES[self.version])]

    def start_api_server(self):
        folder = self.folder / "certificates"
        command = [
            binary(self.version, "kube-apiserver"),
            f"--etcd-servers=http://127.0.0.1:{self.etcd_ports[0]}",
            "--bind-address=127.0.0.1", f"--secure-port={self.port}",
            "--advertise-address=127.0.0.1", "--endpoint-reconciler-type=none",
            "--service-cluster-ip-range=10.0.0.0/16", f"--cert-dir={folder}",
            f"--client-ca-file={folder / 'ca.crt'}",
            f"--tls-cert-file={folder / 'apiserver.crt'}",
            f"--tls-private-key-file={folder / 'apiserver.key'}",
            "--service-account-issuer=https://tutti.test",
            f"--service-account-key-file={folder / 'sa.pub'}",
            f"--service-account-signing-key-file={folder / 'sa.key'}",
            "--authorization-mode=RBAC",
            "--enable-priority-and-fairness=false", "--max-requests-inflight=0",
            "--max-mutating-requests-inflight=0", "--profiling=false", *self.gates()]
        if self.workloads:
            served = ",".join(f"{group}=true" for group in API_GROUPS[self.version])
            command.append(f"--runtime-config={served}")
        if self.audited:
            command += [f"--audit-policy-file={self._audit_policy()}",
                        f"--audit-log-path={self.folder / 'logs' / 'audit.log'}"]
        self.start("kube-apiserver", command)
        self._await_ready()

    def _audit_policy(self):
        policy = self.folder / "audit-policy.json"
        policy.write_text(json.dumps({
            "apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
            "rules": [{"level": "Metadata", "users": list(self.audited)}, {"level": "None"}]}))
        return policy

    def audit(self):
        """The requests of the audited users so far, as audit.k8s.io/v1 Events."""
        lines = (self.folder / "logs" / "audit.log").read_text().splitlines()
        return [json.loads(line) for line in lines]

    def _await_ready(self):
        def ready():
            if not self.running("kube-apiserver"):
                raise RuntimeError(f"kube-apiserver ended, see {self.log('kube-apiserver')}")
            try:
                return self.api.raw("GET", "/readyz")[0] == 200
            except ApiError:
                return False
        wait_until(ready, what=f"kube-apiserver {self.version} to be ready")
        wait_until(lambda: self.api.get("Namespace", None, "default"), what="namespace default")
        self.api.give_account("default")

    def start_controllers(self, controllers="*"):
        """kube-controller-manager. Its controllers of the node's life stay off: there is no kubelet
        that would renew a lease, and every node would be called lost."""
        self._let_controllers_work()
        config = self.kubeconfig("kube-controller-manager")
        self.start("kube-controller-manager", [
            binary(self.version, "kube-controller-manager"), f"--kubeconfig={config}",
            f"--controllers={controllers},-node-lifecycle-controller,-node-ipam-controller",
            "--leader-elect=false", "--kube-api-qps=5000", "--kube-api-burst=5000",
            "--secure-port=0", "--use-service-account-credentials=false",
            f"--service-account-private-key-file={self.folder / 'certificates' / 'sa.key'}",
            *self.gates()])

    def _let_controllers_work(self):
        """All controllers run as one user, which may therefore do what any of them does."""
        try:
            self.api.create({
                "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
                "metadata": {"name": "all-controllers"},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                            "name": "cluster-admin"},
                "subjects": [{"kind": "User", "name": "system:kube-controller-manager",
                              "apiGroup": "rbac.authorization.k8s.io"}]})
        except ApiError as error:
            if error.status != 409:  # it is there from an earlier start
                raise

    def start_kube_scheduler(self, profiles=({"schedulerName": "default-scheduler"},), **settings):
        """The real kube-scheduler, its client limits lifted. `settings` are further fields of its
        configuration. Returns the Popen; its metrics are at self.scheduler_url()."""
        self.scheduler_port = free_port()
        kubeconfig = self.kubeconfig("kube-scheduler")
        config = self.folder / "kube-scheduler.yaml"
        config.write_text(json.dumps({
            "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
            "clientConnection": {"kubeconfig": kubeconfig, "qps": 5000, "burst": 5000},
            "leaderElection": {"leaderElect": False}, "profiles": list(profiles), **settings}))
        return self.start("kube-scheduler", [
            binary(self.version, "kube-scheduler"), f"--config={config}",
            "--bind-address=127.0.0.1", f"--secure-port={self.scheduler_port}",
            f"--cert-dir={self.folder / 'certificates'}",
            "--authorization-always-allow-paths=/healthz,/readyz,/livez,/metrics",
            f"--authentication-kubeconfig={kubeconfig}",
            f"--authorization-kubeconfig={kubeconfig}", *self.gates()])

    def kubectl(self, *arguments, user="admin", check=True):
        """Standard output of the real kubectl of this version; with check=False of both streams."""
        done = subprocess.run(
            [binary(self.version, "kubectl"), f"--kubeconfig={self.kubeconfig(user)}",
             f"--cache-dir={self.folder / 'kubectl'}", *arguments],
            capture_output=True, text=True, timeout=60, check=False)
        if check and done.returncode != 0:
            raise RuntimeError(f"kubectl {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout if check else done.stdout + done.stderr

    # --- the stored state ----------------------------------------------------------------------

    def save(self, folder):
        """Copies the state into `folder` (new) for Stack(..., state=folder). Interrupts the API
        server and etcd, and brings them back."""
        was_serving = self.running("kube-apiserver")
        if was_serving:
            self.kill("kube-apiserver")
        self.kill("etcd", signal.SIGTERM)
        shutil.copytree(self.folder / "etcd", folder)
        self._resume(was_serving)

    def restore(self, folder):
        """Puts a saved state in the place of the present one. Whoever watches meets an API server
        whose versions went back: stop clients before."""
        was_serving = self.running("kube-apiserver")
        if was_serving:
            self.kill("kube-apiserver")
        self.kill("etcd")
        shutil.rmtree(self.folder / "etcd")
        shutil.copytree(folder, self.folder / "etcd")
        self._resume(was_serving)

    def _resume(self, serving):
        self.start_etcd()
        if serving:
            self.start_api_server()
