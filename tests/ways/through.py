"""Goes through a table of situations whose first column is their name."""
import sys
import tempfile


def through(situations, problem_with, usage):
    """Ends the program. `problem_with(program, situation, scratch)` says what is wrong, or None."""
    if len(sys.argv) < 2:
        sys.exit(usage)
    program, names = sys.argv[1], sys.argv[2:]
    passed = failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for situation in situations:
            if names and situation[0] not in names:
                continue
            try:
                problem = problem_with(program, situation, scratch)
            except RuntimeError as error:
                problem = str(error)
            passed, failed = passed + (problem is None), failed + (problem is not None)
            if problem:
                print(f"{situation[0]}: {problem}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)
