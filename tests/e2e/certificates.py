"""A certificate authority for one test cluster, made with the openssl command.

Everything is written into one folder: ca.crt and ca.key, NAME.crt and NAME.key for each certificate,
NAME.kubeconfig for each user, and sa.key/sa.pub, with which the API server signs its tokens.
"""

import base64
import json
import pathlib
import subprocess

DAYS = "2"


def openssl(*arguments, stdin=None):
    done = subprocess.run(["openssl", *arguments], input=stdin, capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"openssl {arguments[0]}: {done.stderr.decode().strip()}")
    return done.stdout


class Authority:
    """Signs certificates below `folder`; not for anything but tests."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self._key("ca")
        openssl("req", "-x509", "-key", self._path("ca.key"), "-out", self._path("ca.crt"),
                "-days", DAYS, "-subj", "/CN=tutti-test-ca",
                "-addext", "keyUsage=critical,keyCertSign,digitalSignature")
        self._key("sa")
        openssl("pkey", "-in", self._path("sa.key"), "-pubout", "-out", self._path("sa.pub"))

    def _path(self, name):
        return str(self.folder / name)

    def _key(self, name):
        openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256",
                "-out", self._path(f"{name}.key"))

    def issue(self, name, common_name, organization=None, server=False, days=DAYS):
        """NAME.crt and NAME.key for a client, or for a server on loopback."""
        subject = (f"/O={organization}" if organization else "") + f"/CN={common_name}"
        usage = "serverAuth" if server else "clientAuth"
        extensions = f"extendedKeyUsage={usage}\n"
        if server:
            extensions += "subjectAltName=DNS:localhost,DNS:kubernetes,IP:127.0.0.1,IP:10.0.0.1\n"
        (self.folder / f"{name}.ext").write_text(extensions)
        self._key(name)
        request = openssl("req", "-new", "-key", self._path(f"{name}.key"), "-subj", subject)
        openssl("x509", "-req", "-CA", self._path("ca.crt"), "-CAkey", self._path("ca.key"),
                "-CAcreateserial", "-days", days, "-extfile", self._path(f"{name}.ext"),
                "-out", self._path(f"{name}.crt"), stdin=request)

    def encoded(self, name):
        return base64.b64encode((self.folder / name).read_bytes()).decode()

    def kubeconfig(self, name, server, user=None):
        """NAME.kubeconfig (JSON, hence YAML) for `server`. Without `user` (the user entry as a
        dictionary) it carries the certificate NAME. Returns the path."""
        user = user or {
            "client-certificate-data": self.encoded(f"{name}.crt"),
            "client-key-data": self.encoded(f"{name}.key"),
        }
        cluster = {"server": server, "certificate-authority-data": self.encoded("ca.crt")}
        path = self.folder / f"{name}.kubeconfig"
        path.write_text(json.dumps({
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "test",
            "clusters": [{"name": "test", "cluster": cluster}],
            "users": [{"name": name, "user": user}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": name}}],
        }, indent=1))
        path.chmod(0o600)
        return path
