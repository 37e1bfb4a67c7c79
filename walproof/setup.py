"""``python -m walproof.setup``: build the adapters of the real implementations."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import nullcontext
from threading import Lock

import click

from conformance.registry import Implementation, ImplementationUnavailable
from walproof.cli.command_group import run
from walproof.cli.output import say
from walproof.cli.program_options import implementations
from walproof.implementations import all_implementations
from walproof.worker_pool import core_count


@click.command()
@click.option("--impl", "names", multiple=True, metavar="NAME", help="Only these implementations.")
def setup(names: tuple[str, ...]) -> int:
    """Build the adapters of the real implementations whose toolchains are installed.

    Adapters that are up to date are not built again. Adapters that cannot be built are reported.
    With CI=true, they are an error, unless optional = true is in the file of the implementation.
    """
    chosen = implementations(names) if names else all_implementations()
    unbuilt = [
        implementation
        for implementation in chosen
        if not implementation.is_built() or implementation.missing()
    ]
    missing = 0
    if len(unbuilt) > 1:
        threads = min(core_count(), len(unbuilt))
        say(f"Building {len(unbuilt)} implementations, {threads} in parallel …")
    maven = Lock()  # Maven's local repository does not support concurrent builds.
    with ThreadPoolExecutor(core_count()) as pool:
        builds = {
            pool.submit(_build, implementation, maven): implementation for implementation in unbuilt
        }
        try:
            for done in as_completed(builds):
                line, is_available = done.result()
                say(line)
                missing += not is_available and not builds[done].optional
        finally:
            pool.shutdown(cancel_futures=True)
    return 1 if missing and in_ci() else 0


def _build(implementation: Implementation, maven: Lock) -> tuple[str, bool]:
    with maven if "mvn" in implementation.needs else nullcontext():
        started = time.monotonic()
        try:
            implementation.make()
        except ImplementationUnavailable as error:
            return f"  {implementation.name}: unavailable: {error}", False
    return f"  {implementation.name}: built in {time.monotonic() - started:.0f} s", True


def in_ci() -> bool:
    """Return whether this is a CI run, in which an unavailable implementation is an error."""
    return os.environ.get("CI", "").lower() in ("1", "true")


if __name__ == "__main__":
    run(setup)
