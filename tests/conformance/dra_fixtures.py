#!/usr/bin/env python3
"""The inventories and claims of ../shared/data/dra run as they are: nothing in them is refused.

    dra_fixtures.py TUTTI

Exits 77, which is a skipped test, where they are not at hand.
"""
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path("../shared/data/dra")
COMMON = ("deviceclasses.yaml", "claims.yaml")
SKIPPED = 77


def problem_with(tutti, inventory):
    files = [inventory, *(FOLDER / name for name in COMMON)]
    options = [word for file in files for word in ("-f", str(file))]
    done = subprocess.run([tutti, "run", "--check", *options], capture_output=True, text=True,
                          timeout=60, check=False)
    return None if done.returncode == 0 else f"exit code {done.returncode}: {done.stderr.strip()}"


def main():
    inventories = sorted(path for path in FOLDER.glob("*.yaml") if path.name not in COMMON)
    if not inventories:
        print(f"skipped: {FOLDER} is not there")
        sys.exit(SKIPPED)
    problems = {path.name: problem_with(sys.argv[1], path) for path in inventories}
    failed = {name: problem for name, problem in problems.items() if problem}
    for name, problem in failed.items():
        print(f"{name}: {problem}")
    print(f"{len(problems) - len(failed)} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
