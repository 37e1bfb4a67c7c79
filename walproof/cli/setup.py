"""``walproof setup``: build what drives the real implementations."""

from __future__ import annotations

import os
import time

import click

from conformance.registry import Implementation, Unavailable
from walproof.cli.output import say
from walproof.cli.subjects import implementations
from walproof.implementations import all_implementations


@click.command()
@click.option("--impl", "names", multiple=True, metavar="NAME", help="Only these implementations.")
def setup(names: tuple[str, ...]) -> int:
    """Build the adapters of the real implementations whose toolchains are installed.

    What is already built is left alone. An implementation that cannot be built is reported and left
    out of the run. With CI=true that is a failure, unless its file says that it may be missing.
    """
    missing = 0
    for implementation in implementations(names) if names else all_implementations():
        missing += not _build(implementation) and not implementation.moving
    return 1 if missing and in_ci() else 0


def _build(implementation: Implementation) -> bool:
    if implementation.is_built() and not implementation.missing():
        return True
    click.echo(f"  {implementation.name}: building … ", nl=False)
    started = time.monotonic()
    try:
        implementation.make()
    except Unavailable as error:
        say(f"unavailable, because {error}")
        return False
    click.echo(f"done in {time.monotonic() - started:.0f} s")
    return True


def in_ci() -> bool:
    """Whether what is unavailable counts as a failure."""
    return os.environ.get("CI", "").lower() in ("1", "true")
