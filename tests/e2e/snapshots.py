"""`tutti snapshot`: what is decided offline about the copy is what is decided live."""

import datetime
import json
import subprocess

from jobs import remove_jobs
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
    yield "snapshot/jobs-keep-their-pods-and-are-learned-from", learns_from_jobs
    yield "snapshot/goes-on-without-jobs-it-may-not-read", without_jobs


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


# --- Jobs ----------------------------------------------------------------------------------------

ESTIMATE = "an estimate: earlier Jobs of CronJob t/nightly ran 1h0m0s"


def ago(minutes):
    now = datetime.datetime.now(datetime.timezone.utc)
    return (now - datetime.timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


def create_night(api):
    """Two runs of a CronJob on the only node, of which the first has ended after an hour and the
    second has run for 50 minutes, and a pod that waits behind it."""
    api.create(node("n1", cpu=4))
    template = {"spec": {"restartPolicy": "Never", "schedulerName": LATER, "nodeName": "n1",
                         "containers": [{"name": "main", "image": "app",
                                         "resources": {"requests": {"cpu": "4"}}}]}}
    spec = {"completions": 1, "parallelism": 1, "template": template}
    cron = api.create({"apiVersion": "batch/v1", "kind": "CronJob",
                       "metadata": {"name": "nightly", "namespace": "t"},
                       "spec": {"schedule": "0 0 1 1 *", "suspend": True,
                                "jobTemplate": {"spec": spec}}})
    owner = {"apiVersion": "batch/v1", "kind": "CronJob", "name": "nightly", "controller": True,
             "uid": cron["metadata"]["uid"]}
    for name in ("nightly-1", "nightly-2"):
        api.create({"apiVersion": "batch/v1", "kind": "Job", "spec": spec,
                    "metadata": {"name": name, "namespace": "t", "ownerReferences": [owner]}})
        running = wait_until(lambda name=name: running_pod(api, name), 30, what=f"{name} to run")
        if name == "nightly-1":
            ended = {"name": "main", "image": "app", "imageID": "", "ready": False,
                     "restartCount": 0, "state": {"terminated": {
                         "exitCode": 0, "startedAt": ago(130), "finishedAt": ago(70)}}}
            status = {"phase": "Succeeded", "startTime": ago(130), "containerStatuses": [ended]}
        else:
            status = {"phase": "Running", "startTime": ago(50)}
        api.patch("Pod", "t", running, {"status": status}, "status")
        if name == "nightly-1":
            wait_until(lambda: "completionTime" in api.get("Job", "t", "nightly-1")["status"], 30,
                       what="the first Job to complete")
    api.create(pod("after", "t", cpu="2", scheduler=LATER))


def running_pod(api, job):
    """The name of the Job's pod, once it runs and its Job knows."""
    if api.get("Job", "t", job)["status"].get("active") != 1:
        return None
    names = [made["metadata"]["name"] for made in api.list("Pod", "t")
             if made["metadata"].get("labels", {}).get("job-name") == job
             and made["status"]["phase"] == "Running"]
    return names[0] if names else None


def remove_night(api):
    remove_jobs(api)  # before the garbage collector does, for want of a CronJob
    api.delete("CronJob", "t", "nightly")
    wait_until(lambda: not api.list("Job", "t"), 30, what="the Jobs to be gone")


def next_of_copy(world, snapshot):
    config = world.stack.folder / "later.yaml"
    config.write_text(json.dumps(CONFIG))
    done = subprocess.run(
        [world.program, "explain", "pod/after", "-n", "t", "-f", "-", "--config", config, "-o",
         "json"], input=snapshot, stdout=subprocess.PIPE, check=True, timeout=60)
    return json.loads(done.stdout)["next"]


def learns_from_jobs(world):
    only_tutti(world)
    world.clean()
    problems = []
    try:
        create_night(world.api)
        snapshot = take(world, "-o", "json")
        live = nodes_of(world.api.list("Pod", "t"))
        offline = decide(world, snapshot)
        if offline != live:
            problems.append(f"the cluster has the pods {live}, a run of its copy {offline}")
        hashed = take(world, "--hash-names", "-o", "json")
        if ranks(decide(world, hashed)) != ranks(live):
            problems.append("with hashed names there are other pods")
        if b"nightly" in hashed:
            problems.append("hashed names: the copy still says nightly")
        config = str(world.stack.folder / "later.yaml")
        told = {"a snapshot": next_of_copy(world, snapshot),
                "--live": ask(world, "explain", "pod/after", "-n", "t", "--live", "--config",
                              config)["next"]}
        problems += [f"{source}: {said}" for source, said in told.items()
                     if not said.startswith(("in 9m", "in 10m0s")) or ESTIMATE not in said]
        return problems + plan_problems(world, snapshot, told["a snapshot"])
    finally:
        remove_night(world.api)


def plan_problems(world, snapshot, said):
    """The plan of a snapshot is about the pod that waits, and says what `next` says."""
    config = world.stack.folder / "later.yaml"
    done = subprocess.run(
        [world.program, "plan", "-f", "-", "--config", config, "-o", "json"], input=snapshot,
        stdout=subprocess.PIPE, check=True, timeout=60)
    answers = json.loads(done.stdout)["plan"]
    answer = answers[0]
    if [each["object"]["name"] for each in answers] != ["after"]:
        return [f"the plan is about {[each['object'] for each in answers]}"]
    right = said.startswith(f"in {answer.get('in')}, ") and answer["estimatedFrom"]
    return [] if right else [f"next is '{said}', the plan: {answer}"]


def without_jobs(world):
    """By someone who may list all but Jobs."""
    only_tutti(world)
    world.clean()
    groups = ["", "apps", "policy", "storage.k8s.io", "scheduling.k8s.io", "resource.k8s.io",
              "kueue.x-k8s.io"]
    api = world.api
    api.create({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
                "metadata": {"name": "all-but-jobs"},
                "rules": [{"apiGroups": groups, "resources": ["*"], "verbs": ["list"]}]})
    api.create({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
                "metadata": {"name": "all-but-jobs"},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                            "name": "all-but-jobs"},
                "subjects": [{"kind": "User", "name": "reader",
                              "apiGroup": "rbac.authorization.k8s.io"}]})
    try:
        api.create(node("n1", cpu=4))
        kubeconfig = world.stack.add_user("reader", "reader")
        done = subprocess.run([world.program, "snapshot", "--kubeconfig", str(kubeconfig)],
                              capture_output=True, text=True, check=False, timeout=60)
    finally:
        api.delete("ClusterRoleBinding", None, "all-but-jobs")
        api.delete("ClusterRole", None, "all-but-jobs")
    right = done.returncode == 0 and "kind: Node" in done.stdout
    if right and "note: goes on without jobs: " in done.stderr and "forbidden" in done.stderr:
        return []
    return [f"exit {done.returncode}: {done.stderr}"]
