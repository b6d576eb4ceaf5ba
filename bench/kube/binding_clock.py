"""Tells when pods are bound: a process of its own, so that it neither slows nor is slowed by the
harness. Watches the pods without a node, metadata only: each binding is one small event.

    binding_clock.py KUBECONFIG NAMESPACE COUNT
prints "ready", and after COUNT bindings one JSON line: the times (CLOCK_MONOTONIC) of the first and
of the last.
"""

import json
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "e2e"))

from api import Api  # noqa: E402

LEFT = b'{"type":"DELETED"'
METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"


def main(kubeconfig, namespace, count):
    api = Api.from_kubeconfig(kubeconfig)
    path = api.path("Pod", namespace) + "?fieldSelector=spec.nodeName%3D"
    version = api.call("GET", path + "&limit=1")["metadata"]["resourceVersion"]
    first = last = None
    seen = 0
    print("ready", flush=True)
    while seen < count:
        for line in lines(api, f"{path}&watch=1&resourceVersion={version}"):
            if line.startswith(b'{"type":"ERROR"'):
                sys.exit(f"the watch ended: {line.decode()}")
            version = version_of(line) or version
            if line.startswith(LEFT):
                last = time.monotonic()
                first = first or last
                seen += 1
                if seen == count:
                    break
    print(json.dumps({"first": first, "last": last}), flush=True)


def version_of(line):
    """Cut out by hand: reading whole documents would cost more than all else here."""
    _, _, rest = line.partition(b'"resourceVersion":"')
    return rest.partition(b'"')[0].decode()


def lines(api, path):
    connection = api.connect(timeout=None)
    try:
        connection.request("GET", path, headers={**api.headers, "Accept": METADATA})
        yield from connection.getresponse()
    except OSError:
        return
    finally:
        connection.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
