"""Compare decoded zmq-raft entries, updates and snapshots with the output of the real classes."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa

from conformance import ROOT
from tests.conftest import unavailable
from tests.walproof.decode.real_programs import GOLDEN, PROGRAMS
from walproof import decode
from walproof.decode.fault import Undecodable
from walproof.formats.zmq_raft.decoder import decode as entry_of
from walproof.scan.log import Log
from walproof.scan.model import Records, Wanted
from walproof.scan.reference import ReferenceScanner

FILES = GOLDEN / "zmq-raft"
BUILD = ROOT / ".build" / "implementations" / "zmq-raft"
PEERS = [{"id": "01", "url": "tcp://127.0.0.1:8047"}, {"id": "02", "url": "tcp://10.0.0.2:8047"}]


def node_output() -> dict[str, Any]:
    results: dict[str, Any] = json.loads((FILES / "told.json").read_text("utf-8"))
    return results


def decoded(name: str, most: int = 4096) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return the struct and the columns of each record of a golden file."""
    results = []
    for run in ReferenceScanner("zmq-raft").scan(Log(FILES / name, {}), Wanted(max_payload=most)):
        if isinstance(run, Records):
            values, faults = decode.decoded("zmq-raft", run)
            assert faults.null_count == len(faults)
            columns = {name: column.to_pylist() for name, column in run.fields.items()}
            results += [
                (value, {name: column[number] for name, column in columns.items()})
                for number, value in enumerate(values.to_pylist())
            ]
    return results


def test_entries_equal_those_of_the_real_classes() -> None:
    for (value, fields), real in zip(decoded("log.rlog"), node_output()["entries"], strict=True):
        assert {name: fields[name] for name in ("index", "term")} == {
            name: real[name] for name in ("index", "term")
        }
        assert (value["type"], value["requested"]) == (real["type"], real["requested"])
        if real["type"] == "state":
            assert value["data"] == bytes.fromhex(real["data"])
        elif real["type"] == "config":
            assert json.loads(value["config"]) == real["config"]
            pairs = real["config"] if isinstance(real["config"], list) else real["config"]["new"]
            assert [[peer["id"], peer["url"]] for peer in value["peers"]] == pairs
    assert value["old_peers"] == PEERS


def test_snapshot_and_updates() -> None:
    ((snapshot, fields),) = decoded("snap")
    real = node_output()["snapshot"]
    assert snapshot["type"] == "snapshot" and snapshot["data"] == bytes.fromhex(real["data"])
    assert (fields["index"], fields["term"]) == (real["index"], real["term"])
    assert decode.phrase("zmq-raft", snapshot, fields) == (
        'index 42, term 100: snapshot "the state"'
    )
    (first, columns), (second, _) = decoded("state.pers")
    assert first["type"] == second["type"] == "update" and first["peers"] is None
    assert second["old_peers"] == PEERS
    assert [[peer["id"], peer["url"]] for peer in second["peers"]] == node_output()["peers"]
    assert decode.phrase("zmq-raft", first, columns) == 'update {"currentTerm":3,"votedFor":"02"}'


def test_the_phrase_has_peers_and_time() -> None:
    message = [decode.phrase("zmq-raft", value, fields) for value, fields in decoded("log.rlog")]
    when = ", requested 2018-09-26 15:01:28"
    assert message[:3] == [
        "index 1, term 1: checkpoint",
        f'index 2, term 1: state "hello"{when}',
        f"index 3, term 2: state 0x00ff1b{when}",
    ]
    before = "01 tcp://127.0.0.1:8047, 02 tcp://10.0.0.2:8047"
    assert message[3:] == [
        f"index 4, term 3: config {before}, ä tcp://[::1]:8047{when}",
        f"index 5, term 1099511627776: config {before} → {before}, ä tcp://[::1]:8047{when}",
    ]


def test_a_cut_payload() -> None:
    run = next(
        iter(ReferenceScanner("zmq-raft").scan(Log(FILES / "log.rlog", {}), Wanted(max_payload=3)))
    )
    assert isinstance(run, Records)
    values, faults = decode.decoded("zmq-raft", run)
    hello, config = values.to_pylist()[1], values.to_pylist()[3]
    assert hello["type"] == "state" and hello["data"] is None and hello["requested"]
    assert config is None and "truncated" in faults.to_pylist()[3]


def test_hostile_configs_raise_only_undecodable() -> None:
    chance = random.Random(2)
    real = bytes.fromhex(node_output()["entries"][4]["data"])
    for _ in range(3000):
        data = bytearray(real if chance.random() < 0.8 else chance.randbytes(30))
        for _ in range(chance.randrange(1, 5)):
            data[chance.randrange(len(data))] = chance.choice((0, 0x81, 0x91, 0xC1, 0xDD, 0xFF))
        kind = chance.choice((0, 1, 1, 1, 2, 3, 200))
        try:
            value = entry_of(kind, bytes(data), chance.choice(("0" * 24, "f" * 24, "00" * 3)))
        except Undecodable:
            continue
        assert value is not None
        (created,) = pa.array([value], decode.type_of("zmq-raft")).to_pylist()
        assert decode.phrase("zmq-raft", created, {"index": 1, "term": 1})


def test_the_golden_files_equal_the_output_of_the_real_classes(tmp_path: Path) -> None:
    if shutil.which("node") is None or not (BUILD / "node_modules").exists():
        unavailable("unavailable, because there is no Node.js, or zmq-raft was not set up")
    program = PROGRAMS / "zmq_raft.mjs"
    done = subprocess.run(
        ["node", str(program), str(BUILD), str(tmp_path)],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert json.loads(done.stdout) == node_output()
    for name in ("log.rlog", "snap", "state.pers"):
        assert (tmp_path / name).read_bytes() == (FILES / name).read_bytes()
