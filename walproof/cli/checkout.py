"""Restrict commands to a checkout of the repository, because they change it or run git."""

from __future__ import annotations

import click

from reference_impl.paths import IS_INSTALLED


class NeedsCheckout(click.ClickException):
    """Raised if a command needs the repository, but Walproof was installed from a package."""

    exit_code = 2


def must_be_checkout(command: str, why: str) -> None:
    """Raise :class:`NeedsCheckout` if Walproof was installed from a package.

    The error message begins with ``walproof COMMAND WHY``.
    """
    if IS_INSTALLED:
        raise NeedsCheckout(f"walproof {command} {why}: it needs a checkout of the repository")
