"""A small client of a Kubernetes API server, fast enough to create thousands of objects.

    api = Api.from_kubeconfig(path)
    api.create(pod)                       # the path comes from kind, apiVersion and namespace
    api.get("Pod", "t", "a")              # None when it is not there
    api.list("Pod")                       # of all namespaces; list("Pod", "t") of one
    api.patch("Node", None, "n1", {...}, subresource="status")
    api.delete("Pod", "t", "a", grace=0)
    api.many(api.create, pods)            # in threads, results in order
    for kind, pod in api.watch("Pod"): …  # what is there, then every change, until closed

Each thread has its own connection, kept open. Errors are ApiError with the server's status.
"""

import base64
import concurrent.futures
import http.client
import json
import socket
import ssl
import tempfile
import threading
import urllib.parse

import yaml

THREADS = 8

PLURALS = {
    "Endpoints": "endpoints", "PriorityClass": "priorityclasses",
    "StorageClass": "storageclasses", "DeviceClass": "deviceclasses",
    "CSIStorageCapacity": "csistoragecapacities", "Topology": "topologies",
}
CLUSTER_WIDE = {
    "Node", "Namespace", "PriorityClass", "PersistentVolume", "StorageClass", "CSINode",
    "CSIDriver", "DeviceClass", "ResourceSlice", "ClusterRole", "ClusterRoleBinding",
    "VolumeAttachment", "CustomResourceDefinition", "Topology",
}
API_VERSIONS = {
    "PriorityClass": "scheduling.k8s.io/v1", "Lease": "coordination.k8s.io/v1",
    "StorageClass": "storage.k8s.io/v1", "CSINode": "storage.k8s.io/v1",
    "CSIDriver": "storage.k8s.io/v1", "VolumeAttachment": "storage.k8s.io/v1",
    "CSIStorageCapacity": "storage.k8s.io/v1",
    "DeviceClass": "resource.k8s.io/v1", "ResourceSlice": "resource.k8s.io/v1",
    "ResourceClaim": "resource.k8s.io/v1", "ResourceClaimTemplate": "resource.k8s.io/v1",
    "Job": "batch/v1", "CronJob": "batch/v1",
    "Deployment": "apps/v1", "ReplicaSet": "apps/v1", "StatefulSet": "apps/v1",
    "PodDisruptionBudget": "policy/v1",
    "CustomResourceDefinition": "apiextensions.k8s.io/v1",
    "ClusterRole": "rbac.authorization.k8s.io/v1", "Role": "rbac.authorization.k8s.io/v1",
    "ClusterRoleBinding": "rbac.authorization.k8s.io/v1",
    "RoleBinding": "rbac.authorization.k8s.io/v1",
}
# Of these the version, and whether there is one at all, is asked of the server.
GROUPS = {
    "PodGroup": "scheduling.k8s.io", "Workload": "scheduling.k8s.io",
    "CompositePodGroup": "scheduling.k8s.io", "Topology": "kueue.x-k8s.io",
    "JobSet": "jobset.x-k8s.io",
}


class ApiError(Exception):
    """The server answered with an error, or (status 0) not at all."""

    def __init__(self, status, message, reason=""):
        super().__init__(f"{status} {reason}: {message}" if reason else f"{status}: {message}")
        self.status, self.reason, self.message = status, reason, message


def plural(kind):
    return PLURALS.get(kind, kind.lower() + "s")


def tls_context(cluster, user):
    if not cluster["server"].startswith("https:"):
        return None
    context = ssl.create_default_context(cadata=_data(cluster, "certificate-authority"))
    if cluster.get("insecure-skip-tls-verify"):
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if "client-certificate-data" in user or "client-certificate" in user:
        with tempfile.NamedTemporaryFile("w", suffix=".pem") as pem:
            pem.write(_data(user, "client-certificate") + "\n" + _data(user, "client-key"))
            pem.flush()
            context.load_cert_chain(pem.name)
    return context


def _data(entry, name):
    if f"{name}-data" in entry:
        return base64.b64decode(entry[f"{name}-data"]).decode()
    if name in entry:
        with open(entry[name], encoding="utf-8") as file:
            return file.read()
    return None


class Api:
    def __init__(self, server, context=None, token=None):
        url = urllib.parse.urlsplit(server)
        self.host, self.port, self.context = url.hostname, url.port, context
        self.headers = {"Accept": "application/json", "User-Agent": "tutti-e2e"}
        if token:
            self.headers["Authorization"] = f"Bearer {token}"
        self._local = threading.local()
        self._group_version = {}

    @classmethod
    def from_kubeconfig(cls, path):
        with open(path, encoding="utf-8") as file:
            config = yaml.safe_load(file)
        named = lambda entries, name: next(e for e in config[entries] if e["name"] == name)
        context = named("contexts", config["current-context"])["context"]
        cluster = named("clusters", context["cluster"])["cluster"]
        user = named("users", context["user"])["user"]
        token = user.get("token")
        if "tokenFile" in user:
            with open(user["tokenFile"], encoding="utf-8") as file:
                token = file.read().strip()
        return cls(cluster["server"], tls_context(cluster, user), token)

    # --- one request ---------------------------------------------------------------------------

    def connect(self, timeout=60):
        """A connection of its own, for the caller to close."""
        if self.context:
            connection = http.client.HTTPSConnection(self.host, self.port, timeout=timeout,
                                                     context=self.context)
        else:
            connection = http.client.HTTPConnection(self.host, self.port, timeout=timeout)
        connection.connect()
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def raw(self, method, path, body=None, content_type="application/json"):
        """(status, bytes). A kept connection that the server has closed is opened again once, and
        only if nothing of an answer came."""
        headers = dict(self.headers)
        if body is not None:
            headers["Content-Type"] = content_type
            if not isinstance(body, (bytes, str)):
                # As kubectl writes: parameters of claims are kept byte by byte, and with blanks in
                # them no JSON client, kubectl included, could change the claim any more.
                body = json.dumps(body, separators=(",", ":"))
        for fresh in (False, True):
            connection = getattr(self._local, "connection", None)
            reused = connection is not None and not fresh
            try:
                if not reused:
                    connection = self._local.connection = self.connect()
                connection.request(method, path, body, headers)
                response = connection.getresponse()
                return response.status, response.read()
            except (OSError, http.client.HTTPException) as error:
                self._local.connection = None
                if connection is not None:
                    connection.close()
                if not reused or isinstance(error, socket.timeout):
                    raise ApiError(0, f"{method} {path}: {error!r}") from error
        raise AssertionError("unreachable")

    def call(self, method, path, body=None, content_type="application/json"):
        status, text = self.raw(method, path, body, content_type)
        try:
            answer = json.loads(text) if text else {}
        except ValueError:
            answer = {"message": text.decode(errors="replace").strip()}
        if status >= 400:
            raise ApiError(status, answer.get("message", ""), answer.get("reason", ""))
        return answer

    # --- objects -------------------------------------------------------------------------------

    def group_version(self, kind):
        """The apiVersion under which the server offers the kind; None when it does not."""
        if kind not in GROUPS:
            return API_VERSIONS.get(kind, "v1")
        if kind not in self._group_version:
            self._group_version[kind] = next(
                (version for version in self.served(GROUPS[kind])
                 if kind in self.served_kinds(version)), None)
        return self._group_version[kind]

    def served(self, group):
        """The group's versions, the preferred first."""
        found = next((g for g in self.call("GET", "/apis")["groups"] if g["name"] == group), None)
        return [version["groupVersion"] for version in found["versions"]] if found else []

    def served_kinds(self, group_version):
        answer = self.call("GET", f"/apis/{group_version}")
        return {resource["kind"] for resource in answer["resources"]}

    def path(self, kind, namespace=None, name=None, subresource=None, api_version=None):
        api_version = api_version or self.group_version(kind)
        if api_version is None:
            raise ApiError(404, f"the server does not offer {kind}")
        parts = ["api" if "/" not in api_version else "apis", api_version]
        if namespace and kind not in CLUSTER_WIDE:
            parts += ["namespaces", namespace]
        parts.append(plural(kind))
        parts += [part for part in (name, subresource) if part]
        return "/" + "/".join(parts)

    def create(self, thing):
        metadata = thing["metadata"]
        namespace = metadata.get("namespace", "default")
        made = self.call("POST", self.path(thing["kind"], namespace,
                                           api_version=thing["apiVersion"]), thing)
        if thing["kind"] == "Namespace":
            self.give_account(metadata["name"])
        return self._ready(thing, made) if thing["kind"] == "Node" else made

    def give_account(self, namespace):
        """What the service account controller does of every namespace; it may have been quicker.
        Without it no pod is admitted there."""
        try:
            self.create({"apiVersion": "v1", "kind": "ServiceAccount",
                         "metadata": {"name": "default", "namespace": namespace}})
        except ApiError as error:
            if error.status != 409:
                raise
        return True

    def _ready(self, wanted, made):
        """What the node lifecycle controller does of a node that is ready: the taint that admission
        gives to every new node goes."""
        taints = wanted.get("spec", {}).get("taints", [])
        if made.get("spec", {}).get("taints", []) == taints:
            return made
        return self.patch("Node", None, made["metadata"]["name"], {"spec": {"taints": taints}})

    def get(self, kind, namespace, name, subresource=None):
        try:
            return self.call("GET", self.path(kind, namespace, name, subresource))
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def list(self, kind, namespace=None, query=""):
        return self.call("GET", self.path(kind, namespace) + query)["items"]

    def replace(self, thing, subresource=None):
        metadata = thing["metadata"]
        path = self.path(thing["kind"], metadata.get("namespace"), metadata["name"], subresource,
                         thing["apiVersion"])
        return self.call("PUT", path, thing)

    def patch(self, kind, namespace, name, change, subresource=None, strategic=False):
        form = "strategic-merge-patch" if strategic else "merge-patch"
        return self.call("PATCH", self.path(kind, namespace, name, subresource), change,
                         f"application/{form}+json")

    def delete(self, kind, namespace, name, grace=None, uid=None):
        """True if it was there. `grace` 0 ends a graceful deletion, as a kubelet would."""
        options = {} if grace is None else {"gracePeriodSeconds": grace}
        if uid:
            options["preconditions"] = {"uid": uid}
        try:
            self.call("DELETE", self.path(kind, namespace, name), options)
            return True
        except ApiError as error:
            if error.status in (404, 409):
                return False
            raise

    def delete_all(self, kind, namespace=None, grace=0, query=""):
        """In one call where the server offers it: in one namespace, or of a cluster-wide kind."""
        self.call("DELETE", self.path(kind, namespace) + query,
                  {"gracePeriodSeconds": grace})

    def bind(self, namespace, name, node):
        self.call("POST", self.path("Pod", namespace, name, "binding"), {
            "apiVersion": "v1", "kind": "Binding", "metadata": {"name": name},
            "target": {"apiVersion": "v1", "kind": "Node", "name": node}})

    def token(self, namespace, service_account):
        path = self.path("ServiceAccount", namespace, service_account, "token")
        answer = self.call("POST", path, {
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
        return answer["status"]["token"]

    # --- many ----------------------------------------------------------------------------------

    def many(self, work, items, threads=THREADS):
        """work(item) for each, in threads; the results in order. The first error is raised."""
        items = list(items)
        if len(items) < 2:
            return [work(item) for item in items]
        with concurrent.futures.ThreadPoolExecutor(min(threads, len(items))) as pool:
            return list(pool.map(work, items))

    def watch(self, kind, namespace=None, resource_version=None, query="", closed=None):
        """Yields (type, object): ADDED for what is there (unless `resource_version` says from where
        on), then every change. Ends when the server ends it or `closed` (a threading.Event) is set;
        the caller resumes, as after an
        ApiError."""
        yield from self.watch_path(self.path(kind, namespace), resource_version, query, closed)

    def watch_path(self, path, resource_version=None, query="", closed=None):
        """The same of what lies under a path."""
        path += "?watch=1&allowWatchBookmarks=true" + query
        if resource_version:
            path += f"&resourceVersion={resource_version}"
        connection = None
        try:
            connection = self.connect(timeout=None)
            connection.request("GET", path, headers=self.headers)
            sock = connection.sock
            response = connection.getresponse()
            if response.status >= 400:
                raise ApiError(response.status, response.read().decode(errors="replace"))
            yield from _events(response, sock, closed)
        except (OSError, http.client.HTTPException) as error:
            raise ApiError(0, f"watch {path}: {error!r}") from error
        finally:
            if connection:
                connection.close()


def _events(response, sock, closed):
    if closed:
        threading.Thread(target=_close_when, args=(closed, sock), daemon=True).start()
    try:
        for line in response:
            if closed and closed.is_set():
                return
            event = json.loads(line)
            yield event["type"], event["object"]
    except (OSError, ValueError, http.client.HTTPException):
        return  # the connection is gone: the caller resumes


def _close_when(closed, sock):
    closed.wait()
    try:
        sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass

