"""`tutti snapshot`: what is decided offline about the copy is what is decided live."""

import datetime
import json
import subprocess

from objects import gang, node, pod
from permissions import only_tutti
from stack import wait_until
from world import start_tutti

LATER = "later"  # nobody's scheduler until the snapshot is taken
CONFIG = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
          "profiles": [{"schedulerName": LATER}]}


def tests(version):
    yield "snapshot/decides-offline-as-it-does-live", same_decisions
    yield "live/reads-the-cluster-and-plays-it-ahead", plays_ahead


def create_work(api):
    api.many(api.create, [node(f"n{i}", cpu=2 + i, labels={"zone": f"z{i % 2}"})
                          for i in range(6)])
    version = api.group_version("PodGroup")
    for name, members in (("fits", 4), ("waits", 40)):
        api.create(gang(version, name, members, "t"))
        for i in range(members):
            api.create(pod(f"{name}-{i:02}", "t", cpu="2", scheduler=LATER, group=name))
    for i in range(5):
        api.create(pod(f"alone-{i}", "t", cpu="1", scheduler=LATER, nodeSelector={"zone": "z1"}))


def take(world, *options):
    return subprocess.run(
        [world.program, "snapshot", "--kubeconfig", world.stack.kubeconfig("admin"), *options],
        stdout=subprocess.PIPE, check=True, timeout=60).stdout


def decide(world, snapshot):
    """{pod: node} of a run offline."""
    config = world.stack.folder / "later.yaml"
    config.write_text(json.dumps(CONFIG))
    done = subprocess.run(
        [world.program, "run", "-f", "-", "--config", config, "-o", "json", "--kinds", "pods"],
        input=snapshot, stdout=subprocess.PIPE, check=True, timeout=60)
    return nodes_of(json.loads(done.stdout)["items"])


def nodes_of(pods):
    return {pod["metadata"]["name"]: pod["spec"].get("nodeName", "") for pod in pods}


def ranks(placements):
    """The same with names replaced by their place in the order of names."""
    nodes = sorted(set(placements.values()) - {""})
    return [nodes.index(placements[name]) if placements[name] else None
            for name in sorted(placements)]


def same_decisions(world):
    only_tutti(world)
    world.clean()
    create_work(world.api)
    offline = decide(world, take(world))
    hashed = decide(world, take(world, "--hash-names", "-o", "json"))
    start_tutti(world.stack, world.program, profiles=CONFIG["profiles"], name="tutti-later")
    try:
        expected = sum(1 for node in offline.values() if node)
        wait_until(lambda: sum(1 for node in nodes_of(world.api.list("Pod", "t")).values() if node)
                   >= expected, 20, what="the pods to be bound")
        live = nodes_of(world.api.list("Pod", "t"))
    finally:
        world.stack.kill("tutti-later")
    problems = [f"{name}: offline on {offline.get(name)!r}, live on {live[name]!r}"
                for name in live if live[name] != offline.get(name)]
    if ranks(hashed) != ranks(offline):
        problems.append(f"with hashed names: {hashed}, with their own: {offline}")
    if expected != 9:
        problems.append(f"{expected} pods ran, not the 4 of a gang and 5 alone")
    return problems


def ask(world, *words):
    done = subprocess.run([world.program, *words, "--kubeconfig", world.stack.kubeconfig("admin"),
                           "-o", "json"], stdout=subprocess.PIPE, check=True, timeout=60)
    return json.loads(done.stdout)


def plays_ahead(world):
    """What runs has run for 50 of its 60 minutes: what waits behind it waits for ten more."""
    only_tutti(world)
    world.clean()
    world.api.create(node("n1", cpu=4))
    before = pod("before", "t", cpu="4", scheduler=LATER, nodeName="n1")
    before["metadata"]["annotations"] = {"tutti.dev/runs-for": "1h"}
    world.api.create(before)
    wait_until(lambda: world.api.get("Pod", "t", "before")["status"]["phase"] == "Running", 20,
               what="the pod to run")
    began = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(minutes=50)
    world.api.patch("Pod", "t", "before", {"status": {
        "phase": "Running", "startTime": began.strftime("%Y-%m-%dT%H:%M:%SZ")}}, "status")
    world.api.create(pod("after", "t", cpu="2", scheduler=LATER))
    config = world.stack.folder / "later.yaml"
    config.write_text(json.dumps(CONFIG))
    work = world.stack.folder / "work.json"
    work.write_text(json.dumps(pod("new", "t", cpu="1", scheduler=LATER)))

    verdict = ask(world, "explain", "pod/after", "-n", "t", "--live", "--config", config)
    plan = ask(world, "plan", "-f", work, "--live", "--config", config)
    report = ask(world, "capacity", "--live", "--config", config)
    problems = []
    if verdict["state"] != "Waiting" or not is_soon(verdict["next"]):
        problems.append(f"the verdict: {verdict}")
    if plan["plan"][0]["runs"] != "later":
        problems.append(f"the plan: {plan}")
    if len(report["queue"]) != 1:
        problems.append(f"the report: {report['waiting']}")
    return problems


def is_soon(text):
    """ "in 9m58s, at 9m58s, when Pod t/before ends" """
    return text.startswith(("in 9m5", "in 10m0s")) and "Pod t/before ends" in text
