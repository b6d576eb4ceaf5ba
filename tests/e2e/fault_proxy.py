"""The fault proxy (faultproxy/, in Go) as an object: build, start, and tell it what to break.

    proxy = FaultProxy(stack, "scheduler-1", user="tutti", seed=7)
    proxy.kubeconfig                       # whoever uses it goes through the proxy, as that user
    proxy.rules(refuse(409, 0.2, verbs=["POST"]), delay(0, 300))
    proxy.rules()                          # honest again
    proxy.cut(); proxy.pause(); proxy.resume(); proxy.stats()
"""

import functools
import json
import pathlib
import subprocess
import time
import urllib.request

from stack import free_port, wait_until

SOURCE = pathlib.Path(__file__).resolve().parent / "faultproxy"
BINARY = pathlib.Path("~/.cache/tutti/faultproxy").expanduser()


@functools.cache
def build():
    BINARY.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["go", "build", "-o", str(BINARY), "."], cwd=SOURCE, check=True)
    return str(BINARY)


def _rule(action, probability, verbs, path, **more):
    return {"action": action, "probability": probability, "verbs": verbs or [], "path": path,
            **more}


def refuse(status, probability, verbs=None, path="", retry_after=0):
    return _rule("refuse", probability, verbs, path, status=status, retry_after=retry_after)


def delay(from_ms, to_ms, probability=1, verbs=None, path=""):
    return _rule("delay", probability, verbs, path, delay_ms=[from_ms, to_ms])


def cut(from_bytes, to_bytes, probability, verbs=None, path="", connection=False):
    return _rule("cut", probability, verbs, path, after_bytes=[from_bytes, to_bytes],
                 connection=connection)


def lose(probability, verbs, path="", connection=False):
    """The server does what it was asked, the client never hears."""
    return _rule("lose", probability, verbs, path, connection=connection)


def expire(probability, path=""):
    """A watch that resumes is told that its version is too old."""
    return _rule("expire", probability, ["WATCH"], path)


class FaultProxy:
    def __init__(self, stack, name, user, seed):
        folder = stack.folder / "certificates"
        port, control = free_port(), free_port()
        self.control = f"http://127.0.0.1:{control}"
        stack.start(name, [
            build(), f"--listen=127.0.0.1:{port}", f"--control=127.0.0.1:{control}",
            f"--upstream={stack.server}", f"--cert={folder / 'apiserver.crt'}",
            f"--key={folder / 'apiserver.key'}", f"--ca={folder / 'ca.crt'}",
            f"--client-cert={folder / f'{user}.crt'}", f"--client-key={folder / f'{user}.key'}",
            f"--seed={seed}"])
        self.kubeconfig = str(stack.authority.kubeconfig(
            f"through-{name}", f"https://127.0.0.1:{port}", {"token": "not-looked-at"}))
        wait_until(self._up, what="the fault proxy")

    def _up(self):
        try:
            return self.stats()
        except OSError:
            return None

    def _ask(self, method, path, body=None):
        request = urllib.request.Request(self.control + path, data=body, method=method)
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with direct.open(request, timeout=10) as answer:
            return answer.read()

    def rules(self, *rules):
        self._ask("POST", "/rules", json.dumps(rules).encode())

    def cut(self):
        self._ask("POST", "/cut", b"")

    def pause(self):
        self._ask("POST", "/pause", b"")

    def resume(self):
        self._ask("POST", "/resume", b"")

    def pause_for(self, seconds):
        self.pause()
        try:
            time.sleep(seconds)
        finally:
            self.resume()

    def stats(self):
        return json.loads(self._ask("GET", "/stats"))
