"""Test that two readers without shared code agree on the same files.

The files are vectors with one or two random damages, some of them marked as online. The second
reader is described in the README.md of kaitai-python.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance import ROOT
from reference_impl.answer import collect
from reference_impl.systemd_journal import read

sys.path.insert(0, str(ROOT / "conformance/implementations/kaitai-python"))
systemd_journal = pytest.importorskip("systemd_journal")
hashes = pytest.importorskip("systemd_journal.hashes")
seals = pytest.importorskip("systemd_journal.seals")

VECTORS = ROOT / "vectors/systemd-journal"
ZEROS = (8, 16, 64, 128, 512)


def controls() -> Iterator[tuple[bytes, dict[str, Any]]]:
    """Return small logs, damaged ones too, and their contexts."""
    for path in sorted(VECTORS.glob("*.json")):
        text = path.read_text("utf-8")
        about = json.loads(text)
        if about["operation"] != "read" or "payload_sha256" in text:
            continue  # a long payload is not compared byte by byte
        log = VECTORS / about["input"]
        if log.stat().st_size < 9000:
            yield log.read_bytes(), about["context"]


CONTROLS = list(controls())


def offsets(log: bytearray) -> list[int]:
    """Return the offsets of objects, as far as their sizes lead."""
    at, positions = int.from_bytes(log[88:96], "little"), [0]
    while at + 16 <= len(log):
        positions.append(at)
        size = int.from_bytes(log[at + 8 : at + 16], "little")
        if not 16 <= size <= len(log) - at:
            break
        at += size + -size % 8
    return positions


def damaged(source: random.Random, log: bytearray) -> bytearray:
    """Return the log with one damage."""
    positions = offsets(log)
    at = min(source.choice(positions) + 8 * source.randrange(34), max(len(log) - 1, 0))
    kind = source.randrange(7) if log else 6
    if kind < 2:
        log[at] ^= 1 << source.randrange(8)
    elif kind == 2:
        other = source.choice([0, 1, source.choice(positions), 8 * source.randrange(1000), 2**62])
        log[at : at + 8] = other.to_bytes(8, "little")[: len(log) - at]
    elif kind == 3:
        size = source.choice(ZEROS)
        log[at : at + size] = bytes(len(log[at : at + size]))
    elif kind == 4:
        del log[at:]
    elif kind == 5:
        log[source.choice(positions)] = source.randrange(9)
    else:
        log += source.randbytes(source.randrange(40))
    return log


@pytest.mark.parametrize("seed", range(20))
def test_both_readers_give_the_same_answer(tmp_path: Path, seed: int) -> None:
    source = random.Random(seed)
    path = tmp_path / "system.journal"
    for _ in range(40):
        sound, context = source.choice(CONTROLS)
        log = bytearray(sound)
        if len(log) > 16 and source.random() < 0.3:
            log[16] = 1
        for _ in range(source.choice([1, 1, 2])):
            log = damaged(source, log)
        path.write_bytes(log)
        for profile in ("recover", "strict"):
            ours = collect(read(path, profile, context)).to_json()
            theirs = systemd_journal.read(path, {"profile": profile, "context": context})
            assert theirs == ours, log.hex()


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
