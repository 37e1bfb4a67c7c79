"""Test the hashes and keys of the second reader; a sweep compares the readers."""

from __future__ import annotations

import sys

import pytest

from conformance import ROOT

sys.path.insert(0, str(ROOT / "conformance/implementations/kaitai-python"))
systemd_journal = pytest.importorskip("systemd_journal")
hashes = pytest.importorskip("systemd_journal.hashes")
seals = pytest.importorskip("systemd_journal.seals")


def test_the_hashes_of_the_chapter() -> None:
    assert hashes.jenkins(b"") == 0xDEADBEEFDEADBEEF
    assert hashes.jenkins(b"a") == 0x58D68708582647AC
    assert hashes.jenkins(b"MESSAGE=hello 0") == 0xFC4F9C4AA5439ACA
    assert hashes.siphash(bytes(range(16)), b"") == 0x726FDB47DD0E0E31
    assert hashes.siphash(bytes(range(16)), b"MESSAGE=hello 0") == 0xB3A5456A6DB919D3


def test_the_keys_of_the_chapter() -> None:
    key = seals.Key.parsed("c262bd-85187f-0b1b04-877cc5/1c7af8-35a4e900")
    assert key.of(0).hex().startswith("ee998a1d") and key.of(0).hex().endswith("26b7da")
    assert key.of(1).hex().startswith("126f2d3f") and key.of(1).hex().endswith("c33c33")


@pytest.mark.parametrize("text", ["", "c262bd/1-1", "c262bd-85187f-0b1b04-877cc5/1c7af8-0"])
def test_an_invalid_key_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="verification key"):
        seals.Key.parsed(text)
