"""Makes chosen binding calls fail at the real API server: an admission webhook that says no.

    with Refusals(stack) as refusals:
        refusals.refuse("t", "a", 2)       # the next two bindings of the pod fail; None: all

It stands for the annotations tutti.dev/bind-fails and tutti.dev/bind-fails-always.
"""

import http.server
import json
import ssl
import threading

from api import ApiError
from objects import namespace, pod
from stack import free_port, wait_until

NAME = "tutti-test-refusals"


class Refusals:
    def __init__(self, stack):
        self.stack, self.port = stack, free_port()
        self._left = {}
        self._lock = threading.Lock()

    def refuse(self, namespace_name, name, times):
        with self._lock:
            self._left[namespace_name, name] = times

    def clear(self):
        with self._lock:
            self._left.clear()

    def _takes(self, who):
        with self._lock:
            left = self._left.get(who, 0)
            if left:
                self._left[who] = left - 1
            return left is None or left > 0

    def __enter__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), _handler(self))
        folder = self.stack.folder / "certificates"
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "apiserver.crt", folder / "apiserver.key")
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.stack.api.call("POST", WEBHOOKS, self._webhook())
        self._await_effect()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def _webhook(self):
        return {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingWebhookConfiguration", "metadata": {"name": NAME},
            "webhooks": [{
                "name": "refusals.tutti.dev", "admissionReviewVersions": ["v1"],
                "sideEffects": "None", "failurePolicy": "Ignore", "timeoutSeconds": 5,
                "clientConfig": {"url": f"https://127.0.0.1:{self.port}/",
                                 "caBundle": self.stack.authority.encoded("ca.crt")},
                "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"],
                           "resources": ["pods/binding"]}]}]}

    def _await_effect(self):
        """A new webhook is asked a moment after it was written."""
        api, place = self.stack.api, "tutti-test-probe"
        api.create(namespace(place))
        api.create(pod("probe", place, scheduler="nobody"))
        self.refuse(place, "probe", None)

        def refused():
            try:
                api.bind(place, "probe", "nowhere")
                api.delete("Pod", place, "probe", grace=0)
                api.create(pod("probe", place, scheduler="nobody"))
            except ApiError as error:
                return NAME in error.message or "refus" in error.message
            return False
        wait_until(refused, what="the webhook to be asked")
        api.delete("Pod", place, "probe", grace=0)
        self.clear()


WEBHOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"


def _handler(refusals):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            text = self.rfile.read(int(self.headers["Content-Length"]))
            if not text:  # the one who asked has gone
                return
            review = json.loads(text)
            request = review["request"]
            refused = refusals._takes((request["namespace"], request["name"]))
            answer = {"uid": request["uid"], "allowed": not refused}
            if refused:
                # 403: final for this call. A 500 would be asked again below the scheduler.
                answer["status"] = {"code": 403, "message": "refused by the test"}
            body = json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
                               "response": answer}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass
    return Handler
