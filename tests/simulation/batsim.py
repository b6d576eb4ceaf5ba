#!/usr/bin/env python3
"""Plays 801 jobs that the Batsim simulator played, and compares every start and every machine.

Two runs of others, one of EASY and one of conservative backfilling, on 32 machines. Their files are
not part of this project: where they are missing the test is skipped, and says so.

    tests/simulation/batsim.py build/work/tutti [FOLDER]
"""

import csv
import gzip
import io
import pathlib
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).parents[2] / "../shared/data/traces/batsim-evalys"
MACHINES = 32
SKIPPED = 77


def millis(seconds):
    """Returns whole milliseconds of a number of seconds with six decimals, as text of seconds."""
    whole, _, decimals = seconds.partition(".")
    micros = int(whole) * 1_000_000 + int((decimals + "000000")[:6])
    thousandths = (micros + 500) // 1000
    return thousandths, f"{thousandths // 1000}.{thousandths % 1000:03}"


def machines(text):
    """Returns the machines of "0 4-6"."""
    all_of_them = set()
    for part in text.split():
        first, _, last = part.partition("-")
        all_of_them |= set(range(int(first), int(last or first) + 1))
    return all_of_them


def read(path):
    with gzip.open(path, "rt") as file:
        return list(csv.DictReader(file))


def trace_of(rows):
    """Returns the jobs in the generic format."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["id", "submit", "duration", "limit", "replicas", "cpu"])
    for row in rows:
        writer.writerow([row["job_id"], millis(row["submission_time"])[1],
                         millis(row["execution_time"])[1], millis(row["requested_time"])[1],
                         row["requested_number_of_resources"], 1])
    return out.getvalue()


def play(tutti, rows, start, reserve):
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder, "jobs.csv")
        trace.write_text(trace_of(rows))
        waits = pathlib.Path(folder, "waits.csv")
        subprocess.run([tutti, "simulate", "--trace", str(trace), "--keep-time-zero",
                        "--topology", f"host={MACHINES},cpu=1", "--policy",
                        f"order=fifo,start={start},place=first-fit", "--reserve", reserve,
                        "--per-job", str(waits), "-o", "json"],
                       check=True, stdout=subprocess.DEVNULL)
        with waits.open() as file:
            return {row["id"]: row for row in csv.DictReader(file)}


def node_numbers(places):
    """Returns the numbers of nodes; node k by name is machine k."""
    return {int("".join(c for c in place.split("=")[0].split(":")[0] if c.isdigit()))
            for place in places.split()}


def compare(tutti, folder, start):
    rows = read(folder / f"medium_late.{start}.out_jobs.csv.gz")
    ours = play(tutti, rows, start, "nodes")
    other_starts = other_machines = 0
    for row in rows:
        begun = millis(ours[row["job_id"]]["start"])[0]
        other_starts += begun != millis(row["starting_time"])[0]
        other_machines += node_numbers(ours[row["job_id"]]["places"]) != machines(
            row["allocated_resources"])
    waits = [float(ours[row["job_id"]]["wait"]) for row in rows]
    print(f"{start}: {len(rows) - other_starts} of {len(rows)} starts and "
          f"{len(rows) - other_machines} machine sets are equal; "
          f"{sum(wait > 0 for wait in waits)} jobs wait, {sum(waits) / len(waits):.6f} s on average")
    return other_starts == 0 and other_machines == 0


def main():
    tutti = sys.argv[1]
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else FOLDER
    if not folder.is_dir():
        print(f"skipped: the runs of Batsim are not here ({folder.resolve()})")
        sys.exit(SKIPPED)
    equal = [compare(tutti, folder, start) for start in ("easy", "conservative")]
    sys.exit(0 if all(equal) else 1)


if __name__ == "__main__":
    main()
