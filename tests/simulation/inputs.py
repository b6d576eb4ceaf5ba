#!/usr/bin/env python3
"""What people have, through `tutti simulate`: exports, maps, changes, and what is refused.

    inputs.py TUTTI

Waits are worked out by hand; refusals end with exit code 2, one line that says where, and no file.
"""
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

TUTTI = sys.argv[1]
FAILED = []


def pod(name, created, started, ended, gpus, labels=None):
    def at(minute):
        return f"2026-01-01T00:{minute:02}:00Z"

    return {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "ml", "creationTimestamp": at(created),
                     "labels": labels or {}},
        "spec": {"nodeName": "n1", "containers": [
            {"name": "c", "image": "i", "resources": {"requests": {"nvidia.com/gpu": str(gpus)}}}]},
        "status": {"phase": "Succeeded", "containerStatuses": [
            {"name": "c", "state": {"terminated": {"startedAt": at(started),
                                                   "finishedAt": at(ended)}}}]},
    }


def items(*objects):
    return json.dumps({"apiVersion": "v1", "items": list(objects), "kind": "List"}, indent=1)


GANG = {"scheduling.x-k8s.io/pod-group": "g"}
PODS = items(pod("a", 0, 0, 10, 1), pod("g-0", 1, 20, 30, 1, GANG), pod("g-1", 2, 21, 30, 1, GANG))
NODES = items({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"},
               "status": {"allocatable": {"cpu": "8", "pods": "9", "nvidia.com/gpu": "2"}}})
SACCT = (
    "JobIDRaw|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|ReqTRES|NNodes|State\n"
    "1|0|0|0|100|100|5|cpu=4,node=1|1|COMPLETED\n"
    "2|10|20|100|160|60|5|cpu=4,node=1|1|COMPLETED\n")
SINFO = "NODELIST CPUS MEMORY GRES\nn1 4 1000 (null)\n"
MAP = ("id: {from: job}\nsubmit: {from: at, unit: min}\nduration: {from: runs, unit: min}\n"
       "cpu: {default: 4}\n")
OWN = "job,at,runs\nx,0,2\ny,1,3\n"
OUTAGE = "node,down,up\nh00,60,120\n"


class Folder:
    def __init__(self, path):
        self.path = path

    def __call__(self, name, text):
        file = self.path / name
        if name.endswith(".gz"):
            file.write_bytes(gzip.compress(text.encode()))
        else:
            file.write_text(text)
        return str(file)


def simulate(*options):
    return subprocess.run([TUTTI, "simulate", *options], capture_output=True, text=True,
                          check=False, timeout=120)


def expect(what, found, expected):
    if found != expected:
        FAILED.append(f"{what}: expected {expected}, found {found}")


def waits(what, expected, *options):
    """Waits of the jobs in the order of the trace, in seconds."""
    with tempfile.TemporaryDirectory() as scratch:
        rows = pathlib.Path(scratch) / "waits.csv"
        done = simulate(*options, "--per-job", str(rows))
        if done.returncode != 0:
            FAILED.append(f"{what}: exit code {done.returncode}: {done.stderr.strip()}")
            return
        lines = rows.read_text().splitlines()[1:]
        expect(what, [float(line.split(",")[6] or -1) for line in lines], expected)


def plays(write):
    pods, nodes = write("pods.json", PODS), write("nodes.json.gz", NODES)
    # The gang is whole at 2 min and has room when a ends at 10 min.
    waits("kubectl", [0, 480], "--trace", pods, "--nodes", nodes)
    sacct, sinfo = write("jobs.txt", SACCT), write("sinfo.txt", SINFO)
    waits("sacct", [0, 80], "--trace", sacct, "--nodes", sinfo)
    waits("only long ones", [0], "--trace", sacct, "--nodes", sinfo, "--filter", "duration>60")
    table, rules = write("own.csv.gz", OWN), write("map.yaml", MAP)
    one = ("--topology", "host=1,cpu=4")
    waits("map", [0, 60], "--trace", table, "--map", rules, *one)
    # x is killed at 60 s and starts over at 120 s; y comes at 60 s.
    outage = write("outage.csv", OUTAGE)
    waits("outage", [0, 180], "--trace", table, "--map", rules, *one, "--failures", outage)
    waits("grown", [0, 0], "--trace", table, "--map", rules, *one, "--add-nodes", "1xh00")
    waits("reversed", [0, 120], "--trace", table, "--map", rules, *one, "--order", "reverse")
    waits("made up", [0] * 5, "--synth", "poisson:rate=60,jobs=5,duration=constant:1",
          "--topology", "host=4,gpu=8")


def refuses(write):
    jobs = write("jobs.csv", "id,submit,duration\na,0,x\n")
    good = write("good.csv", "id,submit,duration\na,0,1\n")
    host = ("--topology", "host=1,cpu=4")
    cases = (
        (("--trace", jobs, *host), f"{jobs}:2: column 'duration': expected seconds, such as 90 or "
                                   "0.5, found 'x'"),
        (("--trace", good, *host, "--map", write("m.yaml", "id: {form: a}\n")),
         "m.yaml:1: column 'id': 'form' is none of from, unit, default, regex, values"),
        (("--trace", good, *host, "--filter", "queue>a"), "text compares with = and != alone"),
        (("--trace", good, *host, "--drain", "h9@1h"), "--drain: there is no node 'h9'"),
        (("--trace", good, *host, "--synth", "poisson:rate=1"), "not both"),
        (("--trace", good, "--nodes", write("lj.csv", "ip,DSW,PSW,ASW\nh,a,b,c\n")),
         "--gpus-per-node"),
        (("--trace", write("r.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\n1,2,3\n"), *host),
         "--replica prefill=TOKENS/S,decode=TOKENS/S"),
        (("--trace", write("forever.csv", "id,submit\na,0\n"), *host, "--mtbf", "1d"),
         "failures that are drawn need --until where jobs run for ever"),
    )
    for options, message in cases:
        page, rows = write.path / "page.html", write.path / "rows.csv"
        done = simulate(*options, "--report", str(page), "--per-job", str(rows))
        expect(f"exit code of {options}", done.returncode, 2)
        if message not in done.stderr or done.stderr.count("\n") != 1:
            FAILED.append(f"{options}: expected one line with '{message}', found {done.stderr!r}")
        left = [file.name for file in write.path.iterdir() if file.name[:4] in ("page", "rows")]
        expect(f"files left by {options}", left, [])
    skipped = simulate("--trace", jobs, *host, "--skip-bad-rows", "-o", "json")
    expect("skipped rows", json.loads(skipped.stdout)["inputs"][0]["skipped"], 1)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        write = Folder(pathlib.Path(scratch))
        plays(write)
        refuses(write)
    print("\n".join(FAILED) or "all inputs are read as they should be, or refused")
    sys.exit(1 if FAILED else 0)


if __name__ == "__main__":
    main()
