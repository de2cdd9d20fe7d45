"""The same runs of trivial steps with DBOS, started in this process as its users start them.

`dbos_peer.py DATABASE_URL CONCURRENCY RUNS STEPS` prints one JSON line, and only if every run gave the right value and
the database has every step of the last one.
"""

import faulthandler
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from dbos import DBOS

SECONDS_MAX = 240
WARM_UP_RUNS = 8
# Runs without steps and runs with them take turns in so many slices, so that both meet the same load.
SLICES = 5


@DBOS.step()
def add(value: int) -> int:
    return value + 1


@DBOS.workflow()
def chain(steps: int) -> int:
    value = 0
    for _ in range(steps):
        value = add(value)
    return value


class Measured:
    def __init__(self) -> None:
        self.seconds = self.cpu = 0.0
        self.run_ms: list[float] = []

    def at(self, share: float) -> float:
        return sorted(self.run_ms)[min(int(len(self.run_ms) * share), len(self.run_ms) - 1)]


def work(lanes: ThreadPoolExecutor, runs: int, steps: int, measured: Measured) -> None:
    """Works on that many runs, as many at a time as there are lanes, and adds what that took."""

    def one(_: int) -> float:
        before = time.perf_counter()
        value = chain(steps)
        took = (time.perf_counter() - before) * 1000
        if value != steps:
            raise ValueError(f"a run gave {value}, not {steps}")
        return took

    begun, cpu_before = time.perf_counter(), time.process_time()
    measured.run_ms.extend(lanes.map(one, range(runs)))
    measured.seconds += time.perf_counter() - begun
    measured.cpu += time.process_time() - cpu_before


def check(steps: int) -> None:
    last = DBOS.list_workflows(limit=1, sort_desc=True)[0]
    recorded = len(DBOS.list_workflow_steps(last.workflow_id))
    if (last.status, recorded) != ("SUCCESS", steps):
        raise ValueError(f"the last run is {last.status} with {recorded} steps")


def main() -> None:
    url, (concurrency, runs, steps) = sys.argv[1], map(int, sys.argv[2:])
    # Locked out by others it may wait for long; a traceback says more than a silence.
    faulthandler.dump_traceback_later(SECONDS_MAX, exit=True)
    DBOS(config={"name": "bench", "system_database_url": url, "log_level": "ERROR"})
    DBOS.launch()
    empty, full = Measured(), Measured()
    with ThreadPoolExecutor(concurrency) as lanes:
        work(lanes, max(WARM_UP_RUNS, concurrency), steps, Measured())
        for _ in range(SLICES):
            work(lanes, -(-runs // SLICES), 0, empty)
            work(lanes, -(-runs // SLICES), steps, full)
    check(steps)
    DBOS.destroy()
    print(json.dumps({
        "runs_per_s": len(full.run_ms) / full.seconds,
        "p50_ms": full.at(0.5),
        "p95_ms": full.at(0.95),
        "p99_ms": full.at(0.99),
        "zero_step_p50_ms": empty.at(0.5),
        "per_step_ms": (full.at(0.5) - empty.at(0.5)) / steps,
        "cpu_ms_per_run": full.cpu * 1000 / len(full.run_ms),
    }))


main()
