"""The interface between a format and decoding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from walproof.schema import Schema


@dataclass(frozen=True, slots=True)
class Row:
    """A record to decode. ``size`` is its size in the log in bytes, including headers.

    ``fields`` contains the column values that the decoder needs. ``is_cut`` is true if ``payload``
    is truncated.
    """

    payload: bytes
    is_cut: bool
    size: int
    fields: Mapping[str, Any]


class Decoder(Protocol):
    """The interface of the module ``decoder`` of a format."""

    #: The type of the struct.
    TYPE: Schema

    #: Columns of the scanner that decoding needs.
    COLUMNS: frozenset[str]

    #: True if decoding needs payloads.
    NEEDS_PAYLOAD: bool

    def decode_row(self, row: Row) -> Mapping[str, Any] | None:
        """Return the struct of a record, or None for a record without content.

        Members without a value may be missing. Raises
        :class:`~walproof.decode.fault.Undecodable`.
        """

    def phrase(self, value: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
        """Return a decoded record as one line of text. See :func:`walproof.decode.phrase`."""


class NoDecoder:
    """The decoder for formats that have no module ``decoder``."""

    TYPE: Schema = "null"
    COLUMNS: frozenset[str] = frozenset()
    NEEDS_PAYLOAD = False

    def decode_row(self, row: Row) -> Mapping[str, Any] | None:
        """Return None."""
        return None

    def phrase(self, value: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
        """Return an empty line."""
        return ""
