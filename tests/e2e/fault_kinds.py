"""The kinds of faults. Each is a function of the running FaultRun that breaks things until its time
is over and then leaves everything repaired: schedulers running, the proxy honest.

KINDS names them in order; a seed chooses one.
"""

import signal
import time
import urllib.request
import json

from fault_proxy import cut, delay, expire, lose, refuse
from history import encoded

SLOW_BINDS = delay(0, 400, verbs=["POST"], path="/binding$")


def kills(run):
    """kill -9 in the middle of bindings; half of the times others then take the room."""
    run.proxies[0].rules(SLOW_BINDS)
    while run.time_left():
        run.pause(0.3, 2.0)
        run.kill(0)
        if run.random.random() < 0.6:
            squeeze(run)
        else:
            run.pause(0.0, 0.5)
        run.start(0)
        watch_half_gangs(run)


def squeeze(run):
    """With no scheduler there, other pods take all room that gangs begun but not complete need."""
    time.sleep(0.7)  # what was on its way arrives
    if run.load.half():
        run.load.squeeze()
        run.count("squeezes")


def watch_half_gangs(run):
    """Begun gangs must be completed or taken back while the squeeze lasts."""
    if run.load.squeezed:
        run.expect_no_half_gangs()
        run.load.release()


def replicas(run):
    """The leader is killed, frozen beyond its lease, or stopped; sometimes both are killed."""
    for proxy in run.proxies:
        proxy.rules(SLOW_BINDS)
    while run.time_left():
        run.pause(0.5, 2.5)
        change_leader(run, run.leader(), run.random.choice(("kill", "freeze", "stop", "both")))


def change_leader(run, leader, how):
    if how == "freeze":
        run.signal(leader, signal.SIGSTOP)
        run.pause(run.LEASE_SECONDS + 0.5, run.LEASE_SECONDS + 2)
        run.signal(leader, signal.SIGCONT)
    elif how == "both":
        run.kill(0)
        run.kill(1)
        squeeze(run)
        run.start(0)
        run.start(1)
        watch_half_gangs(run)
    else:
        run.kill(leader, signal.SIGKILL if how == "kill" else signal.SIGTERM)
        run.pause(0.0, 3.0)
        run.start(leader)


def api_server(run):
    """The API server is killed and comes back."""
    while run.time_left():
        run.pause(0.5, 2.5)
        run.stack.kill("kube-apiserver")
        run.count("API server kills")
        run.pause(0.0, 2.0)
        run.stack.start_api_server()


def cut_watches(run):
    """Watches end in the middle of an event, and whole connections close."""
    run.proxies[0].rules(cut(0, 20_000, 0.7, verbs=["WATCH"]),
                         cut(0, 2_000, 0.1, verbs=["GET"], connection=True))
    while run.time_left():
        run.pause(0.2, 1.5)
        run.proxies[0].cut()
        run.count("cuts")


def refusals(run):
    """Conflicts, overload and internal errors, in reads and writes."""
    run.proxies[0].rules(
        refuse(409, 0.15, verbs=["POST", "PUT", "PATCH"]),
        refuse(429, 0.10, retry_after=1), refuse(429, 0.05), refuse(500, 0.10),
        refuse(503, 0.05, retry_after=1), refuse(504, 0.03))
    run.sleep_until_over()


def stubborn(run):
    """The members of some gangs are never bound; the gangs must not sit on what they got."""
    victims = "|".join(run.random.sample(sorted(run.load.gangs), 3))
    run.proxies[0].rules(refuse(500, 1, verbs=["POST"],
                                path=rf"/pods/({victims})-\d*[02468]/binding$"))
    run.sleep_until_over()
    run.expect_no_half_gangs()


def slow(run):
    """Every answer is late, some by seconds; now and then nothing moves at all."""
    run.proxies[0].rules(delay(1500, 4000, 0.03), delay(0, 300))
    while run.time_left():
        run.pause(0.5, 2.0)
        run.proxies[0].pause_for(run.random.uniform(0.2, 1.5))


def lost_answers(run):
    """The API server does it, the scheduler never hears; sometimes it dies just then."""
    writes = ["POST", "PUT", "PATCH", "DELETE"]
    run.proxies[0].rules(SLOW_BINDS, lose(0.25, writes), lose(0.05, writes, connection=True))
    while run.time_left():
        run.pause(1.0, 3.0)
        if run.random.random() < 0.4:
            run.kill(0)
            squeeze(run)
            run.start(0)
            watch_half_gangs(run)


def compaction(run):
    """The store forgets the versions from which the scheduler would resume."""
    while run.time_left():
        run.pause(0.5, 1.5)
        run.proxies[0].rules(refuse(503, 1, verbs=["WATCH"]), expire(0.5))
        run.proxies[0].cut()
        run.pause(0.5, 1.5)
        compact(run)
        run.stack.restart("kube-apiserver")  # its own memory of old versions goes too
        run.proxies[0].rules(expire(0.3))
        run.proxies[0].cut()
        run.count("compactions")


def compact(run):
    ask(run, "/v3/kv/compaction", {"revision": newest_revision(run), "physical": True})


def newest_revision(run):
    answer = ask(run, "/v3/kv/range", {"key": encoded("/registry/x")})
    return answer["header"]["revision"]


def ask(run, path, body):
    url = f"http://127.0.0.1:{run.stack.etcd_ports[0]}{path}"
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(url, data=json.dumps(body).encode(), timeout=10) as answer:
        return json.load(answer)


def evictions(run):
    """kill -9 between the first and the last eviction for a gang; some gangs go meanwhile."""
    run.proxies[0].rules(delay(0, 1000, verbs=["DELETE"]))
    while run.time_left():
        if not run.load.wait_for_eviction(1):
            continue
        run.pause(0.0, 0.4)
        run.kill(0)
        if run.random.random() < 0.2:
            run.load.withdraw()
            run.count("withdrawals")
        run.pause(0.0, 1.5)
        run.start(0)
        run.pause(0.2, 1.5)


def everything(run):
    """A bit of all at once."""
    writes = ["POST", "PUT", "PATCH", "DELETE"]
    run.proxies[0].rules(SLOW_BINDS, delay(0, 100, 0.3), refuse(409, 0.05, verbs=writes),
                         refuse(500, 0.05), refuse(429, 0.05, retry_after=1),
                         lose(0.08, writes), cut(0, 20_000, 0.3, verbs=["WATCH"]), expire(0.1))
    while run.time_left():
        run.pause(0.3, 2.0)
        step = run.random.choice(("cut", "kill", "pause", "kill"))
        if step == "cut":
            run.proxies[0].cut()
        elif step == "pause":
            run.proxies[0].pause_for(0.5)
        else:
            run.kill(0)
            squeeze(run)
            run.start(0)
            watch_half_gangs(run)


KINDS = {
    "kills": kills, "replicas": replicas, "api-server": api_server, "cut-watches": cut_watches,
    "refusals": refusals, "lost-answers": lost_answers, "slow": slow, "compaction": compaction,
    "stubborn": stubborn, "everything": everything, "evictions": evictions,
}
