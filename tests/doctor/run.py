"""tutti doctor: a cluster without faults has no findings, and every fault has its own.

    run.py TUTTI

A case changes one thing of the healthy cluster and names what is found then, whole.
"""
import copy
import json
import subprocess
import sys
import tempfile

import yaml

GPU = "example.com/gpu"
QUEUE = "kueue.x-k8s.io/queue-name"
KUEUE = "kueue.x-k8s.io/v1beta2"


def node(name, **labels):
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": {"gpu": "l4", "rack": "r1", **labels}},
            "spec": {},
            "status": {"allocatable": {"cpu": "64", "memory": "64Gi", "pods": "110", GPU: "4"}}}


def queue(name, nominal, cohort=None):
    spec = {"namespaceSelector": {},
            "preemption": {"reclaimWithinCohort": "Any"},
            "resourceGroups": [{"coveredResources": [GPU], "flavors": [
                {"name": "l4", "resources": [{"name": GPU, "nominalQuota": str(nominal)}]}]}]}
    if cohort:
        spec["cohortName"] = cohort
    return {"apiVersion": KUEUE, "kind": "ClusterQueue", "metadata": {"name": name}, "spec": spec}


def job(name, into):
    return {"apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"name": name, "namespace": "ml", "labels": {QUEUE: into}},
            "spec": {"parallelism": 1, "completions": 1, "suspend": True, "template": {"spec": {
                "restartPolicy": "Never", "containers": [
                    {"name": "main", "image": "i", "resources": {"limits": {GPU: "1"}}}]}}}}


def local(name, into):
    return {"apiVersion": KUEUE, "kind": "LocalQueue",
            "metadata": {"name": name, "namespace": "ml"}, "spec": {"clusterQueue": into}}


def pod(name, **spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "ml"},
            "spec": {"containers": [{"name": "main", "image": "i",
                                     "resources": {"limits": {GPU: "1"}}}], **spec}}


def group(name, minimum, **spec):
    return {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup",
            "metadata": {"name": name, "namespace": "ml"},
            "spec": {"schedulingPolicy": {"gang": {"minCount": minimum}}, **spec}}


def healthy():
    return {
        "n1": node("n1"), "n2": node("n2"),
        "flavor": {"apiVersion": KUEUE, "kind": "ResourceFlavor", "metadata": {"name": "l4"},
                   "spec": {"nodeLabels": {"gpu": "l4"}}},
        "a": queue("a", 4, "pool"), "b": queue("b", 4, "pool"),
        "qa": local("qa", "a"), "qb": local("qb", "b"),
        "ja": job("ja", "qa"), "jb": job("jb", "qb"),
    }


# name -> (change of the healthy objects, findings as "severity code object [field]")
def cases():
    yield "healthy", lambda o: None, []
    yield "a queue that the namespace does not have", \
        lambda o: o["ja"]["metadata"]["labels"].update({QUEUE: "qaa"}), \
        ["error queue-missing Job ml/ja metadata.labels[kueue.x-k8s.io/queue-name]",
         "info queue-unused LocalQueue ml/qa "]
    yield "a queue that is closed to the namespace", \
        lambda o: o["a"]["spec"].update(namespaceSelector={"matchLabels": {"team": "x"}}), \
        ["error queue-not-for-namespace Job ml/ja metadata.labels[kueue.x-k8s.io/queue-name]"]
    yield "a queue open to no namespace", \
        lambda o: o["a"]["spec"].pop("namespaceSelector"), \
        ["error queue-not-for-namespace Job ml/ja metadata.labels[kueue.x-k8s.io/queue-name]"]
    yield "a stopped queue with users", \
        lambda o: o["a"]["spec"].update(stopPolicy="Hold"), \
        ["warning queue-stopped ClusterQueue a spec.stopPolicy"]
    yield "a stopped LocalQueue without users", \
        lambda o: (o.pop("ja"), o["qa"]["spec"].update(stopPolicy="Hold")), \
        ["info queue-stopped LocalQueue ml/qa spec.stopPolicy",
         "info queue-unused LocalQueue ml/qa "]
    yield "a flavor that does not exist", \
        lambda o: o["a"]["spec"]["resourceGroups"][0]["flavors"][0].update(name="h100"), \
        ["error queue-closed ClusterQueue a spec.resourceGroups[].flavors[].name",
         "info machines-without-quota ResourceFlavor l4 nominalQuota of example.com/gpu"]
    yield "a door without a queue behind it", \
        lambda o: (o.pop("ja"), o["qa"]["spec"].update(clusterQueue="gone")), \
        ["error queue-closed LocalQueue ml/qa spec.clusterQueue",
         "warning queue-out-of-reach ClusterQueue a ",
         "info queue-unused LocalQueue ml/qa "]
    yield "a flavor without machines", \
        lambda o: o["flavor"]["spec"].update(nodeLabels={"gpu": "L4"}), \
        ["error flavor-without-nodes ResourceFlavor l4 spec.nodeLabels",
         "info machines-without-quota Node n1 status.allocatable"]
    yield "a flavor in no queue", \
        lambda o: o.update(spare={**copy.deepcopy(o["flavor"]), "metadata": {"name": "spare"}}), \
        ["info flavor-unused ResourceFlavor spare "]
    yield "quota that does not come back", \
        lambda o: o["a"]["spec"].pop("preemption"), \
        ["warning quota-not-returned ClusterQueue a spec.preemption.reclaimWithinCohort"]
    yield "quota that comes back to a queue alone", \
        lambda o: (o["a"]["spec"].pop("preemption"), o["a"]["spec"].pop("cohortName")), []
    yield "more quota than machines", \
        lambda o: o["n2"]["status"]["allocatable"].update({GPU: "1"}), \
        ["warning quota-without-machines ResourceFlavor l4 nominalQuota of example.com/gpu"]
    yield "more machines than quota", lambda o: o.update(n3=node("n3")), \
        ["info machines-without-quota ResourceFlavor l4 nominalQuota of example.com/gpu"]
    yield "machines of no flavor", lambda o: o.update(n3=node("n3", gpu="t4")), \
        ["info machines-without-quota Node n3 status.allocatable"]
    yield "a class that does not exist", \
        lambda o: o["ja"]["metadata"]["labels"].update({"kueue.x-k8s.io/priority-class": "high"}), \
        ["error priority-class-missing Job ml/ja metadata.labels[kueue.x-k8s.io/priority-class]"]
    yield "pods of a scheduler that is not here", \
        lambda o: o.update(old=pod("old", schedulerName="volcano")), \
        ["warning scheduler-unknown Pod ml/old spec.schedulerName"]
    yield "cordoned devices", \
        lambda o: o["n2"]["spec"].update(unschedulable=True), \
        ["warning devices-out-of-use Node n2 spec.unschedulable"]
    yield "a gang larger than any domain", \
        lambda o: o.update(gang=group("gang", 2, schedulingConstraints={
            "topology": [{"key": "host"}]}),
            n1=node("n1", host="n1"), n2=node("n2", host="n2"),
            p0=member("p0"), p1=member("p1")), \
        ["error never-runs PodGroup ml/gang "]
    yield "a key that no node has", \
        lambda o: o.update(gang=group("gang", 1, schedulingConstraints={
            "topology": [{"key": "racks"}]}), p0=member("p0")), \
        ["error topology-key-unknown PodGroup ml/gang spec.schedulingConstraints.topology[0].key"]
    yield "a group that nobody fills", \
        lambda o: o.update(gang=group("gang", 2), p0=member("p0")), \
        ["warning group-unfilled PodGroup ml/gang "]
    yield "a group without any pod", lambda o: o.update(gang=group("gang", 2)), \
        ["warning group-unfilled PodGroup ml/gang "]
    yield "nodes that lack a level", \
        lambda o: (o["flavor"]["spec"].update(topologyName="dc"),
                   o["n2"]["metadata"]["labels"].pop("rack"),
                   o.update(dc={"apiVersion": KUEUE, "kind": "Topology",
                                "metadata": {"name": "dc"},
                                "spec": {"levels": [{"nodeLabel": "rack"}]}})), \
        ["warning level-missing Topology dc spec.levels"]
    yield "priorities that disagree", disagree, \
        ["warning priorities-disagree Job ml/jb spec.priorityClassName of its pods"]
    yield "GPUs that somebody labelled", \
        lambda o: (o["n1"]["metadata"]["labels"].update({"nvidia.com/gpu.product": "L4"})), \
        ["info labels-of-gpus Node nvidia.com/gpu.product metadata.labels[nvidia.com/gpu.product]"]


def member(name):
    made = pod(name, schedulingGroup={"podGroupName": "gang"})
    made["spec"]["containers"][0]["resources"]["limits"][GPU] = "3"
    return made


def disagree(o):
    for name, value in (("first", 100), ("second", 10)):
        o[name] = {"apiVersion": KUEUE, "kind": "WorkloadPriorityClass",
                   "metadata": {"name": name}, "value": value}
    o["pods-high"] = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                      "metadata": {"name": "pods-high"}, "value": 1000}
    o["pods-low"] = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                     "metadata": {"name": "pods-low"}, "value": 1}
    o["ja"]["metadata"]["labels"]["kueue.x-k8s.io/priority-class"] = "first"
    o["jb"]["metadata"]["labels"]["kueue.x-k8s.io/priority-class"] = "second"
    o["ja"]["spec"]["template"]["spec"]["priorityClassName"] = "pods-low"
    o["jb"]["spec"]["template"]["spec"]["priorityClassName"] = "pods-high"


def examine(tutti, objects, *arguments):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        yaml.safe_dump_all(list(objects.values()), file)
        file.flush()
        return subprocess.run([tutti, "doctor", "-f", file.name, *arguments],
                              capture_output=True, text=True, check=False)


def summary_of(finding):
    named = finding["object"]
    name = f"{named['namespace']}/{named['name']}" if named["namespace"] else named["name"]
    return f"{finding['severity']} {finding['code']} {named['kind']} {name} {finding['field']}"


def check(tutti, change, wanted):
    objects = healthy()
    change(objects)
    answer = examine(tutti, objects, "-o", "json")
    if answer.returncode != 0:
        return f"exit code {answer.returncode}: {answer.stderr.strip()}"
    findings = json.loads(answer.stdout)["findings"]
    found = [summary_of(finding) for finding in findings]
    if found != wanted:
        return "found " + "; ".join(found) + ", wanted " + "; ".join(wanted)
    silent = [finding["code"] for finding in findings if not finding["summary"]]
    if silent:
        return "without a sentence: " + ", ".join(silent)
    return check_bounds(tutti, objects, findings)


# --fail-on is met by what is as bad, and by what is worse.
def check_bounds(tutti, objects, findings):
    severities = ["error", "warning", "info"]
    for bound in severities:
        bad = severities[:severities.index(bound) + 1]
        wanted = 3 if any(finding["severity"] in bad for finding in findings) else 0
        code = examine(tutti, objects, "--fail-on", bound).returncode
        if code != wanted:
            return f"--fail-on {bound} exits {code}"
    return ""


def main():
    failed = 0
    passed = 0
    for name, change, wanted in cases():
        wrong = check(sys.argv[1], change, wanted)
        if wrong:
            failed += 1
            print(f"{name}: {wrong}")
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
