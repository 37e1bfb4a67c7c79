"""Build the implementations that a command needs; show the progress, sizes and build times."""

from __future__ import annotations

import json
import textwrap
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Lock

from conformance import registry
from conformance.registry import Implementation, ImplementationUnavailable
from conformance.saving import save
from walproof.cli.output import say
from walproof.progress import progress_bar
from walproof.quantity import counted, in_bytes
from walproof.worker_pool import core_count

#: This file contains the sizes and times of builds. ``python -m walproof.setup --save-costs``
#: writes it.
COSTS = registry.FOLDER / "build-costs.json"
LINE_CHARACTERS = 98
REDRAW_SECONDS = 0.5


@dataclass(frozen=True)
class BuildCost:
    """The duration of a build in seconds, and the size of its folder in mebibytes."""

    seconds: int
    mebibytes: int

    def __str__(self) -> str:
        return f"{self.mebibytes} MiB, {self.seconds} s"


def build_costs() -> dict[str, BuildCost]:
    """Return the measured build costs by implementation."""
    rows: dict[str, list[int]] = json.loads(COSTS.read_text("utf-8"))
    return {name: BuildCost(*row) for name, row in rows.items()}


def save_costs(measured: dict[str, BuildCost]) -> None:
    """Add measured costs to the table, and remove rows for implementations that no longer exist."""
    costs = build_costs() | measured
    rows = [
        f" {json.dumps(name)}: [{cost.seconds}, {cost.mebibytes}]"
        for name, cost in sorted(costs.items())
    ]
    save(COSTS, "{\n" + ",\n".join(rows) + "\n}\n")


def build_size(implementation: Implementation) -> int:
    """Return the size of a build in mebibytes."""
    files = (path for path in implementation.output.rglob("*") if not path.is_symlink())
    return sum(path.stat().st_size for path in files if path.is_file()) + (1 << 20) - 1 >> 20


@dataclass
class Builds:
    """The results of :func:`build_missing`."""

    #: For each implementation that could not be built, the reason.
    unavailable: dict[str, str]
    #: For each build, its duration in seconds.
    seconds: dict[str, float]


def build_missing(chosen: Iterable[Implementation]) -> Builds:
    """Build all outdated implementations whose toolchains are installed.

    The expected sizes and times are printed first.
    """
    builds = Builds({}, {})
    waiting: list[Implementation] = []
    for each in chosen:
        if missing := each.missing():
            builds.unavailable[each.name] = f"{' and '.join(missing)} not found"
        elif not each.is_built():
            waiting.append(each)
    if not waiting:
        return builds
    costs = build_costs()
    expected = {each.name: costs.get(each.name, BuildCost(10, 10)) for each in waiting}
    # Use one more thread than there are cores, because some builds wait for a download or for
    # Maven.
    threads = min(core_count() + 1, len(waiting))
    _announce(waiting, expected, threads)
    # Start the longest builds first. Otherwise, the run could end with one long build on its own.
    waiting.sort(key=lambda each: -expected[each.name].seconds)
    maven = Lock()  # Maven's local repository does not support concurrent builds.
    running: set[str] = set()
    interrupted = Event()

    def build(each: Implementation) -> str | None:
        with maven if "mvn" in each.needs else nullcontext():
            running.add(each.name)
            started = time.monotonic()
            try:
                each.make(interrupted)
            except ImplementationUnavailable as error:
                return str(error)
            finally:
                builds.seconds[each.name] = time.monotonic() - started
                running.discard(each.name)
        return None

    total = sum(cost.seconds for cost in expected.values())
    with (
        progress_bar("building", total, shows_count=False) as bar,
        ThreadPoolExecutor(threads) as pool,
    ):
        futures: dict[Future[str | None], str] = {
            pool.submit(build, each): each.name for each in waiting
        }
        pending = set(futures)
        try:
            while pending:
                done, pending = wait(pending, REDRAW_SECONDS, FIRST_COMPLETED)
                for future in done:
                    name = futures[future]
                    if (why := future.result()) is not None:
                        builds.unavailable[name] = why
                    _say_done(name, builds)
                left = sum(expected[futures[each]].seconds for each in pending)
                bar.show(f"building {', '.join(sorted(running))}", total - left)
        except BaseException:
            interrupted.set()
            raise
        finally:
            pool.shutdown(cancel_futures=True)
    return builds


def _announce(
    waiting: Sequence[Implementation], expected: dict[str, BuildCost], threads: int
) -> None:
    size = sum(cost.mebibytes for cost in expected.values()) << 20
    seconds = sum(cost.seconds for cost in expected.values()) / min(threads, core_count())
    slowest = max(cost.seconds for cost in expected.values())
    folder = str(waiting[0].output.parent).replace(str(Path.home()), "~", 1)
    say(
        f"Building {counted(len(waiting), 'implementation')}, {threads} in parallel: about"
        f" {in_bytes(size)} and {_duration(max(seconds, slowest))}, in {folder}",
        err=True,
    )
    each = "; ".join(f"{one.name} {expected[one.name]}" for one in waiting)
    for line in textwrap.wrap(each, LINE_CHARACTERS, break_on_hyphens=False):
        say(f"  {line}", err=True)


def _say_done(name: str, builds: Builds) -> None:
    if name in builds.unavailable:
        say(f"  {name}: unavailable: {builds.unavailable[name]}", err=True)
    else:
        say(f"  {name}: built in {builds.seconds[name]:.0f} s", err=True)


def _duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"
