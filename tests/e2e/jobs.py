"""The same Jobs through the real kube-controller-manager and through `tutti run`.

What becomes of each Job is compared field by field: the Job's status, its Workload, its PodGroup,
its pods, and who owns whom. Our run is given the uid that the real Job got, so that names agree,
too. There are no nodes on either side: pods exist and wait.

Left out are times, versions and uids (owners are compared by kind and name), what the API server
fills into pod specs by itself, the random end of a pod's name, and what the scheduler writes.
"""

import copy
import json
import subprocess
import tempfile

from stack import wait_until

KINDS = ("Job", "Workload", "PodGroup", "Pod")
SETTLED_SECONDS = 1.0  # without a change of any of them

TEMPLATE = {"metadata": {"labels": {"app": "a"}, "annotations": {"note": "n"}},
            "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}
INDEXED = {"parallelism": 3, "completions": 3, "completionMode": "Indexed"}
GANG = {"schedulingPolicy": {"gang": {}}}

# By version, name: the spec, then changes of it one after the other.
CASES = {
    "v1.36": {
        "indexed": [INDEXED],
        "non-indexed": [{"parallelism": 2, "completions": 2}],
        "work-queue": [{"parallelism": 2}],
        "single": [{"parallelism": 1, "completions": 1, "completionMode": "Indexed"}],
        "more-completions": [{"parallelism": 2, "completions": 5, "completionMode": "Indexed"}],
        "a-name-that-is-as-long-as-names-of-jobs-with-indexes-may-be": [INDEXED],
        "grouped": [{**INDEXED, "template": {**TEMPLATE, "spec": {
            **TEMPLATE["spec"], "schedulingGroup": {"podGroupName": "mine"}}}}],
        "suspended": [{**INDEXED, "suspend": True}, {"suspend": False}, {"suspend": True}],
        "smaller": [{"parallelism": 4, "completions": 9}, {"parallelism": 2}],
    },
    "v1.37": {
        "basic": [{"parallelism": 2, "completions": 2, "scheduling": {}}],
        "gang": [{**INDEXED, "scheduling": GANG}],
        "gang-of-a-work-queue": [{"parallelism": 2, "scheduling": GANG}],
        "elastic": [{**INDEXED, "scheduling": {"schedulingPolicy": {"gang": {"minCount": 2}}}},
                    {"scheduling": {"schedulingPolicy": {"gang": {"minCount": 1}}}}],
        "grows": [{**INDEXED, "scheduling": GANG}, {"parallelism": 5, "completions": 5}],
        "shrinks": [{**INDEXED, "scheduling": GANG}, {"parallelism": 2, "completions": 2}],
        "suspended-gang": [{**INDEXED, "suspend": True, "scheduling": GANG}, {"suspend": False}],
        "constrained": [{**INDEXED, "scheduling": {
            **GANG, "schedulingConstraints": {"topology": [{"key": "rack"}]},
            "disruptionMode": {"all": {}}}}],
        "grouped": [{**INDEXED, "scheduling": GANG, "template": {**TEMPLATE, "spec": {
            **TEMPLATE["spec"], "schedulingGroup": {"podGroupName": "mine"}}}}],
    },
}

DEFAULTS_OF_PODS = {
    "dnsPolicy": "ClusterFirst", "enableServiceLinks": True, "securityContext": {},
    "terminationGracePeriodSeconds": 30}
DEFAULTS_OF_CONTAINERS = {
    "imagePullPolicy": "Always", "resources": {}, "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File"}
DEFAULTS_OF_JOBS = {
    "manualSelector": False, "podReplacementPolicy": "TerminatingOrFailed", "suspend": False,
    "completionMode": "NonIndexed"}


def tests(version):
    for name in CASES[version]:
        yield f"jobs/{name}", lambda world, name=name: compare(world, name)


def compare(world, name):
    world.clean()
    steps = CASES[world.version][name]
    problems = []
    job = world.api.create(manifest(name, steps[0]))
    uid = job["metadata"]["uid"]
    try:
        for count in range(1, len(steps) + 1):
            if count > 1:
                world.api.patch("Job", "t", name, {"spec": steps[count - 1]})
            theirs = normalised(theirs_at_rest(world.api))
            ours = normalised(run(world, manifests(name, uid, steps[:count])))
            problems += [f"after step {count}: {line}" for line in differences(theirs, ours)]
        return problems + nothing_is_left(world, name, uid, steps)
    finally:
        remove_jobs(world.api)


def nothing_is_left(world, name, uid, steps):
    remove_jobs(world.api)
    wait_until(lambda: not any(everything(world.api)), 30, what=f"{name} to be gone")
    documents = manifests(name, uid, steps)
    for document in documents:
        document["metadata"]["annotations"]["tutti.dev/delete-at"] = "1h"
    left = [thing["metadata"]["name"] for thing in run(world, documents)]
    return [f"tutti leaves {left} behind"] if left else []


# --- the two sides -----------------------------------------------------------------------------


def manifest(name, spec):
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "namespace": "t"},
            "spec": {"template": copy.deepcopy(TEMPLATE), **copy.deepcopy(spec)}}


def manifests(name, uid, steps):
    """A document per step, ten seconds apart."""
    documents, spec = [], {}
    for count, step in enumerate(steps):
        spec = {**spec, **step}
        document = manifest(name, spec)
        document["metadata"].update(uid=uid, annotations={"tutti.dev/at": f"{10 * count}s"})
        documents.append(document)
    return documents


def run(world, documents):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"apiVersion": "v1", "kind": "List", "items": documents}, file)
        file.flush()
        done = subprocess.run(
            [world.program, "run", "-f", file.name, "-o", "json", "--kinds",
             ",".join(kind.lower() + "s" for kind in KINDS)],
            capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"tutti run: {done.stderr.strip()}")
    return json.loads(done.stdout)["items"]


def everything(api):
    return [dict(thing, kind=kind, apiVersion=api.group_version(kind))
            for kind in KINDS for thing in api.list(kind, "t")]


def theirs_at_rest(api):
    seen, since = None, [0]

    def quiet():
        nonlocal seen
        now = {(t["kind"], t["metadata"]["name"]): t["metadata"]["resourceVersion"]
               for t in everything(api)}
        since[0] = since[0] + 1 if now == seen else 0
        seen = now
        return since[0] * 0.1 >= SETTLED_SECONDS

    wait_until(quiet, 60, step=0.1, what="the controllers to come to rest")
    return everything(api)


def remove_jobs(api):
    """As kubectl does; left to itself the API server would orphan the pods."""
    for job in api.list("Job", "t"):
        api.call("DELETE", api.path("Job", "t", job["metadata"]["name"]),
                 {"propagationPolicy": "Background"})


# --- comparing ---------------------------------------------------------------------------------


def normalised(things):
    """By kind and name, without what must differ."""
    names = {thing["metadata"]["uid"]: f"{thing['kind']} {thing['metadata']['name']}"
             for thing in things}
    return dict(sorted((normal_name(thing), normal(copy.deepcopy(thing), names))
                       for thing in things))


def normal_name(thing):
    name = thing["metadata"]["name"]
    if thing["kind"] != "Pod":
        return f"{thing['kind']} {name}"
    index = thing["metadata"].get("annotations", {}).get("batch.kubernetes.io/job-completion-index")
    # Pods without an index are alike: told apart by nothing but their names.
    return f"Pod {name[:-5]} {index or thing['metadata']['uid']}"


def normal(thing, names):
    metadata = thing["metadata"]
    for field in ("uid", "name", "resourceVersion", "creationTimestamp", "managedFields",
                  "generateName"):
        metadata.pop(field, None)
    for annotation in [a for a in metadata.get("annotations", {}) if a.startswith("tutti.dev/")]:
        del metadata["annotations"][annotation]
    for owner in metadata.get("ownerReferences", []):
        owner["uid"] = names.get(owner["uid"], owner["uid"])
    {"Job": normal_job, "Pod": normal_pod}.get(thing["kind"], normal_group)(thing)
    return without_nothing(thing)


def normal_job(job):
    # The API server labels a Job like its template when it has no labels of its own, and writes the
    # generated labels into the template, too; pods show them on both sides.
    job["metadata"].pop("labels", None)
    job["spec"].pop("template")
    drop_defaults(job["spec"], DEFAULTS_OF_JOBS)
    status = job.get("status", {})
    for field in ("startTime", "completionTime"):
        if field in status:
            status[field] = "set"
    for condition in status.get("conditions", []):
        for field in ("lastProbeTime", "lastTransitionTime"):
            condition.pop(field, None)


def normal_pod(pod):
    pod.pop("status", None)
    spec = pod["spec"]
    drop_defaults(spec, DEFAULTS_OF_PODS)
    for container in spec.get("containers", []):
        drop_defaults(container, DEFAULTS_OF_CONTAINERS)
    spec.pop("tolerations", None)
    drop_token(spec)


def drop_token(spec):
    """What the service account admission plugin gives to every pod."""
    is_token = lambda named: named["name"].startswith("kube-api-access-")
    for field in ("serviceAccount", "serviceAccountName"):
        spec.pop(field, None)
    spec["volumes"] = [each for each in spec.get("volumes", []) if not is_token(each)]
    for container in spec.get("containers", []) + spec.get("initContainers", []):
        container["volumeMounts"] = [each for each in container.get("volumeMounts", [])
                                     if not is_token(each)]


def normal_group(group):
    group.pop("status", None)
    # An API server writes the default; `tutti run` leaves out what nobody wrote.
    if group["spec"].get("disruptionMode") in ({"single": {}}, "Pod"):
        del group["spec"]["disruptionMode"]
    group["metadata"].pop("generation", None)  # v1.36 does not count it for these kinds


def drop_defaults(values, defaults):
    for field, value in defaults.items():
        if values.get(field) == value:
            del values[field]


def without_nothing(value):
    if isinstance(value, dict):
        pruned = {key: without_nothing(item) for key, item in value.items()}
        return {key: item for key, item in pruned.items() if item not in (None, {}, [])
                or key in ("basic", "gang", "single", "all")}
    return [without_nothing(item) for item in value] if isinstance(value, list) else value


def alike_pods_last(things):
    """Pods without an index, whose keys are uids, get numbers instead, in order of their names."""
    out, counts = {}, {}
    for key, thing in things.items():
        words = key.split(" ")
        if words[0] == "Pod" and len(words[2]) > 10:
            counts[words[1]] = counts.get(words[1], 0) + 1
            key = f"Pod {words[1]} {counts[words[1]]}"
        out[key] = thing
    return out


def differences(theirs, ours):
    theirs, ours = alike_pods_last(theirs), alike_pods_last(ours)
    lines = [f"only kube-controller-manager has {key}" for key in theirs.keys() - ours.keys()]
    lines += [f"only tutti has {key}" for key in ours.keys() - theirs.keys()]
    for key in sorted(theirs.keys() & ours.keys()):
        lines += [f"{key}: {line}" for line in unequal(theirs[key], ours[key], "")]
    return lines


def unequal(theirs, ours, path):
    if isinstance(theirs, dict) and isinstance(ours, dict):
        return [line for key in sorted(theirs.keys() | ours.keys())
                for line in unequal(theirs.get(key), ours.get(key), f"{path}.{key}")]
    return [] if theirs == ours else [f"{path}: theirs {theirs!r}, ours {ours!r}"]
