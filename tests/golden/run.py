#!/usr/bin/env python3
"""Golden tests of the command line.

Each case of cases.json runs `tutti` with arguments and compares exit code, standard output and
standard error with the file golden/NAME.txt beside this script. `--approve` rewrites those files
with what the program says now; look at the difference before committing it.

    tests/golden/run.py build/release/tutti [--approve] [NAME…]
"""
import argparse
import difflib
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def transcript(program, case):
    """What the case printed, in one text."""
    done = subprocess.run(
        [program, *case["args"]],
        input=case.get("stdin", ""),
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin"},
        timeout=120,
        check=False,
    )
    parts = [f"$ tutti {' '.join(case['args'])}\n", f"exit {done.returncode}\n"]
    if done.stdout:
        parts.append("--- stdout\n" + done.stdout)
    if done.stderr:
        parts.append("--- stderr\n" + done.stderr)
    return done.returncode, "".join(parts)


def check(program, case, approve):
    """An empty text when the case passes, else what is wrong."""
    code, actual = transcript(program, case)
    if code != case.get("exit", 0):
        return f"expected exit {case.get('exit', 0)}\n{actual}"
    missing = [part for part in case.get("says", []) if part not in actual]
    if missing:
        return f"expected it to say {missing}\n{actual}"
    golden = HERE / "golden" / f"{case['name']}.txt"
    if approve:
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(actual)
        return ""
    expected = golden.read_text() if golden.exists() else ""
    return "".join(
        difflib.unified_diff(
            expected.splitlines(keepends=True),
            actual.splitlines(keepends=True),
            f"golden/{golden.name}",
            "actual",
        )
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--approve", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()

    cases = json.loads((HERE / "cases.json").read_text())
    if options.names:
        cases = [case for case in cases if case["name"] in options.names]
    failed = 0
    for case in cases:
        problem = check(options.program.resolve(), case, options.approve)
        if problem:
            failed += 1
            print(f"FAILED {case['name']}\n{problem}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
