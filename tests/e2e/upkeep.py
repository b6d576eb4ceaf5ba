"""`tutti controllers` as deployed, beside kube-controller-manager and without it."""

import time

import yaml

from objects import node, pod
from permissions import forbidden, only_tutti
from stack import Stack, free_port, wait_until
from world import ROOT, grant_objects, grant_roles, start_tutti

GROUP = "scheduling.k8s.io"


def tests(_):
    yield "upkeep/a-hand-written-workload-gets-its-group", stamped
    yield "upkeep/a-deleted-group-is-let-go-where-nobody-else-does", protected
    yield "upkeep/one-of-two-replicas-acts", one_acts
    yield "upkeep/an-older-cluster-has-nothing-for-it", nothing_to_do


class Cluster:
    """A control plane of its own, with or without kube-controller-manager."""

    def __init__(self, world, workloads=True):
        self.program = world.program
        self.stack = Stack(world.version, workloads=workloads, audited=["keeper"])
        self.api = self.stack.api

    def __enter__(self):
        self.stack.__enter__()
        self.stack.add_user("keeper", "keeper")
        text = (ROOT / "deploy" / "controllers" / "controllers.yaml").read_text()
        grant_objects(self.api, yaml.safe_load_all(text), "keeper")
        return self

    def __exit__(self, *failure):
        return self.stack.__exit__(*failure)

    def keep_up(self, name="keeper", leader_election=False):
        self.stack.start(name, [
            self.program, "controllers", "--kubeconfig", self.stack.kubeconfig("keeper"),
            f"--leader-elect={str(leader_election).lower()}", "--port", str(free_port())])

    def log(self, name="keeper"):
        return self.stack.log(name).read_text()

    def await_word(self, word, name="keeper"):
        wait_until(lambda: word in self.log(name), 20, what=f"'{word}' in the log")

    def refused(self):
        return [f"the role lacks: {event['verb']} {event['requestURI']}"
                for event in self.stack.audit() if forbidden(event)]

    def workload(self, name, minimum):
        version = self.api.group_version("Workload")
        self.api.create({"apiVersion": version, "kind": "Workload",
                         "metadata": {"name": name, "namespace": "default"},
                         "spec": {"podGroupTemplates": [{
                             "name": "all",
                             "schedulingPolicy": {"gang": {"minCount": minimum}}}]}})


def stamped(world):
    """Two pods name <workload>-<template>: the PodGroup appears, and the scheduler places them."""
    only_tutti(world)
    with Cluster(world) as cluster:
        api = cluster.api
        grant_roles(api, "tutti")
        cluster.stack.start_controllers()
        cluster.keep_up()
        cluster.await_word("keeping up")
        start_tutti(cluster.stack, world.program)
        api.create(node("n1"))
        for name in ("a", "b"):
            api.create(pod(name, group="train-all"))
        time.sleep(1)
        cluster.workload("train", 2)
        wait_until(lambda: len([p for p in api.list("Pod") if p["spec"].get("nodeName")]) == 2, 20,
                   what="both pods to be bound")
        group = api.get("PodGroup", "default", "train-all")
        problems = cluster.refused()
        if [owner["name"] for owner in group["metadata"].get("ownerReferences", [])] != ["train"]:
            problems.append(f"the group's owners: {group['metadata'].get('ownerReferences')}")
        if group["spec"]["schedulingPolicy"] != {"gang": {"minCount": 2}}:
            problems.append(f"the group's policy: {group['spec']['schedulingPolicy']}")
        if "jobs: left alone" not in cluster.log():
            problems.append("it does not say that Jobs are left alone")
        return problems


def protected(world):
    """Without kube-controller-manager a deleted PodGroup stays; ours lets it go, not before its pod
    has gone."""
    only_tutti(world)
    with Cluster(world) as cluster:
        api = cluster.api
        cluster.workload("train", 1)
        cluster.keep_up()
        cluster.await_word("keeping up")
        api.create(pod("a", group="train-all"))
        wait_until(lambda: api.get("PodGroup", "default", "train-all"), 20, what="the group")
        api.delete("PodGroup", "default", "train-all")
        time.sleep(2)
        if api.get("PodGroup", "default", "train-all") is None:
            return ["the group is gone while its pod is there"]
        api.delete("Pod", "default", "a", grace=0)
        wait_until(lambda: api.get("PodGroup", "default", "train-all") is None, 60,
                   what="the group to be let go")
        return cluster.refused()


def one_acts(world):
    """Two replicas: the one that holds the Lease makes the group; when it goes, the other does."""
    only_tutti(world)
    with Cluster(world) as cluster:
        api = cluster.api
        cluster.keep_up("first", leader_election=True)
        cluster.await_word("leading", "first")
        cluster.keep_up("second", leader_election=True)
        cluster.await_word("keeping up", "second")
        cluster.workload("one", 1)
        api.create(pod("a", group="one-all"))
        wait_until(lambda: api.get("PodGroup", "default", "one-all"), 20, what="the first group")
        problems = ["both lead"] if "leading" in cluster.log("second") else []
        cluster.stack.kill("first", sig=15)
        cluster.workload("two", 1)
        api.create(pod("b", group="two-all"))
        wait_until(lambda: api.get("PodGroup", "default", "two-all"), 40, what="the second group")
        return problems + cluster.refused()


def nothing_to_do(world):
    only_tutti(world)
    with Cluster(world, workloads=False) as cluster:
        cluster.keep_up()
        cluster.await_word("the cluster serves no Workloads")
        cluster.await_word("groups their pods in memory")
        return [] if cluster.stack.running("keeper") else ["it ended"]
