"""Objects with a past: pods and Jobs that have ended, and those that come after them."""


def owned(made, kind, owner):
    reference = {"apiVersion": "batch/v1", "kind": kind, "name": owner, "uid": f"uid-{owner}"}
    made["metadata"]["ownerReferences"] = [{**reference, "controller": True}]
    return made


def of_job(made, job="j"):
    return owned(made, "Job", job)


def job(name, status, owner=None, **spec):
    """Of pods that ask for a whole node, one after the other."""
    template = {"spec": {"restartPolicy": "Never",
                         "containers": [{"name": "c", "image": "i",
                                         "resources": {"requests": {"cpu": "4"}}}]}}
    made = {"apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"name": name, "namespace": "t", "uid": f"uid-{name}"},
            "spec": {"completions": 2, "parallelism": 1, "template": template, **spec},
            "status": status}
    return owned(made, "CronJob", owner) if owner else made


def cron(name="nightly"):
    return {"apiVersion": "batch/v1", "kind": "CronJob",
            "metadata": {"name": name, "namespace": "t", "uid": f"uid-{name}"}}


def complete(minutes):
    """The status of a Job that took so long."""
    return {"startTime": "2025-12-30T10:00:00Z", "succeeded": 2,
            "completionTime": f"2025-12-30T10:{minutes:02}:00Z",
            "conditions": [{"type": "Complete", "status": "True"}]}


def ended(made, phase, minutes):
    made["status"] = {"phase": phase, "startTime": "2025-12-31T10:00:00Z", "containerStatuses": [
        {"name": "c", "state": {"terminated": {"finishedAt": f"2025-12-31T10:{minutes:02}:00Z"}}}]}
    return made
