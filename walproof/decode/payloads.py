"""The payloads of a run, one by one, for formats whose payloads are what is decoded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from walproof.decode.fault import Undecodable
from walproof.scan.model import Records

CUT = "the payload was cut"
"""Why a payload is not decoded, or not all of it."""


def whole_payloads(run: Records) -> list[bytes | None]:
    """The payloads of a run; None for one that was cut."""
    assert run.payload is not None
    payloads: list[bytes | None] = run.payload.to_pylist()
    if run.truncated is None:
        return payloads
    cut = zip(payloads, run.truncated.tolist(), strict=True)
    return [None if is_cut else payload for payload, is_cut in cut]


def decoders_of(
    run: Records, decode: Callable[[bytes, bool], Mapping[str, Any]]
) -> list[Callable[[], Mapping[str, Any]]]:
    """``decode`` for the payload of each record, with whether the payload was cut."""
    assert run.payload is not None
    is_cut = [False] * len(run) if run.truncated is None else run.truncated.tolist()
    return [partial(decode, *pair) for pair in zip(run.payload.to_pylist(), is_cut, strict=True)]


def known(payload: bytes | None) -> bytes:
    """The payload. Raises :class:`~walproof.decode.fault.Undecodable` for one that was cut."""
    if payload is None:
        raise Undecodable(CUT)
    return payload
