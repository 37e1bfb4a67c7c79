"""``walproof recover`` writes the surviving records of logs and directories to new, intact logs."""

from __future__ import annotations

import importlib
import json
import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance import ROOT, VECTORS
from conformance.vectors import Vector, load_all
from reference_impl.answer import Answer, NewRecord, collect
from reference_impl.formats import FORMATS, named
from reference_impl.leveldb_log.layout import HEADER, masked_crc
from tests.walproof.cli.test_stopping import as_usual
from tests.walproof.formats.sqlite_wal.histories import History
from walproof.cli import walproof
from walproof.formats.leveldb_log import scanner as leveldb_log
from walproof.log import LARGE_LOG_BYTES, Log
from walproof.new_log import after_loss_file, read_survivors
from walproof.scanners.model import Records

READ_VECTORS = [vector for vector in load_all().values() if vector.operation == "read"]
DAMAGED = VECTORS / "leveldb-log" / "payload-flipped-in-second-record.log"
INTACT = VECTORS / "leveldb-log" / "three-records.log"
EMPTY_JOURNALS = ("no-entries", "no-entries-and-the-largest-tail-number", "cut-to-nothing")
GAP = VECTORS / "zeebe-journal" / "second-descriptor-cut-acknowledged"


def run(*arguments: object) -> Result:
    return CliRunner(env={"COLUMNS": "80"}).invoke(
        walproof, ["recover", *map(str, arguments)], standalone_mode=False
    )


def answer_of(format_id: str, log: Path) -> Answer:
    return collect(named(format_id).read(log, "recover", {}))


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.mark.slow
@pytest.mark.parametrize("format_id", FORMATS)
def test_vectors(format_id: str, tmp_path: Path) -> None:
    """Each record of an answer goes to the new log or next to it, unless the format refuses it."""
    written = refused = 0
    vectors = [vector for vector in READ_VECTORS if vector.body["format"] == format_id]
    for number, vector in enumerate(vectors[3::5]):
        written_log = _write(vector, tmp_path / str(number))
        if written_log is None:
            refused += 1
        else:
            written += written_log
    assert written > 30
    assert refused < written / 2


def _write(vector: Vector, folder: Path) -> int | None:
    format_id, context = vector.body["format"], vector.body.get("context", {})
    answer = collect(named(format_id).read(vector.input, "recover", context))
    survivors = read_survivors(Log(format_id, vector.input, context=context))
    assert survivors.end.verdict == answer.verdict
    assert survivors.lost_bytes == sum(lost.end - lost.start for lost in answer.lost)
    assert sorted(map(repr, [*survivors.records, *survivors.others])) == sorted(
        map(repr, answer.records)
    )
    if answer.verdict == "refused":
        return 0
    folder.mkdir()
    new = folder / vector.input.name
    try:
        survivors.write(new)
    except ValueError:
        # Either nothing survives, or the log has content that no writer of the format would write.
        is_known = format_id in ("zeebe-journal", "zmq-raft", "systemd-journal", "sqlite-wal")
        assert is_known or not answer.records, vector.id
        return None
    new_context = named(format_id).copied(vector.input, context)
    new_answer = collect(named(format_id).read(new, "recover", new_context))
    assert new_answer.verdict == "intact"
    assert [r.payload for r in new_answer.records] == [r.payload for r in survivors.records]
    return 1


def test_a_damaged_log(tmp_path: Path) -> None:
    before = DAMAGED.read_bytes()
    result = run(DAMAGED, "--out", tmp_path / "new.log")
    assert result.return_value == 3
    assert result.output == f"{tmp_path / 'new.log'}: 1 record returned, 26 bytes lost\n"
    assert DAMAGED.read_bytes() == before
    answer = answer_of("leveldb-log", tmp_path / "new.log")
    assert answer.verdict == "intact"
    assert [record.payload for record in answer.records] == [b"alpha"]


def test_a_large_log_is_recovered_as_the_specification_would(tmp_path: Path) -> None:
    """The scanner reads the log, and its records are written and compared in columns."""
    rng = random.Random(1)
    payloads = [rng.randbytes(rng.choice([0, 7, 300, 90_000])) for _ in range(400)]
    log, expected = tmp_path / "old.log", tmp_path / "expected.log"
    leveldb = named("leveldb-log")
    leveldb.write(log, [NewRecord(payload) for payload in payloads], {})
    data = bytearray(log.read_bytes())
    assert len(data) > LARGE_LOG_BYTES
    data[len(data) // 3] ^= 4
    log.write_bytes(data)
    answer = answer_of("leveldb-log", log)
    assert answer.verdict == "damaged"
    leveldb.write(expected, [NewRecord(record.payload) for record in answer.records], {})
    survivors = read_survivors(Log("leveldb-log", log))
    assert [*survivors.records] == [*answer.records]
    assert survivors.records[-1] == answer.records[-1]
    assert survivors.records[150:152] == [*answer.records[150:152]]
    assert run(log, "--out", tmp_path / "new.log").return_value == 3
    assert (tmp_path / "new.log").read_bytes() == expected.read_bytes()


def test_a_large_log_must_read_back_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "old.log"
    named("leveldb-log").write(log, [NewRecord(b"%07d" % n) for n in range(400_000)], {})
    write_runs = leveldb_log.write

    def write(path: Path, runs: Iterable[Records]) -> None:
        write_runs(path, runs)
        data = bytearray(path.read_bytes())
        body = b"\x01" + data[21:27] + b"!"
        data[14:28] = HEADER.pack(masked_crc(body), 7, 1) + body[1:]
        path.write_bytes(data)

    monkeypatch.setattr("walproof.formats.leveldb_log.scanner.write", write)
    done = run(log, "--out", tmp_path / "new.log")
    assert done.exit_code == 1
    assert "record 1 at 14 reads back with another payload" in str(done.exception)
    assert not (tmp_path / "new.log").exists()


def test_an_intact_log_and_a_refused_one(tmp_path: Path) -> None:
    assert run(INTACT, "--out", tmp_path / "new.log").return_value == 0
    refused = next(
        vector.input
        for vector in READ_VECTORS
        if vector.body["format"] == "sqlite-wal"
        and answer_of("sqlite-wal", vector.input).verdict == "refused"
    )
    done = run(refused, "--format", "sqlite-wal", "--out", tmp_path / "other")
    assert done.return_value == 4
    assert "nothing was written" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["new.log"]


def test_records_after_a_loss_are_beside_the_log(tmp_path: Path) -> None:
    """Records after a loss have complete payloads, even if an answer shows only a digest."""
    (tmp_path / "work").mkdir()
    (tmp_path / "old").mkdir()
    history = History(tmp_path / "work" / "app.db", "", 8192, "CREATE TABLE t(x)")
    for number in range(4):
        history.step(f"INSERT INTO t VALUES({number})")
    log = history.close(tmp_path / "old")
    data = bytearray(log.read_bytes())
    data[32 + (24 + 8192) + 100] ^= 1
    log.write_bytes(data)
    out = tmp_path / "new.db-wal"
    done = run(log, "--out", out)
    assert done.return_value == 3
    lost = "1 record returned, 8,216 bytes lost, 2 records in new.db-wal.after-loss.jsonl"
    assert done.output == f"{out}: {lost}\n"
    old = answer_of("sqlite-wal", log)
    lines = after_loss_file(out).read_text("utf-8").splitlines()
    assert [bytes.fromhex(json.loads(line)["payload"]) for line in lines] == [
        record.payload for record in old.records[1:]
    ]
    assert [json.loads(line)["at"] for line in lines] == [record.at for record in old.records[1:]]
    assert answer_of("sqlite-wal", out).verdict == "intact"


def test_a_record_that_no_writer_writes_ends_the_new_log(tmp_path: Path) -> None:
    """If the new log just left the record out, entries that it replaced could return (ETW-012)."""
    log = VECTORS / "etcd-wal" / "entry-of-text.wal"
    old = answer_of("etcd-wal", log)
    first = next(n for n, r in enumerate(old.records) if r.at == 160)
    done = run(log, "--format", "etcd-wal", "--out", tmp_path / "new.wal")
    assert done.return_value == 3
    new = answer_of("etcd-wal", tmp_path / "new.wal")
    assert new.verdict == "intact"
    assert [r.payload for r in new.records] == [r.payload for r in old.records[:first]]
    lines = after_loss_file(tmp_path / "new.wal").read_text("utf-8").splitlines()
    assert [json.loads(line)["at"] for line in lines] == [r.at for r in old.records[first:]]


def test_indexes_of_etcd_may_jump_after_a_marker(tmp_path: Path) -> None:
    log = VECTORS / "etcd-wal" / "indexes-that-jump-after-a-marker.wal"
    assert run(log, "--out", tmp_path / "new.wal").return_value == 0
    assert answer_of("etcd-wal", tmp_path / "new.wal").records == answer_of("etcd-wal", log).records


def test_records_after_a_gap_are_beside_the_log(tmp_path: Path) -> None:
    done = run(GAP, "--out", tmp_path / "new")
    assert done.return_value == 3
    name = "journal-1.log.after-loss.jsonl"
    counts = f"2 records returned, 40 bytes lost, 2 records in {name}"
    assert f".: replaced: {counts}\n" in done.output
    lines = (tmp_path / "new" / name).read_text("utf-8").splitlines()
    assert [json.loads(line)["index"] for line in lines] == ["5", "6"]
    answer = answer_of("zeebe-journal", tmp_path / "new")
    assert answer.verdict == "intact"
    assert [record.fields["index"] for record in answer.records] == ["1", "2"]
    for name, data in contents(GAP).items():
        original = tmp_path / "new" / f"{name}.damaged"
        assert (original if original.exists() else tmp_path / "new" / name).read_bytes() == data


def journal(tmp_path: Path, seqnums: list[int]) -> Path:
    """Write a journal, then replace the sequence numbers of its entries."""
    records = [
        NewRecord(
            b"MESSAGE=%d\n" % number,
            {"realtime": str(10**15 + number), "monotonic": str(number), "boot_id": "1" * 32},
        )
        for number in range(1, len(seqnums) + 1)
    ]
    path = tmp_path / "system.journal"
    named("systemd-journal").write(path, records, {"header_size": 264})
    data = bytearray(path.read_bytes())
    for record, seqnum in zip(answer_of("systemd-journal", path).records, seqnums, strict=True):
        data[record.at + 16 : record.at + 24] = seqnum.to_bytes(8, "little")
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("seqnums", "left"),
    [
        ([1, 2, 3 | 1 << 61, 4, 5], [3 | 1 << 61]),
        ([1, 2, 3, 4, 1], [1]),
        ([1, 2, 2, 4, 5], [2]),
        ([1 << 40, 2, 3, 4, 5], [1 << 40]),
        ([1, 2, 3, 4, 2**64 - 1], [2**64 - 1]),
    ],
)
def test_a_sequence_number_costs_one_entry(
    seqnums: list[int], left: list[int], tmp_path: Path
) -> None:
    out = tmp_path / "new.journal"
    assert run(journal(tmp_path, seqnums), "--out", out).return_value == 3
    answer = answer_of("systemd-journal", out)
    assert answer.verdict == "intact"
    assert len(answer.records) == 4
    (line,) = after_loss_file(out).read_text("utf-8").splitlines()
    assert [int(json.loads(line)["seqnum"])] == left
    require_verified(out)


def require_verified(log: Path) -> None:
    """Run ``journalctl --verify`` if the program is installed."""
    if (program := shutil.which("journalctl")) is not None:
        done = subprocess.run([program, "--verify", f"--file={log}"], capture_output=True)
        assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize("name", EMPTY_JOURNALS)
def test_a_journal_without_entries_can_be_verified(name: str, tmp_path: Path) -> None:
    log = VECTORS / "systemd-journal" / f"{name}.journal"
    out = tmp_path / "new.journal"
    done = run(log, "--format", "systemd-journal", "--out", out)
    assert done.return_value in (0, 3), done.exception
    require_verified(out)


def test_existing_files_are_unchanged(tmp_path: Path) -> None:
    for name in ("new.log", "new.log.after-loss.jsonl"):
        (tmp_path / name).write_text("mine")
        result = run(INTACT, "--out", tmp_path / "new.log")
        assert f"{name} already exists: expected a new path" in str(result.exception)
        assert (tmp_path / name).read_text() == "mine"
        (tmp_path / name).unlink()


def test_an_error_names_the_new_log(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    out = tmp_path / "file" / "new.log"
    for log in (INTACT, INTACT.parent):
        assert str(run(log, "--out", out).exception) == f"{out}: Not a directory"


def test_no_survivor(tmp_path: Path) -> None:
    log = VECTORS / "leveldb-log" / "payload-flipped-in-only-record.log"
    done = run(log, "--out", tmp_path / "new.log")
    assert "no record survives" in str(done.exception)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444])
def test_the_mode_of_the_source(mode: int, tmp_path: Path) -> None:
    log = tmp_path / "old.log"
    shutil.copy(DAMAGED, log)
    log.chmod(mode)
    (tmp_path / "link.log").symlink_to(log)
    for number, source in enumerate((log, tmp_path / "link.log")):
        out = tmp_path / f"new-{number}.log"
        run(source, "--out", out)
        assert stat.S_IMODE(out.stat().st_mode) == mode
    (tmp_path / "d").mkdir(mode=0o750)
    shutil.copy(log, tmp_path / "d" / "000003.log")
    run(tmp_path / "d", "--out", tmp_path / "e")
    assert stat.S_IMODE((tmp_path / "e").stat().st_mode) == 0o750
    for path in (tmp_path / "e").iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == mode, path


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Return a directory with logs, other files, links and special files."""
    folder = tmp_path / "folder"
    (folder / "deep" / ".hidden").mkdir(parents=True)
    shutil.copy(DAMAGED, folder / "000003.log")
    shutil.copy(INTACT, folder / "deep" / ".hidden" / "000004.log")
    shutil.copytree(GAP, folder / "deep" / "journal")
    (folder / "CURRENT").write_bytes(b"MANIFEST-000002\n")
    (folder / "etc").symlink_to("/etc")
    (folder / "up").symlink_to("..")
    (folder / "nowhere.log").symlink_to("missing")
    os.mkfifo(folder / "MANIFEST-000001")
    os.utime(folder / "CURRENT", (1, 1))
    os.utime(folder / "deep" / ".hidden", (2, 2))
    return folder


def test_a_directory(directory: Path, tmp_path: Path) -> None:
    before = contents(directory)
    out = tmp_path / "new"
    done = run(directory, "--out", out)
    assert done.return_value == 3, done.exception
    assert done.stdout.splitlines() == [
        "000003.log: replaced: 1 record returned, 26 bytes lost",
        "deep/journal: replaced: 2 records returned, 40 bytes lost,"
        " 2 records in journal-1.log.after-loss.jsonl",
        f"{out}: 2 logs of 3 replaced",
    ]
    assert done.stderr == "not copied: MANIFEST-000001: a named pipe\n"
    assert contents(directory) == before
    after = contents(out)
    for name, data in before.items():
        assert data in (after.get(name), after.get(f"{name}.damaged")), name
    assert answer_of("leveldb-log", out / "000003.log").verdict == "intact"
    assert (out / "etc").readlink() == Path("/etc")
    assert (out / "up").readlink() == Path("..")
    assert (out / "nowhere.log").readlink() == Path("missing")
    assert (out / "CURRENT").stat().st_mtime == 1
    assert (out / "deep" / ".hidden").stat().st_mtime == 2
    assert not [path for path in tmp_path.rglob("*") if "unfinished" in path.name]


def test_a_recovered_checkpoint_is_no_part_of_the_new_log(tmp_path: Path) -> None:
    vector = load_all()["prometheus-wal/bit-in-a-checkpoint"]
    shutil.copytree(vector.input, tmp_path / "data" / "wal")
    assert run(tmp_path / "data", "--out", tmp_path / "new").return_value == 3
    new = tmp_path / "new" / "wal"
    assert (new / "checkpoint.00000003.damaged" / "00000000").is_file()
    answer = answer_of("prometheus-wal", new)
    assert (answer.verdict, len(answer.records)) == ("intact", 2)


def test_a_log_that_cannot_be_written_keeps_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    log = tmp_path / "d" / "000003.log"
    shutil.copy(VECTORS / "leveldb-log" / "payload-flipped-in-only-record.log", log)
    done = run(tmp_path / "d", "--out", tmp_path / "new")
    assert done.return_value == 3
    assert "000003.log: not replaced: 0 records, " in done.output
    assert contents(tmp_path / "new") == contents(tmp_path / "d")


def test_originals_of_an_earlier_run_are_kept(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    shutil.copy(DAMAGED, tmp_path / "d" / "x.log")
    (tmp_path / "d" / "x.log.damaged").write_bytes(b"earlier")
    run(tmp_path / "d", "--out", tmp_path / "new")
    after = contents(tmp_path / "new")
    assert after["x.log.damaged"] == b"earlier"
    assert after["x.log.damaged.2"] == DAMAGED.read_bytes()


def test_hard_links_stay_one_file_unless_replaced(tmp_path: Path) -> None:
    folder, out = tmp_path / "d", tmp_path / "new"
    folder.mkdir()
    shutil.copy(DAMAGED, folder / "000003.log")
    (folder / "000004.log").hardlink_to(folder / "000003.log")
    (folder / "table").write_bytes(b"table")
    (folder / "same").hardlink_to(folder / "table")
    run(folder, "--out", out)
    assert (out / "same").samefile(out / "table")
    for name in ("000003.log", "000004.log"):
        assert answer_of("leveldb-log", out / name).verdict == "intact"
        assert (out / f"{name}.damaged").read_bytes() == DAMAGED.read_bytes()


def test_paths_that_are_refused(directory: Path, tmp_path: Path) -> None:
    before = contents(tmp_path)
    assert "choose a path outside" in str(run(directory, "--out", directory / "new").exception)
    (tmp_path / "link").symlink_to(directory)
    inside = tmp_path / "link" / "new"
    assert "choose a path outside" in str(run(directory, "--out", inside).exception)
    assert "already exists" in str(run(directory, "--out", tmp_path / "link").exception)
    (tmp_path / "empty").mkdir()
    done = run(tmp_path / "empty", "--out", tmp_path / "new")
    assert done.return_value == 4
    assert "no log found" in done.stderr
    assert contents(tmp_path) == before


@pytest.mark.parametrize("log", [INTACT, GAP])
def test_an_interrupted_run_leaves_nothing(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    for module in ("walproof.new_log", "walproof.cli.recover"):
        monkeypatch.setattr(importlib.import_module(module), "publish", interrupted)
    result = run(log, "--out", tmp_path / "new")
    assert isinstance(result.exception, BaseException)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize("name", ["000003.log", ""])
def test_a_stopped_run_leaves_nothing(name: str, stop: signal.Signals, tmp_path: Path) -> None:
    """Nor do two signals in a row, as ``timeout`` and a closed terminal send them."""
    folder, results = tmp_path / "d", tmp_path / "results"
    folder.mkdir()
    results.mkdir()
    records = [NewRecord(b"%d" % number * 20) for number in range(60_000)]
    named("leveldb-log").write(folder / "000003.log", records, {})
    data = bytearray((folder / "000003.log").read_bytes())
    data[len(data) // 2] ^= 1
    (folder / "000003.log").write_bytes(data)
    command = ["recover", str(folder / name), "--out", str(results / "new")]
    running = subprocess.Popen(
        [sys.executable, "-m", "walproof", *command], cwd=ROOT, preexec_fn=as_usual,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    deadline = time.monotonic() + 120
    while not list(results.iterdir()):
        assert time.monotonic() < deadline and running.poll() is None
        time.sleep(0.01)
    running.send_signal(stop)
    running.send_signal(stop)
    assert running.wait(60) != 0
    assert list(results.iterdir()) == []


@pytest.mark.parametrize("name", ["raft", "00000000000001.rlog"])
def test_entries_after_a_lost_first_entry_are_beside_an_empty_log(
    tmp_path: Path, name: str
) -> None:
    """No log can begin with a later entry, because no snapshot covers the entries before it."""
    fields = {"term": "1", "entry_type": 0, "request_id": "00" * 12}
    new = [NewRecord(b"%d" % number, fields) for number in range(5)]
    log, result = tmp_path / name, tmp_path / "new" / name
    named("zmq-raft").write(log, new, {"capacity": 2} if name == "raft" else {})
    first = log / "log/00000/00/00/00000000000001.rlog" if log.is_dir() else log
    data = first.read_bytes()
    # A directory loses its first file, and a single file loses its first offset.
    first.write_bytes(b"RLOG" if log.is_dir() else data[:24] + b"\xff" * 4 + data[28:])
    returned = answer_of("zmq-raft", log).records
    assert returned and returned[0].fields["index"] != "1"
    result.parent.mkdir()
    assert run(log, "--out", result, "--format", "zmq-raft").return_value == 3
    answer = answer_of("zmq-raft", result)
    assert (answer.verdict, answer.records) == ("intact", ())
    (file,) = result.parent.rglob(after_loss_file(Path("*")).name)
    beside = file.read_text("utf-8").splitlines()
    assert len(beside) == len(returned)
