#!/usr/bin/env python3
"""Checks of deploy/: the chart, the manifests, the image.

    tests/deploy/run.py build/release/tutti [--approve]

`--approve` writes deploy/manifests anew from the chart. Where `helm` is installed its rendering is
compared with ours. That the roles suffice is proven by ./dev e2e, which runs the scheduler with
them.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

import chart

ROOT = pathlib.Path(__file__).resolve().parents[2]
MANIFESTS = ROOT / "deploy" / "manifests"
ORDER = ["namespace", "rbac", "config", "deployment", "service", "disruption-budget"]
# Rendered only when it is asked for.
CONTROLLERS = ROOT / "deploy" / "controllers" / "controllers.yaml"
CLUSTER_WIDE = {"Namespace", "ClusterRole", "ClusterRoleBinding"}
PROGRAM = None


def manifest_path(index, name):
    return MANIFESTS / f"{index}0-{name}.yaml"


def objects_in(text):
    return [thing for thing in yaml.safe_load_all(text) if thing is not None]


def key_of(thing):
    metadata = thing["metadata"]
    return thing["kind"], metadata.get("namespace"), metadata["name"]


def by_key(objects):
    result = {key_of(thing): thing for thing in objects}
    assert len(result) == len(objects), "two objects with one name"
    return result


def rendered(values=None, **release):
    texts = chart.render(values, **release)
    return by_key([thing for text in texts.values() for thing in objects_in(text)])


def with_controllers():
    return chart.render({"controllers": {"enabled": True}})["controllers"]


def manifests():
    return by_key([thing for path in sorted(MANIFESTS.glob("*.yaml"))
                   for thing in objects_in(path.read_text())])


def only(objects, kind):
    found = [thing for (its_kind, _, _), thing in objects.items() if its_kind == kind]
    assert len(found) == 1, f"{len(found)} of kind {kind}"
    return found[0]


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60,
                          cwd=ROOT, check=False)


class Chart(unittest.TestCase):
    def test_manifests_are_the_chart_with_its_defaults(self):
        texts = chart.render({"createNamespace": True})
        self.assertEqual(sorted(texts), sorted(ORDER + ["controllers"]))
        for index, name in enumerate(ORDER):
            with self.subTest(name):
                self.assertEqual(manifest_path(index, name).read_text(), texts[name])

    def test_controllers_are_off_unless_told(self):
        self.assertEqual(objects_in(chart.render()["controllers"]), [])
        self.assertEqual(CONTROLLERS.read_text(), with_controllers())

    def test_controllers_have_a_role_and_a_lease_of_their_own(self):
        objects = by_key(objects_in(with_controllers()))
        account = only(objects, "ServiceAccount")["metadata"]["name"]
        pod = only(objects, "Deployment")["spec"]["template"]["spec"]
        self.assertEqual(pod["serviceAccountName"], account)
        for kind in ("ClusterRole", "Role"):
            binding = only(objects, kind + "Binding")
            self.assertEqual([subject["name"] for subject in binding["subjects"]], [account])
            self.assertEqual(binding["roleRef"]["name"], only(objects, kind)["metadata"]["name"])
            for rule in only(objects, kind)["rules"]:
                self.assertNotIn("*", [word for words in rule.values() for word in words])
                if "delete" in rule["verbs"]:  # what controllers made for work that is gone
                    self.assertEqual((rule["apiGroups"], rule["resources"]),
                                     (["kueue.x-k8s.io"], ["workloads"]))
        lease = only(objects, "Role")["rules"][0]["resourceNames"]
        self.assertNotEqual(lease, only(rendered(), "Role")["rules"][0]["resourceNames"])

    def test_makes_no_namespace_unless_told(self):
        self.assertNotIn("Namespace", {kind for kind, _, _ in rendered()})

    def test_values_reach_the_objects(self):
        objects = rendered({
            "replicas": 3, "port": 8080, "image": {"repository": "registry.example/tutti"},
            "nodeSelector": {"pool": "system"}, "tolerations": [{"operator": "Exists"}],
            "leaderElection": {"namespace": "locks"},
            "profiles": [{"schedulerName": "a"}, {"schedulerName": "default-scheduler"}],
        }, name="other", namespace="place")
        deployment = only(objects, "Deployment")
        pod = deployment["spec"]["template"]["spec"]
        self.assertEqual(key_of(deployment), ("Deployment", "place", "other"))
        self.assertEqual(deployment["spec"]["replicas"], 3)
        self.assertEqual(pod["containers"][0]["image"], "registry.example/tutti:0.1.0")
        self.assertIn("--port=8080", pod["containers"][0]["args"])
        self.assertEqual(pod["nodeSelector"], {"pool": "system"})
        self.assertEqual(pod["tolerations"], [{"operator": "Exists"}])
        self.assertEqual(only(objects, "Role")["metadata"]["namespace"], "locks")
        profiles = yaml.safe_load(only(objects, "ConfigMap")["data"]["config.yaml"])["profiles"]
        self.assertEqual([profile["schedulerName"] for profile in profiles],
                         ["a", "default-scheduler"])

    def test_version_is_the_projects(self):
        version = re.search(r"project\(tutti VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())
        self.assertEqual(chart.load("Chart.yaml")["appVersion"], version[1])
        self.assertEqual(chart.load("Chart.yaml")["version"], version[1])

    def test_helm_renders_the_same(self):
        helm = shutil.which("helm")
        if helm is None:
            self.skipTest("helm is not installed")
        done = subprocess.run(
            [helm, "template", "tutti", str(chart.CHART), "--namespace", "tutti-system", "--set",
             "createNamespace=true", "--kube-version", "1.36.0"],
            capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(by_key(objects_in(done.stdout)), manifests())


class Manifests(unittest.TestCase):
    def setUp(self):
        self.objects = manifests()
        self.pod = only(self.objects, "Deployment")["spec"]["template"]
        self.container = self.pod["spec"]["containers"][0]

    def test_are_complete_objects(self):
        for (kind, namespace, name), thing in self.objects.items():
            with self.subTest(f"{kind}/{name}"):
                self.assertTrue(thing["apiVersion"])
                self.assertEqual(namespace is None, kind in CLUSTER_WIDE)

    def test_refer_to_each_other(self):
        labels = self.pod["metadata"]["labels"]
        service = only(self.objects, "Service")["spec"]
        budget = only(self.objects, "PodDisruptionBudget")["spec"]
        deployment = only(self.objects, "Deployment")["spec"]
        for selector in (service["selector"], budget["selector"]["matchLabels"],
                         deployment["selector"]["matchLabels"]):
            self.assertLessEqual(selector.items(), labels.items())
        ports = {port["name"] for port in self.container["ports"]}
        for probe in ("livenessProbe", "readinessProbe"):
            self.assertIn(self.container[probe]["httpGet"]["port"], ports)
        self.assertIn(service["ports"][0]["targetPort"], ports)
        account = only(self.objects, "ServiceAccount")["metadata"]["name"]
        self.assertEqual(self.pod["spec"]["serviceAccountName"], account)
        config = self.pod["spec"]["volumes"][0]["configMap"]["name"]
        self.assertEqual(config, only(self.objects, "ConfigMap")["metadata"]["name"])

    def test_roles_are_bound_to_the_account(self):
        account = only(self.objects, "ServiceAccount")["metadata"]
        subject = {"kind": "ServiceAccount", "name": account["name"],
                   "namespace": account["namespace"]}
        for kind in ("ClusterRole", "Role"):
            binding = only(self.objects, kind + "Binding")
            self.assertEqual(binding["subjects"], [subject])
            self.assertEqual(binding["roleRef"]["kind"], kind)
            role = only(self.objects, kind)["metadata"]["name"]
            self.assertEqual(binding["roleRef"]["name"], role)

    def test_roles_grant_nothing_by_wildcard_and_no_secrets(self):
        for kind in ("ClusterRole", "Role"):
            for rule in only(self.objects, kind)["rules"]:
                for words in rule.values():
                    self.assertNotIn("*", words)
                self.assertNotIn("secrets", rule.get("resources", ()))
                if "scheduling.k8s.io" in rule.get("apiGroups", ()):
                    self.assertNotIn("workloads", rule.get("resources", ()))

    def test_lease_of_the_role_is_the_configured_one(self):
        election = self.config()["leaderElection"]
        role = only(self.objects, "Role")
        self.assertEqual(role["rules"][0]["resourceNames"], [election["resourceName"]])
        self.assertEqual(role["metadata"]["namespace"], election["resourceNamespace"])
        for rule in role["rules"][1:]:
            self.assertEqual(rule["verbs"], ["create"], "only creation goes without a name")

    def test_pods_meet_the_restricted_standard(self):
        pod = self.pod["spec"]["securityContext"]
        container = self.container["securityContext"]
        self.assertTrue(pod["runAsNonRoot"])
        self.assertEqual(pod["seccompProfile"]["type"], "RuntimeDefault")
        self.assertFalse(container["allowPrivilegeEscalation"])
        self.assertTrue(container["readOnlyRootFilesystem"])
        self.assertEqual(container["capabilities"]["drop"], ["ALL"])

    def config(self):
        return yaml.safe_load(only(self.objects, "ConfigMap")["data"]["config.yaml"])


class Program(unittest.TestCase):
    """What the program itself thinks of the files."""

    def test_reads_the_manifests(self):
        done = run("run", "-f", str(MANIFESTS), "-o", "json")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_accepts_the_configuration(self):
        text = only(manifests(), "ConfigMap")["data"]["config.yaml"]
        with tempfile.TemporaryDirectory() as folder:
            config = pathlib.Path(folder) / "config.yaml"
            config.write_text(text)
            done = run("run", "-f", str(MANIFESTS / "00-namespace.yaml"), "--config", str(config))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_knows_the_arguments(self):
        done = run("scheduler", "--help")
        self.assertEqual(done.returncode, 0, done.stderr)
        deployment = only(manifests(), "Deployment")
        arguments = deployment["spec"]["template"]["spec"]["containers"][0]["args"]
        self.assertEqual(arguments[0], "scheduler")
        for argument in arguments[1:]:
            self.assertIn(argument.split("=")[0], done.stdout)
        help_text = run("controllers", "--help").stdout
        container = only(by_key(objects_in(with_controllers())), "Deployment")["spec"]["template"][
            "spec"]["containers"][0]
        self.assertEqual(container["args"][0], "controllers")
        for argument in container["args"][1:]:
            self.assertIn(argument.split("=")[0], help_text)

    def test_finds_its_libraries_in_the_image(self):
        if not shutil.which("ldd") or not shutil.which("dpkg-query"):
            self.skipTest("needs ldd and dpkg-query")
        dockerfile = (ROOT / "deploy" / "Dockerfile").read_text().replace("\\\n", " ")
        installed = re.findall(r"--no-install-recommends (.*) &&", dockerfile)[1].split()
        direct = subprocess.run(["objdump", "-p", PROGRAM], capture_output=True, text=True,
                                check=True).stdout
        names = re.findall(r"NEEDED\s+(\S+)", direct)
        paths = dict(re.findall(r"(\S+) => (\S+)", subprocess.run(
            ["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout))
        needed = packages_of([paths[name] for name in names if name in paths])
        # Part of every Debian, and of builds with sanitizers.
        needed -= {"libc6", "libgcc-s1", "libasan8", "libubsan1", "libtsan2"}
        self.assertEqual(needed | {"ca-certificates"}, set(installed))


def packages_of(paths):
    """The Debian packages of the files; dpkg may know one by its place before /usr was merged."""
    places = {place for path in paths
              for place in (path, path.removeprefix("/usr"), "/usr" + path)}
    found = subprocess.run(["dpkg-query", "-S", *places], capture_output=True, text=True,
                           check=False).stdout
    return {line.split(":")[0] for line in found.splitlines()}


def approve():
    for old in MANIFESTS.glob("*.yaml"):
        old.unlink()
    texts = chart.render({"createNamespace": True})
    for index, name in enumerate(ORDER):
        manifest_path(index, name).write_text(texts[name])
    CONTROLLERS.write_text(with_controllers())


def main():
    global PROGRAM
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--approve", action="store_true", help="write the manifests anew")
    options = parser.parse_args()
    PROGRAM = str(pathlib.Path(options.program).resolve())
    if options.approve:
        approve()
    outcome = unittest.main(argv=[sys.argv[0]], exit=False).result
    return 0 if outcome.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
