"""Commands that need a checkout of the repository, because they change it or run git."""

from __future__ import annotations

import click

from reference_impl.paths import IS_INSTALLED


class NeedsCheckout(click.ClickException):
    """The command needs the repository, but Walproof is installed from a package. Exit status 2."""

    exit_code = 2


def must_be_checkout(command: str, why: str) -> None:
    """Raise :class:`NeedsCheckout` if Walproof is installed from a package.

    The message begins with ``walproof``, ``command`` and ``why``.
    """
    if IS_INSTALLED:
        raise NeedsCheckout(f"walproof {command} {why}: it needs a checkout of the repository")
