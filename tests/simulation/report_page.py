#!/usr/bin/env python3
"""The page of `tutti simulate --report` in headless Chromium: renders, says nothing on the console.

    report_page.py TUTTI [SCREENSHOT.png [DARK.png]]

The trace is a Slurm export, which also gives the same page twice. Exits 77, which is a skipped
test, where there is no Chromium.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

JOBS = 600
SKIPPED = 77
HEADER = ("JobIDRaw|User|Account|Partition|QOS|Priority|Submit|Eligible|Start|End|ElapsedRaw|"
          "TimelimitRaw|ReqTRES|AllocTRES|NNodes|State|ExitCode")


def sacct():
    rows = [HEADER]
    for i in range(JOBS):
        submit = 1_700_000_000 + i * 240 + (i * 7919) % 200
        start = submit + (i * 31) % 900
        runs = 60 + (i * 104_729) % 4_000
        nodes = (1, 1, 2, 4)[i % 4]
        rows.append(
            f"{i}|u{i % 7}|team-{i % 5}|gpu|normal|{(i * 13) % 100}|{submit}|{submit}|{start}|"
            f"{start + runs}|{runs}|{runs // 60 + 30}|cpu={nodes * 8},gres/gpu={nodes * 4},"
            f"mem={nodes * 32}G,node={nodes}||{nodes}|COMPLETED|0:0")
    return "\n".join(rows) + "\n"


def sinfo():
    return "NODELIST CPUS MEMORY GRES\nn[01-12] 64 512000 gpu:a100:8(S:0-1)\n"


def topology():
    return "SwitchName=a Nodes=n[01-06]\nSwitchName=b Nodes=n[07-12]\n"


def write_page(tutti, folder, name):
    page = folder / name
    subprocess.run(
        [tutti, "simulate", "--trace", folder / "jobs.txt", "--nodes",
         f"{folder / 'sinfo.txt'},{folder / 'topology.conf'}", "--policy",
         "default,most-allocated,random", "--seeds", "1..3", "--mtbf", "20d", "--mttr", "4h",
         "--report", page],
        check=True, stdout=subprocess.DEVNULL)
    return page


def browse(browser, page, *options):
    return subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--enable-logging=stderr", "--virtual-time-budget=3000", *options, page.as_uri()],
        capture_output=True, text=True, timeout=120, check=False)


def problems(dom, log):
    found = [f"on the console: {line}" for line in log.splitlines() if "CONSOLE" in line]
    if dom.count("<svg") != 4:
        found.append(f"{dom.count('<svg')} plots, not 4")
    for heading in ("Verdict", "Waiting and running", "Waits by queue", "Longest waits",
                    "What allocated GPU-hours went into", "What was played"):
        if f"<h2>{heading}</h2>" not in dom:
            found.append(f"no section '{heading}'")
    return found


def main():
    tutti = sys.argv[1]
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "jobs.txt").write_text(sacct())
        (folder / "sinfo.txt").write_text(sinfo())
        (folder / "topology.conf").write_text(topology())
        page = write_page(tutti, folder, "report.html")
        found = []
        if page.read_bytes() != write_page(tutti, folder, "again.html").read_bytes():
            found.append("not the same bytes twice")
        names = ("chromium", "chromium-browser", "google-chrome")
        browser = next(filter(None, map(shutil.which, names)), None)
        if browser is None and not found:
            print("skipped: no Chromium on this machine (apt-get install chromium)")
            sys.exit(SKIPPED)
        if browser is not None:
            done = browse(browser, page, "--dump-dom")
            found += problems(done.stdout, done.stderr)
            for at, look in ((2, ()), (3, ("--blink-settings=preferredColorScheme=0",))):
                if len(sys.argv) > at:
                    browse(browser, page, f"--screenshot={sys.argv[at]}", *look,
                           "--window-size=1400,2600")
    print("\n".join(found) or f"{JOBS} jobs drawn, nothing on the console")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
