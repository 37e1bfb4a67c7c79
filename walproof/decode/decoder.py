"""The interface of a format to decoding."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import pyarrow as pa

from walproof.scan.model import Records


class Decoder(Protocol):
    """What the module ``decoder`` of a format offers."""

    COLUMNS: frozenset[str]
    """The scanner's columns that decoding looks at."""

    NEEDS_PAYLOAD: bool
    """Whether decoding looks at payloads."""

    def type_of(self, names: tuple[str, ...]) -> pa.DataType:
        """Return the struct.

        ``names`` are fields of an entry that become columns of their own, for a format whose
        entries have fields with names.
        """

    def decoders(
        self, run: Records, names: tuple[str, ...]
    ) -> Sequence[Callable[[], Mapping[str, Any] | None]]:
        """Return for each record of a run a function that decodes it.

        The function returns the fields of the struct, or None for a record without a meaning. It
        raises :class:`~walproof.decode.fault.Undecodable`.
        """

    def phrase(self, value: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
        """Return a decoded record in a line for a person. See :func:`phrase`."""


class NoDecoder:
    """The decoder of a format without one: no record has a meaning."""

    COLUMNS: frozenset[str] = frozenset()
    NEEDS_PAYLOAD = False

    def type_of(self, names: tuple[str, ...]) -> pa.DataType:
        """Return the type of a column that holds nothing."""
        return pa.null()

    def decoders(
        self, run: Records, names: tuple[str, ...]
    ) -> Sequence[Callable[[], Mapping[str, Any] | None]]:
        """Return a function for each record that returns None."""
        return [lambda: None] * len(run)

    def phrase(self, value: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
        """Return an empty line; no record is decoded."""
        return ""
