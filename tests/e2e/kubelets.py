"""A stand-in for the kubelets that a test cluster does not have.

    with Kubelets(api) as kubelets:      # bound pods run at once, deletions come to their end
        kubelets.finish("t", "a")        # Succeeded; finish(..., phase="Failed")

A deletion with a grace period waits for the kubelet's confirmation; this thread gives it as soon as
it sees the pod, and end() does for one pod. With run=False pods stay Pending after binding, which
saves a request per pod. `clock` says when pods begin that are run from then on.
"""

import datetime
import threading
import time

from api import ApiError


class Kubelets:
    def __init__(self, api, run=True, end_deletions=True, unreachable=()):
        self.api, self.run, self.end_deletions = api, run, end_deletions
        self.unreachable = set(unreachable)  # nodes that confirm nothing
        self.clock = lambda: datetime.datetime.now(datetime.timezone.utc)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._loop, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._closed.set()
        self._thread.join(10)

    def finish(self, namespace, name, phase="Succeeded"):
        self.api.patch("Pod", namespace, name, {"status": {"phase": phase}}, "status")

    def end(self, namespace, name):
        """The containers have stopped, and the pod goes."""
        pod = self.api.get("Pod", namespace, name)
        if pod is None:
            return
        if pod["status"].get("phase") == "Running":
            self.finish(namespace, name, "Failed")
        self.api.delete("Pod", namespace, name, 0, pod["metadata"]["uid"])

    def _loop(self):
        while not self._closed.is_set():
            try:
                for kind, pod in self.api.watch("Pod", closed=self._closed):
                    if kind in ("ADDED", "MODIFIED"):
                        self._care_for(pod)
            except ApiError:
                time.sleep(0.1)  # the API server is away: tests do that

    def _care_for(self, pod):
        metadata, node = pod["metadata"], pod["spec"].get("nodeName")
        if not node or node in self.unreachable:
            return
        try:
            if "deletionTimestamp" in metadata and self.end_deletions:
                self.api.delete("Pod", metadata["namespace"], metadata["name"], 0, metadata["uid"])
            elif self.run and pod["status"].get("phase", "Pending") == "Pending":
                self.api.patch("Pod", metadata["namespace"], metadata["name"],
                               {"metadata": {"uid": metadata["uid"]}, "status": self._running()},
                               "status", strategic=True)
        except ApiError as error:
            if error.status not in (0, 404, 409, 422):
                raise

    def _running(self):
        return {"phase": "Running", "startTime": self.clock().strftime("%Y-%m-%dT%H:%M:%SZ"),
                "conditions": [{"type": "Ready", "status": "True"}]}
