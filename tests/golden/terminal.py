#!/usr/bin/env python3
"""What a terminal gets, and what gets no more than plain text.

    tests/golden/terminal.py build/release/tutti
"""
import os
import pathlib
import pty
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Environment, whether standard output is in colours.
CASES = [
    ({"TERM": "xterm-256color"}, True),
    ({"TERM": "xterm-256color", "NO_COLOR": "1"}, False),
    ({"TERM": "xterm-256color", "NO_COLOR": ""}, True),
    ({"TERM": "dumb"}, False),
    ({}, False),
]


def shown(program, environment):
    """All that reaches the terminal."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(ROOT)
        os.execve(program, [program, "run", "-f", "examples/quickstart"], environment)
    text = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the other side is gone
            break
        if not part:
            break
        text += part
    os.waitpid(child, 0)
    return text.decode()


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    failed = 0
    for environment, colours in CASES:
        text = shown(program, environment)
        found = "\x1b[3" in text or "\x1b[1" in text or "\x1b[9" in text
        if "Running" not in text or found != colours:
            failed += 1
            print(f"{environment}: expected {'colours' if colours else 'none'}\n{text!r}")
    print(f"{len(CASES) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
