"""The commands under a way of `tutti explain` are pasted into a shell; the work then runs."""

import os
import subprocess

from memory_groups import indexed_job, on_an_older_cluster, refusal
from objects import node, pod
from stack import binary, wait_until

TAINT = [{"key": "team", "value": "ml", "effect": "NoSchedule"}]


def tests(_):
    for name, way, subject, nodes, make in (
            ("a-pod-asks-for-less", "ask for", "pod/p", [node("n1", cpu=4)],
             lambda place: pod("p", place, cpu=8, grace=0)),
            ("a-pod-tolerates-a-taint", "tolerate", "pod/p", [node("n1", taints=TAINT)],
             lambda place: pod("p", place)),
            ("a-job-asks-for-less", "ask for", "job/j", [node("n1", cpu=4)],
             lambda place: plain_job("j", place, cpu=8)),
            ("a-job-tolerates-a-taint", "tolerate", "job/j", [node("n1", taints=TAINT)],
             lambda place: indexed_job("j", place, 2)),
            ("a-deployment-asks-for-less", "ask for", "deployment/d", [node("n1", cpu=4)],
             lambda place: deployment("d", place, cpu=8))):
        yield f"commands/{name}", on_an_older_cluster(pasted(way, subject, nodes, make))


def plain_job(name, place, cpu):
    made = indexed_job(name, place, 1, cpu)
    del made["spec"]["completionMode"]
    return made


def deployment(name, place, cpu):
    labels = {"app": name}
    return {"apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": name, "namespace": place},
            "spec": {"replicas": 1, "selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": labels}, "spec": {
                         "containers": [{"name": "main", "image": "app", "resources": {
                             "requests": {"cpu": str(cpu)}}}]}}}}


def pasted(way, subject, nodes, make):
    def test(cluster):
        cluster.begin()
        for each in nodes:
            cluster.api.create(each)
        made = make(cluster.place)
        cluster.api.create(made)
        wait_until(lambda: refusal(cluster.api, cluster.place), 20, what="a refusal")
        page = explain(cluster, subject)
        lines = commands_under(page, way)
        if not lines:
            return [f"no command under '{way}':\n{page}"]
        said = paste(cluster, lines)
        wanted = made["spec"].get("parallelism", 1)
        try:
            wait_until(lambda: len(cluster.bound()) == wanted, 30, what="pods to be bound")
        except TimeoutError:
            return [f"{lines} was pasted; {len(cluster.bound())} of {wanted} pods are bound", said]
        return []
    return test


def explain(cluster, subject):
    return subprocess.run([str(cluster.program), "explain", subject, "-n", cluster.place,
                           "--server", cluster.url], capture_output=True, text=True, timeout=60,
                          check=True).stdout


def commands_under(page, way):
    """The lines below the first way that begins so."""
    lines, found = [], False
    for line in page.splitlines():
        if line.startswith("  - "):
            if found:
                break
            found = line.startswith(f"  - {way}")
        elif found and line.startswith("      "):
            lines.append(line.strip())
    return lines


def paste(cluster, lines):
    """As a person would, with kubectl in the path and the cluster's kubeconfig."""
    stack = cluster.stack
    folder = os.path.dirname(binary(stack.version, "kubectl"))
    done = subprocess.run(["bash", "-c", "\n".join(lines)], capture_output=True, text=True,
                          timeout=60, check=False, cwd=stack.folder, env={
                              **os.environ, "PATH": f"{folder}:{os.environ['PATH']}",
                              "KUBECONFIG": stack.kubeconfig("admin")})
    return done.stdout + done.stderr
