"""Helpers for decoders that decode payloads one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from walproof.decode.fault import Undecodable
from walproof.scan.model import Records

#: Reason why a payload was not decoded, or not completely.
CUT = "the payload was truncated"


def whole_payloads(run: Records) -> list[bytes | None]:
    """Return the payloads of a run; None for a truncated one."""
    assert run.payload is not None
    payloads: list[bytes | None] = run.payload.to_pylist()
    if run.truncated is None:
        return payloads
    cut = zip(payloads, run.truncated.tolist(), strict=True)
    return [None if is_cut else payload for payload, is_cut in cut]


def decoders_of(
    run: Records, decode: Callable[[bytes, bool], Mapping[str, Any]]
) -> list[Callable[[], Mapping[str, Any]]]:
    """Return for each record ``decode`` for its payload, and true if that is truncated."""
    assert run.payload is not None
    is_cut = [False] * len(run) if run.truncated is None else run.truncated.tolist()
    return [partial(decode, *pair) for pair in zip(run.payload.to_pylist(), is_cut, strict=True)]


def complete(payload: bytes | None) -> bytes:
    """Return the payload. Raises :class:`~walproof.decode.fault.Undecodable` if it was
    truncated."""
    if payload is None:
        raise Undecodable(CUT)
    return payload
