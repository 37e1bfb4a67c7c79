"""``walproof diff``: a log and what was recovered from it, a log and its replica."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from click.testing import CliRunner, Result

from conformance.vectors import load_all
from reference_impl.answer import NewRecord
from reference_impl.formats import named
from walproof.cli import walproof

VECTORS = load_all()


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(walproof, list(map(str, arguments)), standalone_mode=False)


def made(path: Path, *payloads: bytes) -> Path:
    named("leveldb-log").write(path, [NewRecord(payload) for payload in payloads], {})
    return path


def test_what_recover_leaves_has_the_same_records(tmp_path: Path) -> None:
    damaged = VECTORS["leveldb-log/payload-flipped-in-middle-fragment"].input
    run("recover", damaged, "--out", tmp_path / "new.log")
    done = run("diff", damaged, tmp_path / "new.log")
    assert done.return_value == 0, done.stdout
    assert "70,021 bytes lost" in done.stdout
    assert done.stdout.splitlines()[-1] == "no difference"


def test_each_kind_of_difference(tmp_path: Path) -> None:
    one = made(tmp_path / "1.log", b"alpha", b"bravo", b"charlie", b"delta")
    other = made(tmp_path / "2.log", b"alpha", b"BRAVO", b"charlie", b"delta", b"echo")
    done = run("diff", one, other)
    assert done.return_value == 3
    assert done.stdout.splitlines()[2:] == [
        '~A at 12: "bravo"',
        '~B at 12: "BRAVO"',
        '+  at 50: "echo"',
        "1 only in the second, 1 different",
    ]
    bodies = [json.loads(line) for line in run("diff", one, other, "--json").stdout.splitlines()]
    assert [body["kind"] for body in bodies] == ["different", "only in the second"]
    assert bodies[1]["a"] is None
    packed = tmp_path / "2.log.gz"
    packed.write_bytes(gzip.compress(other.read_bytes()))
    assert run("diff", packed, other).return_value == 0


def test_two_formats_are_not_compared(tmp_path: Path) -> None:
    journal = VECTORS["systemd-journal/five-entries"].input
    log = VECTORS["leveldb-log/three-records"].input
    assert "expected one format" in str(run("diff", journal, log).exception)


def test_numbered_records_are_found_by_their_number(tmp_path: Path) -> None:
    new = [NewRecord(b"data %d" % n, {"term": "1", "type": "state"}) for n in range(3)]
    one = tmp_path / "one"
    named("zeebe-journal").write(one, [NewRecord(record.payload) for record in new], {})
    other = tmp_path / "other"
    named("zeebe-journal").write(other, [NewRecord(b"data 0"), NewRecord(b"DATA 1")], {})
    done = run("diff", one, other, "--format", "zeebe-journal")
    assert done.stdout.splitlines()[-1] == "1 only in the first, 1 different"
    assert "~B 2, at " in done.stdout
