"""The interface between a format and decoding."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import pyarrow as pa

from walproof.scan.model import Records


class Decoder(Protocol):
    """The interface of the module ``decoder`` of a format."""

    #: Columns of the scanner that decoding needs.
    COLUMNS: frozenset[str]

    #: True if decoding needs payloads.
    NEEDS_PAYLOAD: bool

    def type_of(self, names: tuple[str, ...]) -> pa.DataType:
        """Return the type of the struct.

        If the entries of the format have named fields, ``names`` lists the fields that become
        separate columns.
        """

    def decoders(
        self, run: Records, names: tuple[str, ...]
    ) -> Sequence[Callable[[], Mapping[str, Any] | None]]:
        """Return for each record of a run a function that decodes it.

        The function returns the fields of the struct, or None for a record without content. It
        raises :class:`~walproof.decode.fault.Undecodable`.
        """

    def phrase(self, value: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
        """Return a decoded record as one line of text. See :func:`phrase`."""


class NoDecoder:
    """The decoder of a format without one."""

    COLUMNS: frozenset[str] = frozenset()
    NEEDS_PAYLOAD = False

    def type_of(self, names: tuple[str, ...]) -> pa.DataType:
        """Return the type of an empty column."""
        return pa.null()

    def decoders(
        self, run: Records, names: tuple[str, ...]
    ) -> Sequence[Callable[[], Mapping[str, Any] | None]]:
        """Return a function for each record that returns None."""
        return [lambda: None] * len(run)

    def phrase(self, value: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
        """Return an empty line; no record is decoded."""
        return ""
