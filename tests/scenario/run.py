#!/usr/bin/env python3
"""Runs the scenarios of this folder through the public command.

    run.py TUTTI [--once] [NAME...]

Each folder holds cluster.yaml (its first comment says what must happen) and expect.yaml, and
maybe config.yaml. A scenario passes when `tutti run --check --expect` says so, when a second run,
without --check, prints the same bytes, and when a run with the documents in another order does too.
--once leaves out the second and later runs: a sanitized program is slow, and repeats no worse.
"""

import functools
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
SHUFFLES = 3


def tutti(program, *arguments):
    return subprocess.run([program, "run", *arguments], capture_output=True, text=True, timeout=60)


def shuffled(text, seed):
    documents = re.split(r"^---\n", text, flags=re.MULTILINE)
    random.Random(seed).shuffle(documents)
    return "---\n".join(document.rstrip("\n") + "\n" for document in documents)


def problem_with(program, scratch, once, folder):
    """What is wrong with the scenario, or None."""
    options = ["-o", "json"]
    if (folder / "config.yaml").exists():
        options += ["--config", str(folder / "config.yaml")]
    cluster = folder / "cluster.yaml"

    expect = ["--check", "--expect", str(folder / "expect.yaml")]
    first = tutti(program, "-f", str(cluster), *expect, *options)
    if first.returncode != 0:
        return f"exit code {first.returncode}\n{first.stderr.strip()}"
    if once:
        return None
    if tutti(program, "-f", str(cluster), *options).stdout != first.stdout:
        return "a second run printed something else"
    for seed in range(SHUFFLES):
        again = scratch / f"{folder.name}-{seed}.yaml"
        again.write_text(shuffled(cluster.read_text(), seed))
        if tutti(program, "-f", str(again), *options).stdout != first.stdout:
            return f"the order of the documents shows (shuffled with seed {seed})"
    return None


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    once = "--once" in sys.argv
    program, *names = [argument for argument in sys.argv[1:] if argument != "--once"]
    scenes = sorted(scene.parent for scene in HERE.glob("*/cluster.yaml"))
    exact = [scene for scene in scenes if scene.name in names]
    folders = exact or [scene for scene in scenes if scene.name.startswith(tuple(names) or "")]
    passed = failed = 0
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(os.cpu_count()) as pool:
        judge = functools.partial(problem_with, program, pathlib.Path(scratch), once)
        problems = pool.map(judge, folders)
        for folder, problem in zip(folders, problems):
            passed, failed = passed + (problem is None), failed + (problem is not None)
            if problem:
                print(f"{folder.name}: {problem}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
