from __future__ import annotations

import pytest
import yaml

from conformance import GRAMMARS
from conformance.kaitai.grammars import by_extension, grammar_of, grammar_of_file, names_of
from reference_impl.register import registers


@pytest.mark.parametrize("format", list(registers()))
def test_grammars_name_the_extensions_of_the_register(format: str) -> None:
    stated: dict[str, str] = {}
    for name in names_of(format):
        meta = yaml.safe_load((GRAMMARS / f"{name}.ksy").read_bytes())["meta"]
        endings = meta.get("file-extension", [])
        for ending in [endings] if isinstance(endings, str) else endings:
            stated[f".{ending}"] = name
    assert by_extension(format) == stated


@pytest.mark.parametrize(
    ("format", "head", "name", "grammar"),
    [
        ("leveldb-log", b"", "", "leveldb_log"),
        ("zeebe-journal", b"", "", "zeebe_segment"),
        ("zeebe-journal", b"", "journal.meta", "zeebe_meta"),
        ("zmq-raft", b"RLOG", "", "zmq_raft_rlog"),
        ("zmq-raft", b"SNAP\1\0", "snap", "zmq_raft_snapshot"),
        ("zmq-raft", b"", "00000000000001.rlog", "zmq_raft_rlog"),
        ("zmq-raft", b"\x81", "", "zmq_raft_state"),
        ("zeebe-meta", b"", "", "zeebe_meta"),
    ],
)
def test_the_grammar_of_a_file(format: str, head: bytes, name: str, grammar: str) -> None:
    assert grammar_of(format, head, name) == grammar


@pytest.mark.parametrize(
    ("format", "name", "grammar"),
    [
        ("leveldb-log", "MANIFEST-000002", "leveldb_log"),
        ("zeebe-journal", "journal-1.log", "zeebe_segment"),
        ("zeebe-journal", "LOCK", None),
        ("zmq-raft", "snap", None),
        ("zmq-raft", "raft.pers", "zmq_raft_state"),
    ],
)
def test_the_grammar_of_a_file_by_its_name_alone(
    format: str, name: str, grammar: str | None
) -> None:
    assert grammar_of_file(format, name) == grammar
