"""Records of all formats are described."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reference_impl.answer import Record
from reference_impl.formats import FORMATS, UnknownFormat
from walproof.describe import NotDescribed, bytes_to_json, describe, shorten

NUMBERS = st.integers(0, 2**64 - 1).map(str)
#: Descriptions use these record fields, such as those of an entry, snapshot or transaction.
FIELDS: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.just({}),
    st.fixed_dictionaries({"sync_offset": NUMBERS}),
    st.fixed_dictionaries({"index": NUMBERS}, optional={"term": NUMBERS}),
    st.fixed_dictionaries({"index": NUMBERS, "term": NUMBERS, "entry_type": st.integers(0, 4)}),
    st.fixed_dictionaries(
        {"pages": st.lists(st.integers(0, 2**32 - 1)), "db_pages": st.integers(1, 2**32 - 1)}
    ),
)
#: Payloads that begin like a write batch, a command, a MessagePack value or a raft entry.
HEADS = st.sampled_from(
    [
        b"",
        bytes(8) + b"\1\0\0\0",
        bytes(8) + b"\1\0\0\0\1",
        b"\1\5",
        b"\x81\xa1a",
        b"A=1\nB\n",
        bytes.fromhex("09000100080004000100000000000000010800040008000400"),
    ]
)


@settings(max_examples=300, deadline=None)
@example("systemd-journal", b"\x1b[2J", b"=\n", {})
@example("systemd-journal", b"", b"N" * 3_000 + b"=\n", {})
@given(st.sampled_from(list(FORMATS)), HEADS, st.binary(max_size=300), FIELDS)
def test_any_payload_is_described_or_not(
    format_id: str, head: bytes, rest: bytes, fields: dict[str, Any]
) -> None:
    payload = head + rest
    try:
        described = describe(format_id, Record(0, len(payload), payload, fields))
    except NotDescribed as fault:
        assert 0 <= fault.at <= len(payload)
        assert str(fault).startswith(f"at {fault.at}: expected ")
        return
    if described is not None:
        assert described.text.isprintable()
        assert len(described.text) < 2_000
        json.dumps(described.fields, allow_nan=False)


@pytest.mark.parametrize("format_id", FORMATS)
def test_an_empty_payload_has_no_content(format_id: str) -> None:
    assert describe(format_id, Record(0, 7, b"")) is None


def test_an_unknown_format() -> None:
    with pytest.raises(UnknownFormat):
        describe("no-such-log", Record(0, 7, b"x"))


def test_texts_and_bytes() -> None:
    assert bytes_to_json("é".encode()) == "é"
    assert bytes_to_json(b"\xff") == {"hex": "ff"}
    assert shorten("a\nb", 3) == r"a\nb"
    assert shorten("abcd", 3) == "abc…"


def test_needs_no_columns() -> None:
    """The base installation lacks numpy, pyarrow and numba."""
    program = """
import sys
for name in ("numpy", "pyarrow", "numba", "msgpack"):
    sys.modules[name] = None
from reference_impl.answer import Record
from reference_impl.formats import FORMATS
from walproof.describe import NotDescribed, describe
for format_id in FORMATS:
    try:
        describe(format_id, Record(0, 3, b"A=\\n"))
    except NotDescribed:
        pass
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)
