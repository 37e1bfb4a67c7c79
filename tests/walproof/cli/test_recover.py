"""``walproof recover`` writes the surviving records of each vector to an intact log."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from conformance.vectors import Vector, load_all
from reference_impl.answer import NewRecord, collect
from reference_impl.formats import FORMATS, named
from walproof.cli import new_log, recover_system, walproof
from walproof.cli.new_log import write_log
from walproof.formats import plugin_for

VECTORS = [vector for vector in load_all().values() if vector.operation == "read"]
#: Formats whose survivors cannot always be written again: the records are numbered without gaps, or
#: have content that the writer of the format never writes.
NO_GAPS = {"zeebe-journal", "zmq-raft", "systemd-journal"}
#: A reader returns this page number as stored, but no SQLite database has a page of this number.
UNWRITABLE = {"sqlite-wal/page-number-of-32-ones"}


def survivors(vector: Vector):
    return collect(named(vector.body["format"]).read(vector.input, "recover", context(vector)))


def context(vector: Vector):
    return vector.body.get("context", {})


@pytest.mark.slow
@pytest.mark.parametrize("format_id", FORMATS)
def test_vectors(format_id: str, tmp_path: Path) -> None:
    created = refused = 0
    some = [vector for vector in VECTORS if vector.body["format"] == format_id][3::6]
    for number, vector in enumerate(some):
        answer = survivors(vector)
        if answer.verdict == "refused":
            continue
        out = tmp_path / str(number)
        try:
            write_log(named(format_id), vector.input, answer.records, out, context(vector))
        except ValueError:
            has_evidence = any(map(plugin_for(format_id).system_folder.is_evidence, answer.records))
            assert format_id in NO_GAPS or vector.id in UNWRITABLE or has_evidence, vector.id
            assert not out.exists(), vector.id
            refused += 1
        else:
            created += 1
    assert created > 30
    assert refused < created / 2
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def invoke(*arguments: object):
    return CliRunner(env={"COLUMNS": "200"}).invoke(
        walproof, [str(a) for a in arguments], standalone_mode=False
    )


def run(*arguments: object):
    return invoke("recover", *arguments)


def vector(name: str) -> Path:
    (result,) = [v.input for v in VECTORS if v.id == name]
    return result


def test_a_damaged_log(tmp_path: Path) -> None:
    log = vector("leveldb-log/payload-flipped-in-second-record")
    before = log.read_bytes()
    result = run(log, "--out", tmp_path / "new.log")
    assert result.return_value == 3
    assert "checksum-mismatch" in result.output
    assert log.read_bytes() == before
    answer = collect(named("leveldb-log").read(tmp_path / "new.log", "recover", {}))
    assert answer.verdict == "intact"
    # The third record follows the damaged one in its block, and the intact length leads to the
    # record.
    assert "1 more record" in result.output
    assert [r.payload for r in answer.records] == [b"alpha", b"charlie"]


def test_existing_files_are_unchanged(tmp_path: Path) -> None:
    (tmp_path / "new.log").write_text("mine")
    result = run(vector("leveldb-log/three-records"), "--out", tmp_path / "new.log")
    assert "already exists: expected a new path" in str(result.exception)
    assert (tmp_path / "new.log").read_text() == "mine"


def test_an_error_names_the_new_log(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    out = tmp_path / "file" / "new.log"
    error = run(vector("leveldb-log/three-records"), "--out", out).exception
    assert str(error) == f"{out}: Not a directory"


@pytest.mark.parametrize("name", ["leveldb-log/three-records", "zeebe-journal/three-segments"])
def test_an_interrupted_run_leaves_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    for module in (new_log, recover_system):
        monkeypatch.setattr(module, "publish", interrupted)
    result = run(vector(name), "--format", name.partition("/")[0], "--out", tmp_path / "new")
    assert isinstance(result.exception, KeyboardInterrupt | click.Abort)
    assert list(tmp_path.iterdir()) == []


def test_a_gap_is_named(tmp_path: Path) -> None:
    log = vector("zeebe-journal/sealed-frame-zeroed-acknowledged")
    result = run(log, "--format", "zeebe-journal", "--out", tmp_path / "new")
    assert result.return_value == 3
    assert "not rewritten: " in result.output
    assert "index: expected 3, found 5" in result.output
    for path in log.iterdir():
        assert (tmp_path / "new" / path.name).read_bytes() == path.read_bytes()


def test_carve_is_suggested_if_blocks_are_shifted(tmp_path: Path) -> None:
    """The command suggests ``walproof carve`` if missing bytes shift all later blocks."""
    log = tmp_path / "000003.log"
    named("leveldb-log").write(log, [NewRecord(b"%d" % n * 40, {}) for n in range(2000)], {})
    data = log.read_bytes()
    log.write_bytes(data[:20_000] + data[20_047:])
    done = run(log, "--out", tmp_path / "new")
    assert done.return_value == 3
    assert f"walproof carve {log} searches the lost ranges for records" in done.stderr
    assert f"walproof carve {log}" in invoke(log).stdout
    recovered = collect(named("leveldb-log").read(tmp_path / "new", "recover", {}))
    carved = invoke("carve", log, "--json")
    results = [json.loads(line)["records"] for line in carved.stdout.splitlines()]
    assert sum(results) > len(recovered.records)


def test_a_folder_of_unreadable_files_is_copied_as_far_as_possible(
    tmp_path: Path, unreadable_logs: None
) -> None:
    folder, out = tmp_path / "folder", tmp_path / "out"
    folder.mkdir()
    (folder / "000003.log").write_bytes(b"unreadable")
    assert run(folder, "--out", out).exception is None
    assert (out / "000003.log").read_bytes() == b"unreadable"


def test_a_link_to_a_missing_file_does_not_stop_the_recovery(tmp_path: Path) -> None:
    folder, out = tmp_path / "folder", tmp_path / "out"
    folder.mkdir()
    (folder / "000003.log").symlink_to("missing")
    log = vector("leveldb-log/payload-flipped-in-second-record")
    (folder / "000004.log").write_bytes(log.read_bytes())
    done = run(folder, "--out", out)
    assert done.return_value == 3, done.exception
    assert (out / "000003.log").readlink() == Path("missing")
    answer = collect(named("leveldb-log").read(out / "000004.log", "recover", {}))
    assert [r.payload for r in answer.records] == [b"alpha", b"charlie"]
