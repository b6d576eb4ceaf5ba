"""Tutti with exactly the permissions of deploy/manifests, and without them."""

import time

from objects import node, pod
from stack import Stack, wait_until
from world import Skip, deployed_objects, grant_roles, start_tutti


def tests(version):
    yield "permissions/a-service-account-is-enough", service_account
    yield "permissions/a-missing-role-is-reported", missing_role
    yield "permissions/a-foreign-certificate-is-reported", foreign_certificate
    yield "permissions/an-older-cluster-gets-its-pods-scheduled", older_cluster
    yield "permissions/nothing-was-refused", nothing_refused


def only_tutti(world):
    if world.scheduler != "tutti":
        raise Skip("about Tutti itself")


def bound(api, name):
    return (api.get("Pod", "t", name) or {"spec": {}})["spec"].get("nodeName")


def nothing_refused(world):
    """Comes last: every request of all tests before was allowed to the role."""
    only_tutti(world)
    refused = {f"{event['verb']} {event['objectRef'].get('resource')}"
               f"/{event['objectRef'].get('subresource', '')}"
               for event in world.stack.audit()
               if event.get("responseStatus", {}).get("code") == 403}
    return [f"the role lacks: {', '.join(sorted(refused))}"] if refused else []


def service_account(world):
    """The manifests' own ServiceAccount, by a token as a pod would have it."""
    only_tutti(world)
    world.clean()
    grant_roles(world.api)
    account = next(subject for thing in deployed("ClusterRoleBinding")
                   for subject in thing["subjects"] if subject["kind"] == "ServiceAccount")
    token = world.api.token(account["namespace"], account["name"])
    world.stack.authority.kubeconfig("account", world.stack.server, {"token": token})
    profile = [{"schedulerName": "by-account"}]
    start_tutti(world.stack, world.program, profile, name="tutti-account", user="account")
    try:
        world.api.create(node("n1"))
        world.api.create(pod("a", "t", scheduler="by-account"))
        wait_until(lambda: bound(world.api, "a"), 20, what="the pod to be bound")
        return []
    finally:
        world.stack.kill("tutti-account")


def deployed(kind):
    return [thing for thing in deployed_objects() if thing["kind"] == kind]


def missing_role(world):
    """It says what is forbidden, in few words, whatever it does then."""
    only_tutti(world)
    world.stack.add_user("nobody", "nobody")
    start_tutti(world.stack, world.program, name="tutti-nobody", user="nobody", ready=False)
    try:
        return _complains(world, "tutti-nobody", "forbidden")
    finally:
        world.stack.kill("tutti-nobody")


def foreign_certificate(world):
    """A kubeconfig of another cluster: the certificate authority is not ours."""
    only_tutti(world)
    with_other_authority = Stack(world.version)
    try:
        path = with_other_authority.authority.kubeconfig("stranger", world.stack.server, user={
            "token": "not-a-token"})
        (world.stack.folder / "certificates" / "stranger.kubeconfig").write_text(path.read_text())
    finally:
        with_other_authority.stop()
    start_tutti(world.stack, world.program, name="tutti-stranger", user="stranger", ready=False)
    try:
        return _complains(world, "tutti-stranger", "certificate")
    finally:
        world.stack.kill("tutti-stranger")


def _complains(world, name, word):
    log = world.stack.log(name)
    try:
        wait_until(lambda: word in log.read_text().lower() or not world.stack.running(name), 15,
                   what=f"a word about '{word}'")
    except TimeoutError as error:
        return [f"{error}; it said:\n{log.read_text()[-1500:]}"]
    text = log.read_text()
    if word not in text.lower():
        return [f"it ended without saying '{word}':\n{text[-1500:]}"]
    time.sleep(2)
    lines = len(log.read_text().splitlines())
    return [f"{lines} lines in two seconds:\n{log.read_text()[:1500]}"] if lines > 60 else []


def older_cluster(world):
    """A cluster without PodGroups: plain pods are scheduled all the same."""
    only_tutti(world)
    with Stack(world.version, workloads=False, audited=["tutti"]) as stack:
        grant_roles(stack.api, "tutti")
        stack.api.create(node("n1", cpu=2))
        start_tutti(stack, world.program)
        for name in ("a", "b", "c"):
            stack.api.create(pod(name))
        wait_until(lambda: sum(1 for p in stack.api.list("Pod") if p["spec"].get("nodeName")) == 2,
                   20, what="two of three pods to be bound")
        refused = [event for event in stack.audit()
                   if event.get("responseStatus", {}).get("code") == 403]
        return [f"refused: {event['requestURI']}" for event in refused]
