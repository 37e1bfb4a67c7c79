"""What works in a checkout of the repository only: it changes the repository, or asks git."""

from __future__ import annotations

import click

from reference_impl.paths import IS_INSTALLED


class NeedsCheckout(click.ClickException):
    """The command needs the repository, and this is an installed Walproof: one line, exit 2."""

    exit_code = 2


def must_be_checkout(command: str, why: str) -> None:
    """Raise :class:`NeedsCheckout` where Walproof is installed from a package.

    ``command`` is what was asked for, ``why`` what it would change or look at.
    """
    if IS_INSTALLED:
        raise NeedsCheckout(f"walproof {command} {why}: it needs a checkout of the repository")
