#!/usr/bin/env python3
"""The page of `tutti capacity --html` in headless Chromium: renders, says nothing on the console.

    browser.py TUTTI [SCREENSHOT.png]

Makes a cluster of 1,000 nodes. Exits 77, which is a skipped test, where there is no Chromium.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

NODES = 1000
SKIPPED = 77

NODE = """apiVersion: v1
kind: Node
metadata:
  name: node-{i:04}
  labels: {{kubernetes.io/hostname: node-{i:04}, example.com/rack: r{rack:02},
    topology.kubernetes.io/zone: zone-{zone}}}
spec: {{unschedulable: {cordoned}}}
status:
  allocatable: {{cpu: "96", memory: 1Ti, pods: "110", nvidia.com/gpu: "8"}}
---
"""
GROUP = """apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {{name: {name}, namespace: ml}}
spec: {{schedulingPolicy: {{gang: {{minCount: {pods}}}}}}}
---
"""
POD = """apiVersion: v1
kind: Pod
metadata: {{name: {name}, namespace: ml, annotations: {{tutti.dev/runs-for: {hours}h}}}}
spec:
  schedulingGroup: {{podGroupName: {group}}}
  containers:
  - name: main
    image: example.com/train
    resources: {{requests: {{cpu: "{cpu}", memory: 8Gi, nvidia.com/gpu: "{gpus}"}}}}
---
"""


def gang(name, pods, gpus, hours):
    members = (
        POD.format(name=f"{name}-{i}", group=name, gpus=gpus, cpu=8 * gpus, hours=hours)
        for i in range(pods)
    )
    return GROUP.format(name=name, pods=pods) + "".join(members)


def cluster():
    nodes = (
        NODE.format(i=i, rack=i // 20, zone=i // 250, cordoned=str(i % 61 == 0).lower())
        for i in range(NODES)
    )
    running = (gang(f"run-{i:03}", 16, (1, 2, 4, 8)[i % 4], 1 + i % 9) for i in range(100))
    waiting = (gang(f"wait-{i:02}", 600, 8, 2) for i in range(12))
    return "".join([*nodes, *running, *waiting])


def chromium():
    names = ("chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)


def browse(browser, page, *options):
    return subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--enable-logging=stderr", "--virtual-time-budget=3000", *options, page.as_uri()],
        capture_output=True, text=True, timeout=120, check=False)


def problems(dom, log):
    console = [line for line in log.splitlines() if "CONSOLE" in line]
    tiles = len(re.findall(r'class="?tile"?', dom))
    found = [f"on the console: {line}" for line in console]
    if tiles != NODES:
        found.append(f"{tiles} tiles for {NODES} nodes")
    for heading in ("Who holds what", "Devices", "What still fits", "Queue"):
        if f"<h2>{heading}</h2>" not in dom:
            found.append(f"no section '{heading}'")
    return found


def main():
    browser = chromium()
    if browser is None:
        print("skipped: no Chromium on this machine (apt-get install chromium)")
        sys.exit(SKIPPED)
    tutti = sys.argv[1]
    with tempfile.TemporaryDirectory() as scratch:
        page = pathlib.Path(scratch) / "capacity.html"
        subprocess.run([tutti, "capacity", "-f", "-", "--until", "30m", "--html", str(page)],
                       input=cluster(), text=True, check=True, stdout=subprocess.DEVNULL)
        done = browse(browser, page, "--dump-dom")
        found = problems(done.stdout, done.stderr)
        if len(sys.argv) > 2:
            browse(browser, page, f"--screenshot={sys.argv[2]}", "--window-size=1600,4200")
    print("\n".join(found) or f"{NODES} nodes drawn, nothing on the console")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
