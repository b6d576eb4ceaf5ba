"""Objects of small clusters, as short calls."""

GROUPS = "scheduling.k8s.io/v1beta1"
TREES = "scheduling.k8s.io/v1alpha3"


def node(name, cpu=4, rack=None, zone=None, taint=None, labels=None, cordoned=False, **more):
    every = {"kubernetes.io/hostname": name, **(labels or {})}
    if rack:
        every["rack"] = rack
    if zone:
        every["topology.kubernetes.io/zone"] = zone
    spec = {}
    if cordoned:
        spec["unschedulable"] = True
    if taint:
        key, value = taint
        spec["taints"] = [{"key": key, "value": value, "effect": "NoSchedule"}]
    room = {"cpu": str(cpu), "memory": "64Gi", "pods": "110"}
    room.update({name.replace("_", "/", 1): str(amount) for name, amount in more.items()})
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": every},
            "spec": spec, "status": {"allocatable": room}}


def begins_with(cpu, name="first", stays=False, **more):
    """An init container; one that stays is a sidecar."""
    made = {"name": name, "image": "i", "resources": {"requests": {"cpu": str(cpu), **more}}}
    return {**made, "restartPolicy": "Always"} if stays else made


def pod(name, cpu=1, on=None, group=None, priority=None, gates=(), requests=None, grace=0,
        annotations=None, labels=None, **spec):
    asked = {"cpu": str(cpu), **(requests or {})}
    extended = {name: amount for name, amount in asked.items() if "/" in name}
    resources = {"requests": asked}
    if extended:
        resources["limits"] = extended
    made = {"containers": [{"name": "c", "image": "i", "resources": resources}],
            "terminationGracePeriodSeconds": grace, **spec}
    if on:
        made["nodeName"] = on
    if group:
        made["schedulingGroup"] = {"podGroupName": group}
    if priority is not None:
        made["priority"] = priority
    if gates:
        made["schedulingGates"] = [{"name": gate} for gate in gates]
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": "t", "annotations": annotations or {},
                         "labels": labels or {}},
            "spec": made}


def group(name, gang=None, key=None, parent=None, priority=None, version=GROUPS, together=False):
    policy = {"gang": {"minCount": gang}} if gang else {"basic": {}}
    spec = {"schedulingPolicy": policy}
    if together:
        spec["disruptionMode"] = {"all": {}}
    if key:
        spec["schedulingConstraints"] = {"topology": [{"key": key}]}
    if parent:
        spec["parentCompositePodGroupName"] = parent
        spec["workloadRef"] = {"workloadName": "w", "templateName": name}
    if priority is not None:
        spec["priority"] = priority
    return {"apiVersion": version, "kind": "PodGroup",
            "metadata": {"name": name, "namespace": "t"}, "spec": spec}


def composite(name, gang, key=None, parent=None):
    spec = {"schedulingPolicy": {"gang": {"minGroupCount": gang}},
            "workloadRef": {"workloadName": "w", "templateName": name}}
    if key:
        spec["schedulingConstraints"] = {"topology": [{"key": key}]}
    if parent:
        spec["parentCompositePodGroupName"] = parent
    return {"apiVersion": TREES, "kind": "CompositePodGroup",
            "metadata": {"name": name, "namespace": "t"}, "spec": spec}


def workload_of(*groups, above=None, version=GROUPS):
    """Whose groups are made as pods name them: their names, minimums and topology keys."""
    made = []
    for name, minimum, key in groups:
        form = {"name": name, "schedulingPolicy": {"gang": {"minCount": minimum}}}
        if key:
            form["schedulingConstraints"] = {"topology": [{"key": key}]}
        made.append(form)
    spec = {"podGroupTemplates": made}
    if above:
        spec = {"compositePodGroupTemplates": [{
            "name": above, "schedulingPolicy": {"gang": {"minGroupCount": len(made)}}, **spec}]}
    return {"apiVersion": version, "kind": "Workload", "metadata": {"name": "w", "namespace": "t"},
            "spec": spec}


def gang(name, pods, minimum=None, key=None, parent=None, group_priority=None, **more):
    """The group and its pods."""
    made = [group(name, minimum or pods, key, parent, group_priority)]
    if group_priority is not None:
        more["priority"] = group_priority
    return made + [pod(f"{name}-{i}", group=name, **more) for i in range(pods)]


def job(name, pods, cpu=1, scheduling=None, indexed=True, suspend=False, labels=None, **spec):
    made = {"parallelism": pods, "completions": pods,
            "template": {"metadata": {"labels": labels or {}},
                         "spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 0,
                                  "containers": [{"name": "c", "image": "i", "resources": {
                                      "requests": {"cpu": str(cpu)}}}], **spec}}}
    if suspend:
        made["suspend"] = True
    if indexed:
        made["completionMode"] = "Indexed"
    if scheduling:
        made["scheduling"] = scheduling
    return {"apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"name": name, "namespace": "t"}, "spec": made}


def cron_job(name, schedule, pods, cpu=1, **spec):
    """Whose pods end by themselves where `runs_for` says so."""
    runs_for = spec.pop("runs_for", None)
    suspend = spec.pop("suspend", False)
    template = job("", pods, cpu, **spec)["spec"]
    if runs_for:
        template["template"]["metadata"]["annotations"] = {"tutti.dev/runs-for": runs_for}
    return {"apiVersion": "batch/v1", "kind": "CronJob",
            "metadata": {"name": name, "namespace": "t"},
            "spec": {"schedule": schedule, "suspend": suspend, "jobTemplate": {"spec": template}}}


def daemon_set(name, cpu=1, **spec):
    return {"apiVersion": "apps/v1", "kind": "DaemonSet",
            "metadata": {"name": name, "namespace": "t"},
            "spec": {"selector": {"matchLabels": {"app": name}},
                     "template": {"metadata": {"labels": {"app": name}},
                                  "spec": {"terminationGracePeriodSeconds": 0, "containers": [
                                      {"name": "c", "image": "i", "resources": {
                                          "requests": {"cpu": str(cpu)}}}], **spec}}}}


def needs(role, key="kubernetes.io/hostname"):
    """Required affinity to pods of that role."""
    return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"labelSelector": {"matchLabels": {"role": role}}, "topologyKey": key}]}}


def leader_worker_set(name, replicas, size, cpu=1, runs_for=None, **spec):
    form = template(cpu, **spec)
    if runs_for:
        form["metadata"] = {"annotations": {"tutti.dev/runs-for": runs_for}}
    return workload("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", name, {
        "replicas": replicas, "leaderWorkerTemplate": {"size": size, "workerTemplate": form}})


def job_set(name, jobs, pods, cpu=1, **spec):
    template = job("", pods, cpu, **spec)["spec"]
    return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet",
            "metadata": {"name": name, "namespace": "t"},
            "spec": {"replicatedJobs": [
                {"name": "w", "replicas": jobs, "template": {"spec": template}}]}}


def kueue_pods(name, pods, cpu=1, total=None, **more):
    """A gang in Kueue's words."""
    return [pod(f"{name}-{i}", cpu, labels={"kueue.x-k8s.io/pod-group-name": name},
                annotations={"kueue.x-k8s.io/pod-group-total-count": str(total or pods)}, **more)
            for i in range(pods)]


def queued(made):
    made["metadata"].setdefault("labels", {})["kueue.x-k8s.io/queue-name"] = "team-a"
    return made


def suspended(made):
    made["spec"]["suspend"] = True
    return made


def running_for(time, made):
    """A JobSet whose pods end by themselves."""
    for replicated in made["spec"]["replicatedJobs"]:
        template = replicated["template"]["spec"]["template"]
        template["metadata"]["annotations"] = {"tutti.dev/runs-for": time}
    return made


def kueue_workload(name, job_name, condition, status, message, kind="Job"):
    return {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload",
            "metadata": {"name": name, "namespace": "t", "ownerReferences": [
                {"apiVersion": "batch/v1", "kind": kind, "name": job_name, "uid": "u",
                 "controller": True}]},
            "spec": {"queueName": "team-a", "podSets": [
                {"name": "main", "count": 2, "template": {"spec": {"containers": [
                    {"name": "c", "image": "i", "resources": {"requests": {"cpu": "4"}}}]}}}]},
            "status": {"conditions": [{"type": condition, "status": status, "reason": "Pending",
                                       "message": message}]}}


VOLCANO = "scheduling.volcano.sh/v1beta1"
PLUGINS = "scheduling.x-k8s.io/v1alpha1"


def foreign_group(name, members, version, owner=None):
    """A PodGroup of another scheduler."""
    made = {"apiVersion": version, "kind": "PodGroup",
            "metadata": {"name": name, "namespace": "t"}, "spec": {"minMember": members}}
    if owner:
        made["metadata"]["ownerReferences"] = [{
            "apiVersion": owner["apiVersion"], "kind": owner["kind"], "controller": True,
            "name": owner["metadata"]["name"], "uid": "u"}]
    return made


def foreign_pods(name, pods, cpu=1, version=VOLCANO, **more):
    """Pods that name such a group."""
    if version == VOLCANO:
        more["annotations"] = {"scheduling.k8s.io/group-name": name}
    else:
        more["labels"] = {"scheduling.x-k8s.io/pod-group": name}
    return [pod(f"{name}-{i}", cpu, **more) for i in range(pods)]


def template(cpu, **spec):
    containers = [{"name": "c", "image": "i", "resources": {"requests": {"cpu": str(cpu)}}}]
    return {"spec": {"terminationGracePeriodSeconds": 0, "containers": containers, **spec}}


def workload(version, kind, name, spec):
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": "t"},
            "spec": spec}


def volcano_job(name, workers, cpu=1, **spec):
    """A kind Job of another project."""
    return workload("batch.volcano.sh/v1alpha1", "Job", name, {
        "minAvailable": workers, "tasks": [
            {"name": "worker", "replicas": workers, "template": template(cpu, **spec)}]})


def pytorch_job(name, workers, cpu=1, minimum=None, **spec):
    made = {"pytorchReplicaSpecs": {"Worker": {"replicas": workers,
                                               "template": template(cpu, **spec)}}}
    if minimum:
        made["runPolicy"] = {"schedulingPolicy": {"minAvailable": minimum}}
    return workload("kubeflow.org/v1", "PyTorchJob", name, made)


def ray_cluster(name, least, hosts, cpu=1):
    """A head and workers that may become fewer."""
    return workload("ray.io/v1", "RayCluster", name, {
        "enableInTreeAutoscaling": True, "headGroupSpec": {"template": template("100m")},
        "workerGroupSpecs": [{"groupName": "w", "replicas": least, "minReplicas": least,
                              "numOfHosts": hosts, "template": template(cpu)}]})


def priority_class(name, value):
    return {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
            "metadata": {"name": name}, "value": value}


def disruption_budget(name, app, unavailable):
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
            "metadata": {"name": name, "namespace": "t"},
            "spec": {"maxUnavailable": unavailable,
                     "selector": {"matchLabels": {"app": app}}}}


def slice_of(host, devices, sick=(), driver="gpu.example.com"):
    made = []
    for index in range(devices):
        device = {"name": f"gpu-{index}"}
        if index in sick:
            device["taints"] = [{"key": "gpu.example.com/xid", "value": "79",
                                 "effect": "NoSchedule"}]
        made.append(device)
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice",
            "metadata": {"name": f"{host}-{driver}"},
            "spec": {"driver": driver, "nodeName": host,
                     "pool": {"name": host, "generation": 1, "resourceSliceCount": 1},
                     "devices": made}}


def islands(host, *sizes):
    """Of one node, with as many devices in each."""
    made = slice_of(host, sum(sizes))
    values = [f"i{island}" for island, size in enumerate(sizes) for _ in range(size)]
    for device, value in zip(made["spec"]["devices"], values):
        device["attributes"] = {"island": {"string": value}}
    return made


def device_class(name="gpu", driver="gpu.example.com"):
    return {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass",
            "metadata": {"name": name},
            "spec": {"selectors": [{"cel": {"expression": f'device.driver == "{driver}"'}}]}}


def claim(name, count):
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
            "metadata": {"name": name, "namespace": "t"},
            "spec": {"devices": {"requests": [
                {"name": "r", "exactly": {"deviceClassName": "gpu", "count": count}}]}}}


def claim_template(name, count):
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate",
            "metadata": {"name": name, "namespace": "t"},
            "spec": {"spec": claim("", count)["spec"]}}


def of_one_island(made):
    made["spec"]["devices"]["constraints"] = [{"matchAttribute": "gpu.example.com/island"}]
    return made


def of_class(name, made):
    made["spec"]["devices"]["requests"][0]["exactly"]["deviceClassName"] = name
    return made


def makes(template):
    return [{"name": "gpus", "resourceClaimTemplateName": template}]


def uses(name):
    return [{"name": "gpus", "resourceClaimName": name}]


def claim_of_newest(name, count):
    """Of devices with an attribute that none of slice_of() has."""
    made = claim(name, count)
    made["spec"]["devices"]["requests"][0]["exactly"]["selectors"] = [
        {"cel": {"expression": 'device.attributes["gpu.example.com"].?model.orValue("") == "x9"'}}]
    return made


def claim_of_all(name):
    made = claim(name, 1)
    made["spec"]["devices"]["requests"][0]["exactly"] = {"deviceClassName": "gpu",
                                                         "allocationMode": "All"}
    return made


def volume_claim(name, storage_class=None, volume=None):
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    if storage_class:
        spec["storageClassName"] = storage_class
    if volume:
        spec["volumeName"] = volume
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"name": name, "namespace": "t"}, "spec": spec}


def volume_on(name, claimed_by, host):
    """Bound to the claim, and on one node only."""
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
            "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
                     "claimRef": {"namespace": "t", "name": claimed_by},
                     "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                         {"key": "kubernetes.io/hostname", "operator": "In",
                          "values": [host]}]}]}}}}


def of_one_pod(made):
    """A volume, or a claim for one, that no two pods may use at once."""
    made["spec"]["accessModes"] = ["ReadWriteOncePod"]
    return made


def mounts(name):
    return [{"name": "data", "persistentVolumeClaim": {"claimName": name}}]


def taint_rule(name, pool):
    return {"apiVersion": "resource.k8s.io/v1beta2", "kind": "DeviceTaintRule",
            "metadata": {"name": name},
            "spec": {"deviceSelector": {"driver": "gpu.example.com", "pool": pool},
                     "taint": {"key": "gpu.example.com/off", "effect": "NoSchedule"}}}
