"""``python -m walproof.setup``: build the adapters of the real implementations."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import nullcontext
from threading import Lock

import click

from conformance.registry import Implementation, Unavailable
from walproof.cli.command_group import run
from walproof.cli.output import say
from walproof.cli.subjects import implementations
from walproof.implementations import all_implementations
from walproof.worker_pool import core_count


@click.command()
@click.option("--impl", "names", multiple=True, metavar="NAME", help="Only these implementations.")
def setup(names: tuple[str, ...]) -> int:
    """Build the adapters of the real implementations whose toolchains are installed.

    What is built already is left alone. An implementation that cannot be built is reported and left
    out of later runs. With CI=true that is a failure, unless its file says that it may be missing.
    """
    chosen = implementations(names) if names else all_implementations()
    todo = [one for one in chosen if not one.is_built() or one.missing()]
    missing = 0
    if len(todo) > 1:
        say(f"Building {len(todo)} implementations, {min(core_count(), len(todo))} at a time …")
    maven = Lock()  # its local repository is not made for two at once
    with ThreadPoolExecutor(core_count()) as pool:
        builds = {pool.submit(_build, one, maven): one for one in todo}
        try:
            for done in as_completed(builds):
                line, is_available = done.result()
                say(line)
                missing += not is_available and not builds[done].optional
        finally:
            pool.shutdown(cancel_futures=True)
    return 1 if missing and in_ci() else 0


def _build(implementation: Implementation, maven: Lock) -> tuple[str, bool]:
    """Return the line to print, and whether the implementation is available."""
    with maven if "mvn" in implementation.needs else nullcontext():
        started = time.monotonic()
        try:
            implementation.make()
        except Unavailable as error:
            return f"  {implementation.name}: unavailable, because {error}", False
    return f"  {implementation.name}: built in {time.monotonic() - started:.0f} s", True


def in_ci() -> bool:
    """Return whether an unavailable implementation is a failure."""
    return os.environ.get("CI", "").lower() in ("1", "true")


if __name__ == "__main__":
    run(setup)
