"""A scene of waiting work under a scheduler of its own, and what must be seen of it: by `kubectl
describe`, by `tutti explain --server`, and by `tutti explain -f` of a snapshot."""

import json
import re
import subprocess
import urllib.request

import yaml

from objects import gang, pod
from permissions import only_tutti
from stack import wait_until
from world import start_tutti

SCHEDULER = "explained"


def mine(name, scheduler=SCHEDULER, **settings):
    return pod(name, "t", scheduler=scheduler, **settings)


def create_group(api, name, minimum, pods, cpu, **spec):
    api.create(gang(api.group_version("PodGroup"), name, minimum, "t", **spec))
    for index in range(pods):
        api.create(mine(f"{name}-{index}", cpu=cpu, group=name))


class Scene:
    """Work tried until nothing changes any more. A kind of scene says what it is:

    profiles   of the scheduler
    expected   what waits: state, blocker and a part of the summary by KIND/NAME
    create()   makes the cluster and the work; what outlives world.clean() is removed by remove()
    """

    profiles = [{"schedulerName": SCHEDULER}]
    expected = {}

    def __init__(self, world):
        self.world, self.api = world, world.api

    def create(self):
        raise NotImplementedError

    def remove(self):
        pass

    def __enter__(self):
        only_tutti(self.world)
        self.world.clean()
        self.create()
        self.url = start_tutti(self.world.stack, self.world.program, profiles=self.profiles,
                               name="tutti-explained")
        wait_until(self._tried, 20, 0.2, "everything to be tried")
        try:  # a nomination comes back from the API server later than the attempt
            wait_until(lambda: self._listed_as() == self._expected_as(), 10, 0.2)
        except TimeoutError:
            pass  # unexpected() says what is different
        return self

    def __exit__(self, *failure):
        self.world.stack.kill("tutti-explained")
        self.world.clean()
        self.remove()

    def _tried(self):
        items = self.listed()["items"]
        return len(items) == len(self.expected) and all(
            "not tried yet" not in item["summary"] for item in items)

    def _listed_as(self):
        return {f"{item['object']['kind'].lower()}/{item['object']['name']}":
                (item["state"], item["blocker"]) for item in self.listed()["items"]}

    def _expected_as(self):
        return {subject: what[:2] for subject, what in self.expected.items()}

    # --- what is to be seen --------------------------------------------------------------------

    def listed(self):
        return json.loads(get(self.url + "/explain?limit=1000"))

    def live(self, subject, *options):
        return run(self.world, "explain", subject, "-n", "t", "--server", self.url, *options)

    def describe(self, subject):
        return self.world.stack.kubectl("describe", *subject.split("/"), "-n", "t")

    def undescribed(self, patterns):
        """What `kubectl describe` does not say: regular expressions by KIND/NAME."""
        wanted = dict(patterns)
        texts = {}

        def complete():
            for subject in list(wanted):
                texts[subject] = flat(self.describe(subject))
                if all(re.search(pattern, texts[subject]) for pattern in wanted[subject]):
                    del wanted[subject]
            return not wanted
        try:
            wait_until(complete, 30, 1, "all descriptions")
        except TimeoutError:
            pass
        return [f"{subject}: expected /{pattern}/ in:\n{texts[subject]}"
                for subject, missing in wanted.items() for pattern in missing
                if not re.search(pattern, texts[subject])]

    def unexpected(self):
        """Live verdicts, and lines of the list, that are not what the scene says."""
        problems = []
        for subject, (state, blocker, part) in self.expected.items():
            verdict = json.loads(self.live(subject, "-o", "json"))
            if (verdict["state"], verdict["blocker"]) != (state, blocker) or \
                    part not in verdict["summary"]:
                problems.append(f"{subject}: {verdict['state']} {verdict['blocker']}: "
                                f"{verdict['summary']}")
        listed, expected = self._listed_as(), self._expected_as()
        if listed != expected:
            problems.append(f"listed {listed}, expected {expected}")
        return problems

    def unlike_offline(self, *more):
        """Differences between what is said live and what is said of a snapshot."""
        snapshot = run(self.world, "snapshot", "--kubeconfig",
                       self.world.stack.kubeconfig("admin"))
        config = self.world.stack.folder / "explained-offline.yaml"
        config.write_text(json.dumps({
            "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
            "profiles": self.profiles}))
        problems = []
        for index, subject in enumerate([*self.expected, *more]):
            for form in ("json", "yaml", "table") if index % 4 == 0 else ("json",):
                live = comparable(form, self.live(subject, "-o", form))
                offline = comparable(form, run(
                    self.world, "explain", subject, "-n", "t", "-f", "-", "--config", str(config),
                    "-o", form, data=snapshot))
                if live != offline:
                    problems.append(f"{subject} -o {form}: live\n{live}\noffline\n{offline}")
        return problems


def get(url):
    with urllib.request.urlopen(url, timeout=20) as answer:
        return answer.read().decode()


def run(world, *words, data=None):
    done = subprocess.run([str(world.program), *words], input=data, capture_output=True, text=True,
                          timeout=60, check=False)
    assert done.returncode == 0, f"tutti {' '.join(words)}: {done.stderr}"
    return done.stdout


def flat(text):
    """kubectl breaks long lines of some kinds; tests read them as one."""
    return re.sub(r"\s+", " ", text)


def comparable(form, text):
    """Without what one of them cannot know: a running scheduler the future and the PriorityClasses,
    a snapshot how long the victims of a priority have run, and why those leave who are leaving."""
    if form == "table":
        if re.search(r"^state +Preempting$", text, re.MULTILINE):
            text = text.partition("\npreemption: ")[0]
        return "\n".join(line for line in text.splitlines() if not line.startswith(
            ("next ", "ahead ", "  - wait:", "  - raise its priority")))
    verdict = json.loads(text) if form == "json" else yaml.safe_load(text)
    verdict["next"] = ""
    verdict["ahead"] = ""
    verdict["ways"] = [way for way in verdict["ways"] if way["kind"] not in ("wait", "priority")]
    if verdict["state"] == "Preempting":
        del verdict["preemption"]
    return verdict
