"""Every state that any pod ever had, in order, read from etcd below the API server.

    with History(etcd_port) as history:       # from now on
        history.pods                          # name -> Pod, the newest state
        history.changes                       # every Change so far, in the order of the store
        history.listeners.append(callback)    # callback(change), on the history's thread

An API server that is killed, a watch that is cut and a compaction lose nothing here. The API server
must store JSON (ClusterUnderFaults sees to it).
"""

import base64
import http.client
import json
import threading
import time
from typing import NamedTuple, Optional

PREFIX = "/registry/pods/"
TERMINAL = ("Succeeded", "Failed")


class Pod(NamedTuple):
    name: str
    namespace: str
    uid: str
    scheduler: str
    group: Optional[str]
    node: Optional[str]
    milli_cpu: int
    phase: str
    deleting: bool
    disruption: Optional[str]  # the reason of its DisruptionTarget condition

    @property
    def occupies(self):
        """Its node's room is taken: a pod that is being deleted still runs."""
        return self.node is not None and self.phase not in TERMINAL

    @property
    def counts(self):
        """A member that its gang can build on."""
        return self.occupies and not self.deleting


class Change(NamedTuple):
    revision: int
    seconds: float  # since the history began
    name: str
    pod: Optional[Pod]  # None: it is gone


def milli(quantity):
    return int(quantity[:-1]) if quantity.endswith("m") else int(quantity) * 1000


def parse(stored):
    metadata, spec, status = stored["metadata"], stored["spec"], stored.get("status", {})
    disruption = next((condition.get("reason") for condition in status.get("conditions", ())
                       if condition["type"] == "DisruptionTarget"), None)
    requests = (c.get("resources", {}).get("requests", {}) for c in spec["containers"])
    return Pod(metadata["name"], metadata["namespace"], metadata["uid"],
               spec.get("schedulerName", ""),
               spec.get("schedulingGroup", {}).get("podGroupName"), spec.get("nodeName"),
               sum(milli(r.get("cpu", "0")) for r in requests), status.get("phase", "Pending"),
               "deletionTimestamp" in metadata, disruption)


def encoded(text):
    return base64.b64encode(text.encode()).decode()


class History:
    def __init__(self, etcd_port):
        self.port = etcd_port
        self.pods, self.changes, self.listeners = {}, [], []
        self.failure = None
        self._closed = False
        self._began = time.monotonic()
        self._connection = None
        self._watching = threading.Event()
        self._thread = threading.Thread(target=self._follow, daemon=True)

    def __enter__(self):
        self._thread.start()
        if not self._watching.wait(10):
            raise TimeoutError("etcd did not start the watch of the history")
        return self

    def __exit__(self, *_):
        self._closed = True
        self._connection.sock.shutdown(2)
        self._thread.join(10)

    @property
    def seconds(self):
        return time.monotonic() - self._began

    def _follow(self):
        try:
            for line in self._watch():
                answer = json.loads(line)["result"]
                if answer.get("canceled"):
                    raise RuntimeError(f"etcd ended the watch: {answer}")
                self._watching.set()
                for event in answer.get("events", ()):
                    self._record(event)
        except Exception as error:  # whatever it is: the run must not pass
            if not self._closed:
                self.failure = error
                raise
        if not self._closed:
            self.failure = RuntimeError("etcd closed the watch")

    def _watch(self):
        self._connection = http.client.HTTPConnection("127.0.0.1", self.port)
        self._connection.request("POST", "/v3/watch", json.dumps({"create_request": {
            "key": encoded(PREFIX), "range_end": encoded(PREFIX[:-1] + "0")}}))
        response = self._connection.getresponse()
        while line := response.readline():
            yield line

    def _record(self, event):
        entry = event["kv"]
        name = base64.b64decode(entry["key"]).decode().removeprefix(PREFIX)
        gone = event.get("type") == "DELETE"
        pod = None if gone else parse(json.loads(base64.b64decode(entry["value"])))
        change = Change(int(entry["mod_revision"]), self.seconds, name, pod)
        self.changes.append(change)
        if gone:
            self.pods.pop(name, None)
        else:
            self.pods[name] = pod
        for listener in self.listeners:
            listener(change)
